package call

import "time"

// decideLooks follows the evidence schedule of a settled row, in doubt or not. StepNothing means that it is done.
func decideLooks(c Call, now time.Time) Claim {
	due := nextLook(c, c.Looks)
	switch {
	case due.IsZero():
		return Claim{Step: StepNothing}
	case !now.After(due):
		return later(due.Add(1), "evidence")
	}
	return Claim{Step: StepLook}
}

// nextLook returns when the look number n of the schedule is due; zero when the schedule is done.
func nextLook(c Call, n int) time.Time {
	if n >= len(lookTimes) || len(c.Open) == 0 || !c.Key.Kind.searchable() {
		return time.Time{}
	}
	return c.SettledAt().Add(lookTimes[n])
}

// Looked returns the event of a look that found nothing. failed names why it could not see.
func Looked(c Call, now time.Time, failed Code) Event {
	event := Event{Kind: EventLooked, At: now, From: "search", Code: failed, Due: now, Reason: "evidence"}
	if due := nextLook(c, c.Looks+1); due.After(now) {
		event.Due = due.Add(1)
	}
	if c.State == InDoubt && nextLook(c, c.Looks+1).IsZero() {
		event.Due, event.Reason = time.Time{}, ""
	}
	return event
}
