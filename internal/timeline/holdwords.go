package timeline

import "github.com/ringonce/ringonce/internal/call"

// holdWords says what a call waits for that the gate keeps (docs/holding.md).
var holdWords = map[string]string{
	call.HeldPausedAll:      "every call is paused, until a person resumes them",
	call.HeldPausedProfile:  "its profile is paused, until a person resumes it",
	call.HeldPausedProducer: "its producer is paused, until a person resumes it",
	call.HeldPausedPrefix:   "numbers of its prefix are paused, until a person resumes them",
	call.HeldQuietHours:     "quiet hours where the recipient is",
	call.HeldCap:            "its number was rung as often as is allowed",
	call.HeldVelocity:       "so many calls of its prefix, producer or caller id were dialed that no more are for now",
	call.HeldConcurrency:    "as many contacts as are allowed at once",
	call.HeldGate:           "what may keep it cannot be asked, so it is not dialed",
}
