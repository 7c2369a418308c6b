package call

import "time"

// The waits after an attempt that was closed and may be repeated. Each doubles from first to cap with the attempts in a row.
type backoff struct{ first, limit time.Duration }

var (
	waitRate     = backoff{time.Second, time.Minute}          // throttled by rate: seconds
	waitCapacity = backoff{30 * time.Second, 5 * time.Minute} // throttled by concurrency: until calls end
	waitNotSent  = backoff{time.Second, 5 * time.Minute}
	waitSetup    = backoff{time.Minute, 15 * time.Minute} // only a person repairs it
	waitResend   = backoff{2 * time.Second, 10 * time.Minute}
)

// longestWish is the longest wait that a service's wish is followed for: a broken header must not lose a call.
const longestWish = time.Hour

// after returns the wait after n earlier tries, stretched by spread in [0, 1) by up to a quarter so that workers part.
func (b backoff) after(n int, spread float64) time.Duration {
	wait := b.first
	for range n {
		if wait *= 2; wait >= b.limit {
			wait = b.limit
			break
		}
	}
	return wait + time.Duration(float64(wait)/4*spread)
}

// blamesSetup reports whether every other call of the profile would fare alike until a person repairs something.
func blamesSetup(class Class, code Code) bool {
	return class == ClassRefusedSetup || code == CodeNoCredentials
}

// acceptsSetup reports whether Amazon Connect took the setup that it was sent with, whatever it said to the request.
func acceptsSetup(class Class) bool {
	return class == ClassOK || class == ClassThrottled || class == ClassRefusedRequest
}

// Result returns the fact that an attempt was answered, with the due time of what follows. spread is a random number in [0, 1).
func Result(c Call, attemptID string, a Answer, p Profile, now time.Time, spread float64) Event {
	a = a.sound()
	event := Event{
		Kind: EventResult, At: now, AttemptID: attemptID, Class: a.Class, Took: a.Took,
		Code: a.Code, Message: a.Message, ContactID: a.ContactID,
	}
	switch a.Class {
	case ClassAmbiguous:
		event.Due, event.Reason = dueAmbiguous(c, p, now, spread), "answer_lost"
	case ClassThrottled:
		wait := waitRate
		if a.Capacity {
			wait = waitCapacity
		}
		event.Due, event.Reason = now.Add(max(min(a.RetryAfter, longestWish), wait.after(c.Retries, spread))), "throttled"
	case ClassNotSent:
		event.Due, event.Reason = now.Add(waitNotSent.after(c.Retries, spread)), "not_sent"
	case ClassRefusedSetup:
		event.Due, event.Reason = now.Add(waitSetup.after(c.Retries, spread)), "setup"
	case ClassRefusedRequest: // with an earlier attempt open: evidence decides, once that one is settled
		event.Due, event.Reason = c.SettledAt().Add(1), "settling"
	case ClassOpen, ClassOK:
	}
	return event
}

// sound returns the answer with a class that proves what it says: an unknown class, or an acceptance without a contact id, is
// ambiguous.
func (a Answer) sound() Answer {
	if (a.Class == ClassOK && a.ContactID == "") || (a.Class != ClassOK && !a.Class.Definite()) {
		a.Class, a.ContactID = ClassAmbiguous, ""
	}
	return a
}

func dueAmbiguous(c Call, p Profile, now time.Time, spread float64) time.Time {
	switch p.Resend {
	case ResendEvidence:
		if p.outlasts() || !c.Key.Kind.searchable() {
			return c.SettledAt().Add(1)
		}
		return c.SettledAt().Add(p.LongestCall)
	case ResendNever:
		return c.SettledAt().Add(1)
	case ResendToken:
	}
	if c.AttemptCount <= 1 {
		return now
	}
	return now.Add(waitResend.after(c.AttemptCount-2, spread))
}
