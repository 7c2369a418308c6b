package rules

import (
	"cmp"
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// verdict is a clearance with what the next steps need of its reasons.
type verdict struct {
	call.Clearance

	reached *Velocity         // the limit that keeps the call
	capped  bool              // the caps keep it from a take that comes too late
	since   map[int]time.Time // by limit: what was dialed before does not count any more
}

// keep notes a reason; the first one decides. An urgent call is not kept by what it may pass, and the reason is told.
func (v *verdict) keep(until time.Time, why string, passes bool) {
	switch {
	case passes:
		v.Over = append(v.Over, why)
	case v.Passes():
		v.Until, v.Why = until, why
	}
}

// judge says what keeps a call now, in this order: pauses, the do-not-call list, hours, caps, velocity limits, concurrency. It takes nothing.
func (g *Gate) judge(ctx context.Context, c call.Call, p call.Profile, now time.Time) (verdict, error) {
	var v verdict
	policy := g.Policy(p.Name)
	urgent := c.Released != "" || (c.Urgent && policy.Urgent)
	switches, err := g.board.switches(ctx, now)
	if err != nil {
		return v, err
	}
	for _, target := range switches.keeping(c, p.Name) {
		v.keep(now, target.why(), urgent && target.Kind == TargetProfile)
	}
	if !v.Passes() {
		return v, nil
	}
	if switches.Listed && g.counts(c) {
		if err := g.judgeList(ctx, c, &v, urgent && policy.ListedToo); err != nil || !v.Passes() {
			return v, err
		}
	}
	if policy.Hours != nil {
		at, ok, err := policy.Hours(c, now)
		if err != nil {
			return v, err
		}
		if !ok {
			at = now.Add(farHours)
		}
		if at.After(now) {
			v.keep(at, call.HeldQuietHours, urgent)
		}
	}
	if v.capped = !policy.Uncapped && !urgent; v.Passes() && g.counts(c) && len(g.Caps) > 0 && !policy.Uncapped {
		r, _, err := readCell[rings](ctx, g.Cells, g.capCell(c))
		if err != nil {
			return v, err
		}
		if at := r.free(g.Caps, rowOf(c.ID), now); at.After(now) {
			v.keep(at, call.HeldCap, urgent)
		}
	}
	if v.Passes() {
		err = g.judgeLimits(ctx, c, p, switches, now, &v)
	}
	return v, err
}

// farHours is when a call is looked at again whose hours allow no ring within sight.
const farHours = 24 * time.Hour

func (g *Gate) judgeList(ctx context.Context, c call.Call, v *verdict, passes bool) error {
	if !g.secret.Load() {
		if err := g.Names.CheckSecret(ctx, g.Cells); err != nil {
			return err
		}
		g.secret.Store(true)
	}
	e, listed, err := g.list.Check(ctx, c.Phone())
	switch {
	case err != nil || !listed:
		return err
	case passes:
		v.Over = append(v.Over, string(call.CodeDoNotCall))
	default:
		v.Refuse = e.refusal(c.Phone())
	}
	return nil
}

// judgeLimits asks the velocity limits and the concurrency limit, which nothing passes.
func (g *Gate) judgeLimits(ctx context.Context, c call.Call, p call.Profile, switches Switches, now time.Time, v *verdict) error {
	v.since = map[int]time.Time{}
	for i, limit := range g.Limits {
		one, counts := limit.one(c, p)
		if !counts {
			continue
		}
		if since := switches.resumed(one.target()); !since.After(now.Add(mostAhead)) { // else a clock that is wrong would end the limit until then
			v.since[i] = since
		}
		s, _, err := readCell[speed](ctx, g.Cells, g.velocityCell(one))
		if err != nil {
			return err
		}
		if until, full := s.full(one, rowOf(c.ID), one.weight(c, p), v.since[i], now); full {
			v.keep(until, call.HeldVelocity, false)
			v.reached = &one
			return nil
		}
	}
	if g.Slots <= 0 || !c.Key.Kind.NeedsNumber() {
		return nil
	}
	s, _, err := readCell[slots](ctx, g.Cells, slotsCell(regionOf(c, p)))
	if err == nil && s.full(g.Slots, rowOf(c.ID), now) {
		v.keep(now.Add(slotWait(now.Sub(c.AcceptedAt))), call.HeldConcurrency, false)
	}
	return err
}

// counts reports whether a ring of the call is one of a number.
func (g *Gate) counts(c call.Call) bool { return c.Destination != "" && c.Key.Kind.NeedsNumber() }

func (g *Gate) capCell(c call.Call) string { return g.Names.of("cap", digits(c.Destination)) }

func (g *Gate) velocityCell(v Velocity) string { return g.Names.of("velocity", v.id()) }

// regionOf returns the Region that the call is dialed in.
func regionOf(c call.Call, p call.Profile) string { return cmp.Or(c.Target.Region, p.Region) }

func slotsCell(region string) string { return "slots/" + region }
