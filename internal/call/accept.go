package call

import "context"

// Accept answers one delivery as [Engine.Place] does, and leaves the dialing of what it accepts to the sweep: the row is durable and due when
// Accept returns, so a crash after it loses nothing. It asks the gate and the pace by looking only, and takes nothing of them. Where no
// sweeper runs nobody would finish the call, and Accept is Place.
func (e *Engine) Accept(ctx context.Context, d Delivery) Outcome {
	if !e.Finishes(ctx) {
		return e.Place(ctx, d)
	}
	ctx = WithTrace(ctx, d.Trace)
	return e.told(ctx, d, e.take(ctx, d, true))
}

// Finishes reports whether a sweeper ran lately, so that what was accepted is dialed although nobody asks again. Where none did, a way in that
// keeps its answers must not say once more that a call is accepted: asking anew is what drives the call then.
func (e *Engine) Finishes(ctx context.Context) bool { return e.sweeperAlive(ctx, e.Clock.Now()) }

// moved carries a row on for a delivery that may dial. One that is only accepted leaves it to the sweep, which looks at it when it is due.
func (e *Engine) moved(ctx context.Context, a ask, c Call) Call {
	if a.later {
		return c
	}
	return e.advance(ctx, c, a.profile)
}
