package timeline

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// ringing is what a timeline has told of a contact so far.
type ringing struct {
	began time.Time
	sight call.Sight
}

func (r ringing) see(e call.Event) ringing {
	if r.began.IsZero() && ((e.Kind == call.EventResult && e.Class == call.ClassOK) || e.Kind == call.EventContact) {
		r.began = e.At
		if !e.Initiated.IsZero() {
			r.began = e.Initiated
		}
	}
	if e.Sight != nil {
		r.sight = r.sight.Merge(*e.Sight)
	}
	return r
}

// lasted returns how long the phone had rung at an instant: until it was answered or the contact ended, as far as that is known.
func (r ringing) lasted(at time.Time) time.Duration {
	began := r.began
	if !r.sight.Initiated.IsZero() {
		began = r.sight.Initiated
	}
	for _, end := range []time.Time{r.sight.Connected, r.sight.Disconnected} {
		if !end.IsZero() && end.Before(at) {
			at = end
		}
	}
	return max(at.Sub(began), 0).Round(time.Second)
}

// cameTooLate says that a withdrawal came after the ring.
func cameTooLate(e call.Event, r ringing) string {
	what := "canceled"
	if e.Acknowledges {
		what = "acknowledged"
	}
	return what + " too late, rang " + Lasted(r.lasted(e.At)) + from(e.Delivery)
}

func withdrawn(e call.Event) string {
	what := "a cancel"
	if e.Acknowledges {
		what = "an acknowledgment"
	}
	switch {
	case e.From == "person":
		return "dropped by a person" + Why(e.Reason)
	case e.Acknowledges && e.From == "check-in":
		return "the recipient confirmed by a key press: no further ring is needed"
	case !e.Hits:
		return what + " arrived that does not mean this ring" + from(e.Delivery)
	case e.Reason != "": // found right before the dial
		return what + " was known " + e.Reason
	}
	return what + " arrived for this ring" + from(e.Delivery)
}

func tombstoned(e call.Event) string {
	switch {
	case e.Opening != nil && (e.Opening.Ring > 0 || e.Opening.Cause == call.CauseEscalation):
		return "withdrawn before its turn" + Because(e.Code, e.Message)
	case e.Acknowledges:
		return "acknowledged before any request arrived" + from(e.Delivery)
	}
	return "withdrawn before any request arrived" + from(e.Delivery)
}

// followedUp says what was decided after the end of a ring.
func followedUp(e call.Event) string {
	switch e.Kind { //nolint:exhaustive // the others are about a ring
	case call.EventEscalated:
		return "nobody confirmed, so the next of the escalation list is rung" + Why(e.Reason)
	case call.EventTurnConfirmed:
		if e.RowID == "" {
			return "the escalation list passes over a recipient" + Why(e.Reason)
		}
		return "the next of the escalation list has call " + Short(e.RowID)
	case call.EventJoined:
		return "the escalation list of call " + Short(e.RowID) + " goes on with this call"
	}
	words := map[string]string{
		call.FollowedRecall: "it is rung again by rule", call.FollowedEscalation: "the escalation list goes on", call.FollowedNothing: "nothing follows",
		call.FollowedStopped: "no further ring",
	}
	return words[e.Followup] + Why(e.Reason)
}
