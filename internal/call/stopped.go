package call

import (
	"context"
	"errors"
	"time"
)

// The words for why nothing rings any more.
const (
	stopConfirmed    = "confirmed"
	stopAcknowledged = "acknowledged"
	stopCanceled     = "canceled"
)

// stop is what keeps further rings of a request from being dialed: the time of the cancel, and whether somebody knows.
type stop struct {
	at   time.Time
	acks bool
	why  string // empty when nothing does
}

// confirmed reports whether somebody pressed the key that says so.
func (c Call) confirmed() bool {
	return c.Outcome == OutcomeConfirmed || (c.Sight != nil && !c.Sight.Confirmed.IsZero())
}

// hits reports whether a cancel of the given time is meant for the row; a zero time is none.
func (c Call) hits(at time.Time) bool {
	return !at.IsZero() && CancelHits(c.RequestedAt, c.Tier, c.Cause, at)
}

// withdrawnAlone reports whether the producer of a call of its own withdrew it, before it rang or too late. A list that named its recipient as well
// was withdrawn by nobody and goes on; the call itself rings no more.
func withdrawnAlone(first, ended Call) bool {
	unwanted := ended.Sight != nil && !ended.Sight.Unwanted.IsZero()
	withdrawn := ended.State == Canceled || !ended.CancelRequested.IsZero() || !ended.TooLate.IsZero() || unwanted ||
		!first.CanceledBefore.IsZero() && CancelHits(ended.RequestedAt, ended.Tier, CauseRule, first.CanceledBefore)
	return withdrawn && first.Joined && first.Acknowledged.IsZero()
}

// stopped says why nothing comes after the end of a ring of a key: confirmed, acknowledged, canceled; empty when something may.
func (e *Engine) stopped(ctx context.Context, first, ended Call) (string, error) {
	// A further ring is none of an operator's, also after one: it may not ring after a cancel of the same instant.
	hits := func(at time.Time) bool {
		return !at.IsZero() && CancelHits(ended.RequestedAt, ended.Tier, CauseRule, at)
	}
	switch {
	case ended.confirmed():
		return stopConfirmed, nil
	case hits(first.Acknowledged):
		return stopAcknowledged, nil
	case withdrawnAlone(first, ended):
	case hits(first.CanceledBefore), !ended.CancelRequested.IsZero(), !ended.TooLate.IsZero(), ended.State == Canceled:
		return stopCanceled, nil
	case ended.Sight != nil && !ended.Sight.Unwanted.IsZero():
		return stopCanceled, nil
	}
	s, err := e.stoppedAbove(ctx, first, ended)
	return s.why, err
}

// stoppedAbove looks for what stops a list at the keys that it came from. A cancel of one of them withdraws the calls that its list made; a call
// that its own producer asked for is stopped by an acknowledgment alone.
func (e *Engine) stoppedAbove(ctx context.Context, first, c Call) (stop, error) {
	from := first.EscalatedFrom
	for range MaxEscalation + 1 {
		if from == "" {
			break
		}
		head, err := e.Ledger.Get(ctx, from)
		switch {
		case errors.Is(err, ErrNotFound):
			return stop{}, nil
		case err != nil:
			return stop{}, err
		}
		s, err := e.confirmedFor(ctx, head, c, head.LastRing)
		switch {
		case err != nil || s.why != "":
			return s, err
		case c.hits(head.Acknowledged):
			return stop{at: head.Acknowledged, acks: true, why: stopAcknowledged}, nil
		case first.Cause == CauseEscalation && !head.Joined && c.hits(head.CanceledBefore):
			return stop{at: head.CanceledBefore, why: stopCanceled}, nil
		}
		from = head.EscalatedFrom
	}
	return stop{}, nil
}

// confirmedFor looks for a confirmation of the request that c is dialed for, in the rings of a key from the given one down. It is there before the
// key knows that it is acknowledged, and stays alone when whoever wrote it died.
func (e *Engine) confirmedFor(ctx context.Context, first, c Call, from int) (stop, error) {
	for n := from; n >= 0 && !first.IsForgotten(); n-- {
		ring := first
		if n > 0 {
			var err error
			switch ring, err = e.Ledger.Get(ctx, e.Naming.Row(first.Key, n)); {
			case errors.Is(err, ErrNotFound): // claimed, and not made yet
				continue
			case err != nil:
				return stop{}, err
			}
		}
		switch {
		case ring.RequestedAt.After(c.RequestedAt): // of a later request
			continue
		case ring.RequestedAt.Before(c.RequestedAt):
			return stop{}, nil
		case ring.confirmed():
			return stop{at: latest(c.RequestedAt, ring.Sight.confirmedAt()), acks: true, why: stopConfirmed}, nil
		case ring.Recalls == 0: // it began the request
			return stop{}, nil
		}
	}
	return stop{}, nil
}

func (s *Sight) confirmedAt() time.Time {
	if s == nil {
		return time.Time{}
	}
	return s.Confirmed
}

// withdrawnMeanwhile looks, right before a dial, for what only other rows know yet: a cancel that reached the first row of the key and died on
// its way to this ring, an acknowledgment further up an escalation list, or a confirmation of the ring before that was heard of late. It then
// brings it here, and nothing is dialed. An error says that nobody could look, and then nothing is dialed either.
func (e *Engine) withdrawnMeanwhile(ctx context.Context, c Call) (Call, bool, error) {
	if c.Ring == 0 && c.EscalatedFrom == "" {
		return c, false, nil
	}
	s, err := e.stopOf(ctx, c)
	if err != nil || s.why == "" {
		return c, false, err
	}
	w := withdrawal{at: s.at, acks: s.acks, now: e.Clock.Now()}
	row, err := e.merge(ctx, c, "", func(c Call) (Event, bool) {
		event, _ := w.event(c)
		event.Hits, event.Reason = true, "before dial: "+s.why
		return event, !c.State.Final() && c.CancelRequested.IsZero()
	})
	return row, true, err
}

func (e *Engine) stopOf(ctx context.Context, c Call) (stop, error) {
	first := c
	if c.Ring > 0 {
		var err error
		if first, err = e.Ledger.Get(ctx, e.firstRow(c)); err != nil {
			return stop{}, err
		}
		switch {
		case c.hits(first.CanceledBefore) && c.hits(first.Acknowledged):
			return stop{at: first.Acknowledged, acks: true, why: stopAcknowledged}, nil
		case c.hits(first.CanceledBefore):
			return stop{at: first.CanceledBefore, why: stopCanceled}, nil
		}
	}
	if c.Recalls > 0 {
		if s, err := e.confirmedFor(ctx, first, c, c.Ring-1); err != nil || s.why != "" {
			return s, err
		}
	}
	return e.stoppedAbove(ctx, first, c)
}
