package rules

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// asking is one pass on its way through the cells.
type asking struct {
	c      call.Call
	p      call.Profile
	policy Policy
	row    string
	ticket string
	now    time.Time
	capped bool
	since  map[int]time.Time
}

// take takes what the dial needs: each time the limit is asked again in the same write, so that it holds also for those who asked at the same
// time. The ring of the number comes last: what is given back because of another limit must not have kept anybody from it.
func (g *Gate) take(ctx context.Context, a asking) (kept call.Clearance, err error) {
	for _, step := range []func(context.Context, asking) (call.Clearance, error){g.takeSlot, g.takeVelocity, g.takeRing} {
		if kept, err = step(ctx, a); err != nil || !kept.Passes() {
			return kept, err
		}
	}
	return kept, nil
}

func (g *Gate) takeSlot(ctx context.Context, a asking) (kept call.Clearance, err error) {
	if g.Slots <= 0 || !a.c.Key.Kind.NeedsNumber() {
		return kept, nil
	}
	lease := a.policy.Lease
	if lease <= 0 {
		lease = a.p.LongestCall
	}
	err = changeCell(ctx, g.Cells, slotsCell(regionOf(a.c, a.p)), func(s *slots) (bool, time.Time, error) {
		if kept = (call.Clearance{}); s.full(g.Slots, a.row, a.now) {
			kept = call.Clearance{Until: a.now.Add(slotWait(a.now.Sub(a.c.AcceptedAt))), Why: call.HeldConcurrency}
			return false, time.Time{}, nil
		}
		s.Takes = s.Takes.after(a.now.Add(-longestLease)).with(take{Row: a.row, Ticket: a.ticket, At: a.now.Add(lease).UnixNano()})
		return true, time.Time{}, nil
	})
	return kept, err
}

func (g *Gate) takeVelocity(ctx context.Context, a asking) (kept call.Clearance, err error) {
	for i, limit := range g.Limits {
		one, counts := limit.one(a.c, a.p)
		if !counts {
			continue
		}
		weight := one.weight(a.c, a.p)
		err = changeCell(ctx, g.Cells, g.velocityCell(one), func(s *speed) (bool, time.Time, error) {
			kept = call.Clearance{}
			if until, full := s.full(one, a.row, weight, a.since[i], a.now); full { // the next one that asks reaches it
				kept = call.Clearance{Until: earlier(until, a.now.Add(unsure)), Why: call.HeldVelocity}
				return false, time.Time{}, nil
			}
			s.add(one, take{Row: a.row, Ticket: a.ticket}, weight, a.since[i], a.now)
			return true, s.expires(one, a.now), nil
		})
		if err != nil || !kept.Passes() {
			return kept, err
		}
	}
	return kept, nil
}

func (g *Gate) takeRing(ctx context.Context, a asking) (kept call.Clearance, err error) {
	if len(g.Caps) == 0 || !g.counts(a.c) {
		return kept, nil
	}
	err = changeCell(ctx, g.Cells, g.capCell(a.c), func(r *rings) (bool, time.Time, error) {
		kept = call.Clearance{}
		if at := r.free(g.Caps, a.row, a.now); a.capped && at.After(a.now) {
			kept = call.Clearance{Until: at, Why: call.HeldCap}
			return false, time.Time{}, nil
		}
		r.Takes = r.Takes.after(a.now.Add(-longest(g.Caps) - longestLease)).with(take{Row: a.row, Ticket: a.ticket, At: a.now.UnixNano()})
		return true, r.expires(g.Caps, a.now), nil
	})
	return kept, err
}

// cellRest is how long a cell is kept that says nothing any more.
const cellRest = 24 * time.Hour

// expires returns when no cap looks at any of the takes.
func (r rings) expires(caps []Cap, now time.Time) time.Time {
	last := now
	if len(r.Takes) > 0 {
		last = r.Takes[len(r.Takes)-1].at().Add(longest(caps))
	}
	return last.Add(cellRest)
}

// expires returns when no part counts any more.
func (s speed) expires(v Velocity, now time.Time) time.Time {
	last := now
	if len(s.Parts) > 0 {
		last = time.Unix(0, s.Parts[len(s.Parts)-1].From).Add(2 * v.Per)
	}
	return last.Add(cellRest)
}

// full reports whether a limit keeps a row of a weight, and until when. A row that is among those it counts is not kept by itself.
func (s speed) full(v Velocity, row string, weight int, since, now time.Time) (until time.Time, full bool) {
	n, leaves := s.count(v, since, now)
	own, counted := s.Recent.of(row, now)
	if counted && v.looksAt(own.at(), since, now) {
		n -= own.weight()
	}
	if n+weight <= v.Most {
		return time.Time{}, false
	}
	if leaves.IsZero() { // it weighs more than the whole limit
		leaves = now.Add(v.Per)
	}
	return leaves, true
}
