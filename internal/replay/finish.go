package replay

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Patience is how long [Plan.Finish] goes on without any call becoming final, and how far ahead it waits for one.
const Patience = 10 * time.Minute

// A wait is at least a second long, so that a call which is due and does not move is not asked for without a pause, and at most as long as
// the source can be left alone, which must keep its records from others.
const (
	shortestNap = time.Second
	longestNap  = 30 * time.Second
)

// Waiting returns the records that rang by the plan, whose calls are accepted and not final, and which only a further delivery moves on: their
// source was told to deliver them again, because no sweeper runs. Those of a FIFO queue are left to it, in their order.
func (p *Plan) Waiting() []*Entry {
	var waiting []*Entry
	for _, e := range p.Entries {
		unfinished := e.Outcome.Met == call.MetReceived || e.Outcome.Met == call.MetDialing
		if e.Done && !e.Gone && e.confirmed() && unfinished && e.Outcome.Ack == call.AckRetry && !e.Document.FIFO {
			waiting = append(waiting, e)
		}
	}
	return waiting
}

// Finish delivers the waiting records again when their calls are due, until all of them are final, ctx ends, or nothing moves any more.
func (p *Plan) Finish(ctx context.Context, clock call.Clock, placer Placer, source Source) {
	whole := context.WithoutCancel(ctx)
	moved, before := clock.Now(), len(p.Entries)+1
	for ctx.Err() == nil {
		waiting := p.Waiting()
		if len(waiting) < before {
			moved, before = clock.Now(), len(waiting)
		}
		wait, ok := next(waiting, clock.Now())
		if !ok || wait > Patience || clock.Now().Sub(moved) > Patience {
			return
		}
		if clock.Sleep(ctx, min(max(wait, shortestNap), longestNap)) != nil {
			return
		}
		for _, e := range waiting {
			switch {
			case ctx.Err() != nil:
				return
			case source != nil && !source.Holds(whole, e):
				e.Gone = true
			case !e.Outcome.Call.Due.After(clock.Now()):
				first := e.Outcome
				p.take(whole, e, nil, placer, source)
				// This delivery made the call; that it was answered from the ledger afterwards is nobody's news.
				e.Outcome.Replayed, e.Outcome.Suppressed, e.Outcome.By = first.Replayed, first.Suppressed, first.By
			}
		}
	}
}

// next returns how long it takes until the first call is due.
func next(waiting []*Entry, now time.Time) (wait time.Duration, ok bool) {
	for i, e := range waiting {
		if d := max(e.Outcome.Call.Due.Sub(now), 0); i == 0 || d < wait {
			wait = d
		}
	}
	return wait, len(waiting) > 0
}
