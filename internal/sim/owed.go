package sim

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// judgeSuppressed asks whether a delivery that was acknowledged without a ring of its own was owed one (G2). Only a request that its producer has
// dated can be: of the others nobody knows whether they are new. What is asked is protocol.md section 8, told by the row that answered.
func (w *World) judgeSuppressed(m *message, out call.Outcome, first call.Call) {
	at, row := m.request.at, out.Call
	if at.IsZero() || m.request.cancel || row.ID == "" || row.IsForgotten() || first.IsForgotten() {
		return
	}
	if m.born.Before(at) { // a producer's clock that is ahead is not believed: the earliest stamp counts
		at = m.born
	}
	slack := w.clockError()
	at = at.Add(-time.Second)                                                       // stamps have seconds or milliseconds
	newer := at.After(first.CanceledBefore.Add(slack)) && at.After(row.RequestedAt) // a clock that is behind dates a request by itself, before the cancel
	owed := false
	switch out.Suppressed {
	case call.ReasonDuplicate, call.ReasonLateRedelivery:
		owed = newer && w.outside(at, row.PlacedAt.Add(slack))
	case call.ReasonFailed, call.ReasonExpired:
		owed = newer && at.After(row.FinalAt.Add(slack)) && w.outside(at, first.PlacedThrough.Add(slack))
	case call.ReasonCanceled:
		owed = at.After(first.CanceledBefore.Add(slack)) && w.outside(at, first.PlacedThrough.Add(slack))
	}
	if owed {
		w.find("%s asks for a ring of its own at %s, and was suppressed as %s by %s, placed %s", m.name, short(at), out.Suppressed, w.nameOf(row.ID), short(row.PlacedAt))
	}
}

// outside reports whether a request lies behind the window of a ring. A ring that was never placed has none.
func (w *World) outside(at, placed time.Time) bool {
	if placed.Before(w.began) {
		return true
	}
	window, err := time.ParseDuration(hours(w.Setting.Window))
	return err == nil && at.After(placed.Add(window))
}
