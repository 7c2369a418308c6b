package call

import (
	"context"
	"time"
)

// GateRehearser is a [Gate] that can be asked what it would do to a series of calls, each of which sees what those before it would have taken.
type GateRehearser interface {
	// Rehearse returns a gate that answers as this one and takes nothing that anybody else sees.
	Rehearse() Gate
}

// lookingGate answers a Pass without taking anything.
type lookingGate struct{ Gate }

// Pass implements [Gate].
func (g lookingGate) Pass(ctx context.Context, c Call, p Profile, now time.Time) (Clearance, error) {
	return g.Look(ctx, c, p, now)
}

// Return implements [Gate].
func (lookingGate) Return(context.Context, Call, string, time.Time) {}

// Free implements [Gate].
func (lookingGate) Free(context.Context, Call, time.Time) {}

// Resumed implements [Gate].
func (lookingGate) Resumed(context.Context, time.Time) bool { return false }

// rehearsedGate returns a gate for a rehearsal; nil where there is none.
func rehearsedGate(g Gate) Gate {
	if r, ok := g.(GateRehearser); ok {
		return r.Rehearse()
	}
	if g == nil {
		return nil
	}
	return lookingGate{g}
}
