package cli

import (
	"github.com/ringonce/ringonce/internal/call"
)

// followWords says what was decided after the end of a ring.
var followWords = map[string]string{
	call.FollowedRecall: "it rings again", call.FollowedEscalation: "the next recipient is rung", call.FollowedNothing: "nothing more follows",
	call.FollowedStopped: "nothing more follows: it was acknowledged, confirmed or canceled",
}
