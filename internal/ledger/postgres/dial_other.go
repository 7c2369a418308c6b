//go:build !linux

package postgres

// endWhenDead does nothing where the system has no such setting: keepalive ends an idle connection there, and each statement its own.
func endWhenDead(uintptr) error { return nil }
