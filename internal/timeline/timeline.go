// Package timeline says what a call's history means to a person: one sentence for each event, the attempts, the reasons. The command line and the
// HTTP API tell the same.
package timeline

import (
	"cmp"
	"fmt"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Line is one line of a call's timeline.
type Line struct {
	At      time.Time      `json:"at"`
	AfterMS int64          `json:"afterMs"` // since the line before; 0 for the first
	Kind    call.EventKind `json:"kind"`
	What    string         `json:"what"` // a sentence for an operator
	Actor   string         `json:"actor,omitempty"`

	After time.Duration `json:"-"` // as AfterMS, unrounded
}

// Of tells the history of a row, line by line. A dial is told with what it carries, as far as the row holds its bytes.
func Of(row call.Call, events []call.Event) []Line {
	lines := make([]Line, 0, len(events))
	dials := 0
	var before time.Time
	var rang ringing
	for _, event := range events {
		if event.Attempt != nil && !event.Attempt.Phantom {
			dials++
		}
		line := Line{At: event.At, Kind: event.Kind, What: sentence(event, dials), Actor: event.Actor}
		if event.Pin != "" && event.Pin == row.PinHash && event.Attempt != nil {
			if w, ok := WireOf(row, false); ok {
				line.What += w.words()
			}
		}
		if rang = rang.see(event); event.Kind == call.EventCancelRequested && event.Hits && !rang.began.IsZero() {
			line.What = cameTooLate(event, rang)
		}
		if !before.IsZero() {
			line.After = event.At.Sub(before)
			line.AfterMS = line.After.Milliseconds()
		}
		before = event.At
		lines = append(lines, line)
	}
	return lines
}

// sentence says what an event means to an operator; dials counts the wire requests so far.
func sentence(e call.Event, dials int) string {
	switch e.Kind {
	case call.EventAccepted:
		return accepted(e)
	case call.EventTombstone:
		return tombstoned(e)
	case call.EventBodyAttached:
		return "the first request for the withdrawn key arrived" + from(e.Delivery) + "; it is kept and not dialed"
	case call.EventIntent:
		return "dial " + strconv.Itoa(dials) + " is recorded and about to be sent" + Why(e.Reason)
	case call.EventHeld:
		return "waits until " + Stamp(e.Due) + Why(e.Reason)
	case call.EventResult:
		return answered(e)
	case call.EventContact:
		return "contact " + e.ContactID + " is known" + map[string]string{
			"answer": " from an answer", "event": " from a contact event", "search": " from a search", "person": " from a person, confirmed by Amazon Connect",
			"check-in": " from its flow: somebody picked up",
		}[e.From] + Because("", cmp.Or(seenWords(e), e.Message))
	case call.EventLooked:
		return looked(e)
	case call.EventSeen, call.EventReleased:
		return afterwards(e)
	case call.EventCancelRequested:
		return withdrawn(e)
	case call.EventCanceled:
		return "canceled" + Because("", e.Message)
	case call.EventExpired:
		return "expired" + Because(e.Code, e.Message)
	case call.EventFailed:
		return "failed" + Because(e.Code, e.Message)
	case call.EventDoubted:
		return "in doubt" + Because(e.Code, e.Message)
	case call.EventSuperseded:
		return "the next ring takes over" + Why(e.Reason)
	case call.EventRingOpened:
		return ringOpened(e)
	case call.EventRingConfirmed:
		return "ring " + strconv.Itoa(e.Ring) + " is in the ledger"
	case call.EventFollowed, call.EventEscalated, call.EventTurnConfirmed, call.EventJoined:
		return followedUp(e)
	case call.EventTainted:
		return "the ledger was restored: a dial may have been forgotten, so one counts as open since " + Stamp(e.Signed)
	case call.EventForgetting:
		return "the recipient is being forgotten: no further ring is opened" + Why(e.Reason)
	case call.EventForgotten:
		return forgot(e)
	case call.EventNoted:
		return "note: " + e.Reason
	}
	return string(e.Kind)
}

func accepted(e call.Event) string {
	text := "accepted" + from(e.Delivery)
	if e.Opening != nil && e.Opening.Ring > 0 {
		text = fmt.Sprintf("ring %d accepted (%s)", e.Opening.Ring, e.Opening.Cause)
		if e.Reason != "" && e.Code == "" {
			text += ": " + e.Reason
		}
		if e.Due.After(e.At) {
			text += "; waits until " + Stamp(e.Due)
		}
	} else if e.Opening != nil && e.Opening.Cause == call.CauseEscalation {
		text = "made by the escalation list of call " + Short(e.Opening.EscalatedFrom)
	}
	switch {
	case e.Code != "":
		text += "; expired" + Because(e.Code, e.Message)
	case e.Attempt != nil && e.Attempt.Phantom:
		text += "; the restored ledger may have forgotten a dial of it"
	case e.Attempt != nil:
		text += "; dial 1 is recorded and about to be sent"
		if e.Opening != nil && e.Opening.Ring == 0 {
			text += Why(e.Reason)
		}
	case e.Opening != nil && e.Opening.Ring == 0 && e.Reason != "":
		text += "; waits until " + Stamp(e.Due) + Why(e.Reason)
	}
	return text
}

func answered(e call.Event) string {
	a := Attempt{Outcome: e.Class, Code: e.Code, Message: e.Message, ContactID: e.ContactID}
	text := "answered"
	if e.Class == call.ClassAmbiguous {
		text = "given up"
	}
	if e.Took > 0 {
		text += " after " + Lasted(e.Took)
	}
	text += ": " + a.Words()
	if e.Due.After(e.At) {
		text += "; next step at " + Stamp(e.Due)
	}
	return text
}

func looked(e call.Event) string {
	text := "looked for the contact and found none, which proves nothing"
	if e.Code != "" {
		text = "could not look for the contact (" + string(e.Code) + ")"
	}
	if e.Due.IsZero() {
		return text + "; no further look is planned"
	}
	return text + "; next step at " + Stamp(e.Due)
}

func ringOpened(e call.Event) string {
	if e.Next == nil {
		return "the next ring is claimed"
	}
	text := fmt.Sprintf("ring %d is claimed (%s)", e.Next.Ring, e.Next.Cause)
	if e.Next.Reason != "" && e.Next.Reason != string(e.Next.Cause) {
		text += ": " + e.Next.Reason
	}
	if at := e.Next.NotBefore; !at.IsZero() {
		text += "; not before " + Stamp(at)
	}
	return text + from(e.Delivery)
}

func forgot(e call.Event) string {
	return "the recipient was forgotten: everything from before is erased, and this call never rings again: " + e.Reason
}

// from names the delivery that caused an event.
func from(d *call.Arrival) string {
	if d == nil {
		return ""
	}
	return " from " + Arrival(d)
}

// Arrival names a delivery: transport, id, how often it was received, the replay that brought it, and its trace.
func Arrival(d *call.Arrival) string {
	text := string(d.Source)
	if d.ID != "" {
		text += " " + d.ID
	}
	if d.Origin != "" && d.Origin != d.ID {
		text += " (origin " + d.Origin + ")"
	}
	if d.ReceiveCount > 1 {
		text += fmt.Sprintf(", delivery %d", d.ReceiveCount)
	}
	if d.Replay != "" {
		text += ", replay " + d.Replay
	}
	if d.Trace != "" {
		text += ", trace " + d.Trace
	}
	return text
}

// reasons says what a hold or a step waits for.
var reasons = map[string]string{
	"answer_pending": "the answer is awaited until the lease ends", "answer_lost": "the answer was lost", "throttled": "Amazon Connect throttles",
	"not_sent": "the last dial was not sent", "setup": "the setup was refused and needs a person", "pacing": "the rate limit", "paused": "the profile is paused",
	"setup_pause": "the setup of its profile was refused and needs a person", "destination_denied": "its number may not be rung",
	"deadline": "the invocation had too little time left", "evidence": "evidence is looked for", "recovered": "the ledger was restored",
	"if-cheap": "the answer was lost; a look for the contact, as far as the search quota allowed, found none", "required": "a search found no contact",
	"outcome": "Amazon Connect is asked what became of the contact", "follow": "what comes after the call is to be decided", "recall_wait": "the wait of a re-call rule",
	call.HeldPausedAll: "everything is paused", call.HeldPausedProfile: "its profile is paused", call.HeldPausedProducer: "its producer is paused",
	call.HeldPausedPrefix: "numbers that begin like its own are paused", call.HeldQuietHours: "no ring at this time where the recipient is",
	call.HeldCap: "the number was rung often enough", call.HeldVelocity: "so many calls were dialed that these wait",
	call.HeldConcurrency: "as many contacts as are allowed last already", call.HeldGate: "what may keep it from ringing could not be checked",
	"search_pacing": "the rate of searches", "clock_behind": "this clock is behind the first dial", "breach": "a step would break an invariant; the log says which",
	"released": "a person released it", "accepted": "its first dial",
	"superseded": "the next ring takes over", "token-age": "the token is too old to be trusted", "repin": "the configuration changed the request",
}

// Why appends what a hold or a step waits for, in words.
func Why(reason string) string {
	if words, known := reasons[reason]; known {
		reason = words
	} else if words, known := holdWords[reason]; known {
		reason = words
	}
	if reason == "" {
		return ""
	}
	return ": " + reason
}
