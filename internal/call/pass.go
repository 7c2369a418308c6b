package call

import (
	"context"
	"time"
)

// The waits of a call that the gate could not be asked for. It waits as long as it has waited already, so that many of them leave the sweeps
// to others.
const (
	leastUnasked = 30 * time.Second
	mostUnasked  = 15 * time.Minute
)

// pass asks the gate for the dial that a slot is taken for.
func (e *Engine) pass(ctx context.Context, s *slot, p Profile, now time.Time) keeping {
	v, err := e.Gate.Pass(ctx, s.row, p, now)
	if v.Alarm != "" {
		e.Observer.Decided(ctx, Decided{What: "limit-reached", RowID: s.row.ID, Ring: s.row.Ring, State: s.row.State, Reason: v.Alarm, Alarm: true})
	}
	if v.NewCountry != "" {
		e.Observer.Decided(ctx, Decided{
			What: "new-country", RowID: s.row.ID, Ring: s.row.Ring, State: s.row.State, Number: s.row.Phone(), Alarm: true,
			Reason: "The first call to " + v.NewCountry + " of this ledger is about to be dialed.",
		})
	}
	s.ticket, s.over = v.Ticket, v.Over
	return e.keptBy(ctx, s.row, v, err)
}

// lookAtGate asks the gate and takes nothing.
func (e *Engine) lookAtGate(ctx context.Context, c Call, p Profile) keeping {
	if e.Gate == nil {
		return keeping{}
	}
	v, err := e.Gate.Look(ctx, c.towards(p), p, e.Clock.Now())
	return e.keptBy(ctx, c, v, err)
}

// towards returns the row with the target that its next attempt is sent to.
func (c Call) towards(p Profile) Call {
	if c.Target.Region == "" || c.mayRepin() {
		c.Target = Target{Region: p.Region, InstanceID: p.InstanceID}
	}
	return c
}

// keptBy translates the answer of the gate. What cannot be checked is not dialed.
func (e *Engine) keptBy(ctx context.Context, c Call, v Clearance, err error) keeping {
	now := e.Clock.Now()
	switch {
	case err != nil:
		e.Observer.Decided(ctx, Decided{What: "gate-failed", RowID: c.ID, Ring: c.Ring, State: c.State, Reason: err.Error(), Alarm: true})
		due := now.Add(min(max(leastUnasked, now.Sub(c.AcceptedAt)/2), mostUnasked))
		return keeping{due: c.withinLimits(due, now), why: HeldGate}
	case v.Refuse != nil:
		return keeping{refuse: v.Refuse}
	case v.Passes():
		return keeping{}
	case parks(v.Why):
		return keeping{due: c.parkUntil(now, leastParked), why: v.Why}
	}
	return keeping{due: c.withinLimits(v.Until, now), why: v.Why}
}

// returnPass gives back what the gate took for a dial that was not made or not accepted.
func (e *Engine) returnPass(ctx context.Context, s slot) {
	if e.Gate != nil && s.ticket != "" {
		e.Gate.Return(context.WithoutCancel(ctx), s.row, s.ticket, e.Clock.Now())
	}
}

// overrode tells what does not keep a call that is about to be dialed. Its line in the timeline is the reason of the attempt.
func (e *Engine) overrode(ctx context.Context, c Call, s slot) {
	for _, why := range s.over {
		e.Observer.Decided(ctx, Decided{What: "override", RowID: c.ID, Ring: c.Ring, State: c.State, Reason: why, Number: c.Phone()})
	}
}

// ended gives back what the gate holds for a call, once a write has shown that its contact is over or that it never rang.
func (e *Engine) ended(ctx context.Context, before, after Call) {
	if e.Gate == nil || before.Version == 0 {
		return
	}
	switch {
	case ruledOut(after.State) && !ruledOut(before.State):
		e.Gate.Return(context.WithoutCancel(ctx), after, "", e.Clock.Now())
	case after.hungUp() && !before.hungUp():
		e.free(ctx, after)
	}
}

// free gives back the concurrency slot of a contact that is over.
func (e *Engine) free(ctx context.Context, c Call) {
	if e.Gate != nil {
		e.Gate.Free(context.WithoutCancel(ctx), c, e.Clock.Now())
	}
}

func (c Call) hungUp() bool { return c.Sight != nil && c.Sight.Over() }
