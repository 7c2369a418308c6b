package call

import "context"

// permitted asks whether a number may be rung for a producer under the configuration of now. It is asked before each dial, so that a range that
// is denied today is not rung by a call that was accepted yesterday.
func (e *Engine) permitted(ctx context.Context, number, producer string) error {
	if e.Permit == nil || number == "" {
		return nil
	}
	err := e.Permit(Phone{e164: number}, producer)
	if err != nil && e.Denied != nil {
		e.Denied(ctx, Phone{e164: number}, producer)
	}
	return err
}

// denied ends a call whose number may not be rung any more. While the answer of an attempt is open nothing is sent either: evidence
// decides, or the call becomes in doubt when the send rule ends.
func (e *Engine) denied(ctx context.Context, c Call, err error) (Call, bool, error) {
	refusal, ok := errorAs(err)
	if !ok || c.State != Received || len(c.Open) > 0 {
		now := e.Clock.Now()
		if c.DueReason == whyDenied && now.Before(c.Due) {
			return c, false, nil
		}
		if found, _, _ := e.search(ctx, c, LookIfCheap); len(found) > 0 {
			row, err := e.mergeContacts(ctx, c, found, "search")
			return row, false, err
		}
		now = e.Clock.Now()
		return e.holdUntil(ctx, c, c.parkUntil(now, leastDenied), whyDenied, now)
	}
	row, _, err := e.decide(ctx, c, end(EventFailed, refusal.Code, e.Clock.Now(), refusal.Message).Event)
	return row, err == nil && !row.State.Final(), err
}
