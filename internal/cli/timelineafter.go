package cli

import (
	"github.com/ringonce/ringonce/internal/call"
)

// afterwards says what an event of the life after a ring means to an operator, and what a person did to a held call.
func afterwards(e call.Event) string {
	switch e.Kind { //nolint:exhaustive // the others are told by sentence
	case call.EventSeen:
		return saw(e)
	case call.EventReleased:
		return "released: it may ring now, whatever the hours, the caps and a pause of its profile" + why(e.Reason)
	}
	return string(e.Kind)
}

// followWords says what was decided after the end of a ring.
var followWords = map[string]string{
	call.FollowedRecall: "it rings again", call.FollowedEscalation: "the next recipient is rung", call.FollowedNothing: "nothing more follows",
	call.FollowedStopped: "nothing more follows: it was acknowledged, confirmed or canceled",
}
