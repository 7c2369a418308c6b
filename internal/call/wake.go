package call

import (
	"context"
	"errors"
	"sync"
	"time"
)

// whyAnswerPending is the reason of the due that every dial writes, and that nearly none of them needs.
const whyAnswerPending = "answer_pending"

// wakeRest is how long no hint is given after one that failed, so that a service that hangs delays one delivery and not each.
const wakeRest = 30 * time.Second

// waitsUntil returns when the row has to be looked at again and a hint is worth its cost: after a hold, a closed attempt, a lost answer,
// before a look for evidence or a next ring. It is zero for the end of a lease, which matters only if a process dies in the middle of a dial,
// for a parked call, which waits for no time, and for a look at a contact, which nobody waits for: those the sweep finds.
func (c Call) waitsUntil() time.Time {
	if !c.hintable() {
		c.Due = time.Time{}
	}
	return c.DueAt()
}

func (c Call) hintable() bool {
	return c.DueReason != whyAnswerPending && c.DueReason != whyOutcome && !parks(c.DueReason)
}

// waitsFor reports whether the row waits until due, for itself or for a next ring.
func (c Call) waitsFor(due time.Time) bool {
	return (c.hintable() && c.Due.Equal(due)) || (c.Next != nil && c.Next.Due.Equal(due))
}

// hintWith returns the due that a write of this event is worth a hint for, in the transaction of the write: one that the row gets newly, or the start
// of a call that is accepted and not dialed. For the latter nobody asks afterwards: whoever accepted it goes on, and only his death leaves the row
// to the hint.
func (c Call) hintWith(event Event, next Call) time.Time {
	due := next.waitsUntil()
	switch {
	case due.IsZero() || c.waitsFor(due):
		return time.Time{}
	case due.After(event.At), event.Kind == EventAccepted && event.Attempt == nil && next.State == Received:
		return due
	}
	return time.Time{}
}

// hint asks to be woken for the due that a durable write has given to a row. before is the row that the write was made from, written has the row as it
// is in the ledger: it may have moved on since, and then whoever moved its due gives the hint for the new one. What is due already needs no
// hint: the act that wrote it goes on, and otherwise the sweep does. A hint that the write carried reaches a way of hints and not the sweeper of this
// process, which therefore hears of every wait.
func (e *Engine) hint(ctx context.Context, before Call, event Event, written Written) {
	now := written.Row
	if e.Waker == nil && e.Waits == nil {
		return
	}
	due := before.Apply(event).waitsUntil()
	if !due.After(e.Clock.Now()) || before.waitsFor(due) || !now.waitsFor(due) {
		return
	}
	if e.Waits != nil {
		e.Waits(due)
	}
	if e.Waker != nil && !written.Hinted {
		e.askToWake(ctx, now, due)
	}
}

func (e *Engine) askToWake(ctx context.Context, c Call, due time.Time) {
	told := Decided{What: "wake-failed", RowID: c.ID, Ring: c.Ring, State: c.State}
	err := ctx.Err()
	switch {
	case err != nil:
		told.What, told.Reason = "wake-skipped", err.Error()
	case e.wakes.resting(e.Clock.Now()):
		told.What, told.Reason = "wake-skipped", "the last hint failed"
	default:
		if err = e.Waker.Wake(ctx, c.ID, due); err == nil {
			e.wakes.worked()
			return
		}
		told.Reason, told.Alarm = err.Error(), e.wakes.failed(e.Clock.Now())
	}
	e.Observer.Decided(ctx, told)
}

// wakeHealth remembers whether hints reach anybody.
type wakeHealth struct {
	mu    sync.Mutex
	since time.Time // of the first failure in a row; zero while hints work
	last  time.Time
}

func (h *wakeHealth) resting(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return !h.since.IsZero() && now.Sub(h.last).Abs() < wakeRest // a clock that was set back must not silence the hints
}

func (h *wakeHealth) worked() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.since = time.Time{}
}

// failed reports whether hints have failed for so long that somebody must look.
func (h *wakeHealth) failed(now time.Time) (persistent bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last = now
	if h.since.IsZero() || now.Before(h.since) {
		h.since = now
	}
	return now.Sub(h.since) >= HeartbeatTime
}

// Woke is what a hint met.
type Woke string

// What a hint can meet.
const (
	WokeMoved   Woke = "woken"        // the row was due and was moved on
	WokeIdle    Woke = "wake-idle"    // nothing is due in the row any more, or it could not move
	WokeEarly   Woke = "wake-early"   // the row is not due yet
	WokeUnknown Woke = "wake-unknown" // no row has the id
)

// Woken answers a hint that the row is due: it does for this row what a sweep does, and nothing that a sweep would not do. The hint is
// trusted for nothing. Whether the row is due is read from the row, so a hint that is early, late, doubled or forged costs a read.
//
// A hint that comes before the row's own due is given again if it is the hint for that due: the way that it took is shorter than the wait,
// or two clocks disagree. Otherwise the due has moved since, and who moved it gave a hint of its own. An error is one of the ledger.
func (e *Engine) Woken(ctx context.Context, id string, due time.Time) (Woke, error) {
	c, err := e.Ledger.Get(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return WokeUnknown, nil
	case err != nil:
		return WokeIdle, err
	}
	at := c.DueAt()
	switch {
	case at.IsZero():
		return WokeIdle, nil
	case e.Clock.Now().Before(at):
		if e.Waker != nil && due.After(e.Clock.Now()) && c.waitsFor(due) {
			e.askToWake(ctx, c, due)
		}
		return WokeEarly, nil
	}
	moved, err := e.sweepRow(ctx, c)
	if err != nil || !moved {
		return WokeIdle, err
	}
	return WokeMoved, nil
}
