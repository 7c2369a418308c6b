package river

// IsDraining reports whether a drain has begun, for tests that begin something right after it.
func (h *Hints[Tx]) IsDraining() bool { return h.draining.Load() }
