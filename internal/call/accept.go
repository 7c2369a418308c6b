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

// AcceptKnown answers one delivery as [Engine.Accept] does if that makes neither a call nor a further ring of one: a duplicate, a conflict, a withdrawal, a request
// that nothing can be read of, and also when the ledger does not say. known is false for every other one, of which nothing was written. It decides by the answer
// itself, so nothing can change between a question and it.
func (e *Engine) AcceptKnown(ctx context.Context, d Delivery) (out Outcome, known bool) {
	ctx = WithTrace(ctx, d.Trace)
	a, err := e.prepare(d)
	a.later, a.known = e.Finishes(ctx), true
	switch c, reason, placed := e.remembered(a); {
	case err != nil:
		out = e.refused(ctx, d, err)
	case d.Request.Withdraws():
		out = e.cancel(ctx, a)
	case placed:
		out = e.suppress(ctx, a, c, reason)
	default:
		if out, known = e.lookUp(ctx, a); !known || out.Met == "" {
			return Outcome{}, false
		}
	}
	return e.told(ctx, d, out), true
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
