package cli

import (
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// afterwards says what an event of the life after a ring means to an operator, and what a person did to a held call.
func afterwards(e call.Event) string {
	switch e.Kind { //nolint:exhaustive // the others are told by sentence
	case call.EventSeen:
		return seen(e)
	case call.EventReleased:
		return "released: it may ring now, whatever the hours, pauses and caps" + why(e.Reason)
	case call.EventFollowed:
		return followed(e)
	case call.EventEscalated:
		text := "the next recipient of the list is to be rung"
		if e.Turn != nil {
			text += " at " + e.Turn.Recipient.Phone().String()
		}
		return text + why(e.Reason)
	case call.EventTurnConfirmed:
		return "the call of the next recipient is in the ledger: call " + short(e.RowID)
	case call.EventJoined:
		return "its recipient is the next one on the list of call " + short(e.RowID)
	}
	return string(e.Kind)
}

// followWords says what was decided after the end of a ring.
var followWords = map[string]string{
	call.FollowedRecall: "it rings again", call.FollowedEscalation: "the next recipient is rung", call.FollowedNothing: "nothing more follows",
	call.FollowedStopped: "nothing more follows: it was acknowledged, confirmed or canceled",
}

// holdWords says what a call waits for that the gate keeps (docs/holding.md).
var holdWords = map[string]string{
	call.HeldPausedAll:      "every call is paused, until a person resumes them",
	call.HeldPausedProfile:  "its profile is paused, until a person resumes it",
	call.HeldPausedProducer: "its producer is paused, until a person resumes it",
	call.HeldPausedPrefix:   "numbers of its prefix are paused, until a person resumes them",
	call.HeldQuietHours:     "quiet hours where the recipient is",
	call.HeldCap:            "its number was rung as often as is allowed",
	call.HeldVelocity:       "so many calls of its prefix or producer were dialed that no more are for now",
	call.HeldConcurrency:    "as many contacts as are allowed at once",
	call.HeldGate:           "what may keep it cannot be asked, so it is not dialed",
}

func followed(e call.Event) string {
	words, known := followWords[e.Followup]
	if !known {
		words = e.Followup
	}
	return "decided: " + words + why(e.Reason)
}

// outcomeWords says what became of a contact. Answered is never confirmed: a voicemail answers too.
var outcomeWords = map[call.ContactOutcome]string{
	call.OutcomeUnknown:   "unknown: nothing tells, and nothing more will",
	call.OutcomeAnswered:  "answered, not confirmed: nobody is known to have listened",
	call.OutcomeConfirmed: "confirmed by a key press",
	call.OutcomeVoicemail: "voicemail",
	call.OutcomeNoAnswer:  "not answered",
	call.OutcomeBusy:      "busy",
	call.OutcomeInvalid:   "invalid number",
	call.OutcomeBlocked:   "blocked by the network or the far end",
	call.OutcomeEnded:     "ended by us",
}

// seen says what became known of a contact.
func seen(e call.Event) string {
	text := "nothing new is known of the contact"
	if e.Sight != nil {
		if parts := sights(*e.Sight); len(parts) > 0 {
			text = strings.Join(parts, "; ")
		}
	}
	if words, known := outcomeWords[e.Outcome]; known {
		text += "; outcome: " + words
	}
	return text
}

func sights(s call.Sight) (parts []string) {
	add := func(seen bool, words string) {
		if seen {
			parts = append(parts, words)
		}
	}
	add(!s.Initiated.IsZero() && s.Connected.IsZero() && s.Disconnected.IsZero() && s.CheckedIn.IsZero(), "the contact was initiated")
	add(!s.Connected.IsZero(), "answered: media was established")
	add(!s.CheckedIn.IsZero(), "the contact flow checked in")
	add(!s.Unwanted.IsZero(), "the contact flow was told that the call is not wanted any more")
	add(s.Machine.Text != "", "answering machine detection says "+s.Machine.Text)
	add(!s.Queued.IsZero(), "it is in a queue")
	add(!s.Agent.IsZero(), "an agent joined")
	add(s.Key.Text != "", "key "+s.Key.Text+" was pressed")
	add(!s.Confirmed.IsZero(), "confirmed")
	add(!s.Disconnected.IsZero(), "the contact is over"+because("", s.Reason.Text))
	return parts
}
