package main

import (
	"fmt"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// diagram is drawn by hand; a test sees that it names every state.
const diagram = "```text" + `
          accept (durable)                 intent: attempt open, bytes and first signature stored, lease
 (none) ------------------> received ------------------------------------------> dialing --+
   |                         |    ^                                               |  ^     | resend: a further attempt,
   | key exists,             |    |  every attempt closed, may be repeated        |  +-----+ only by the send rule
   | other fingerprint       |    +-----------------------------------------------+
   v                         |                                                    |
 conflict                    +-- after notAfter, none open ----> expired          +-- contact id (answer, evidence) --> placed
 (row untouched)             +-- cancel, none open ------------> canceled         +-- refused for good, none open ----> failed
                             +-- attempts exhausted -----------> failed           +-- canceled, none open ------------> canceled
                             +-- token too old, or new bytes --> failed, and      +-- resend never permitted again ---> in_doubt
                                 the next ring number goes on

 in_doubt -- contact id: late answer, event, search, the flow's check-in, a person --> placed
 in_doubt -- the last open attempt gets a definite refusal ----------------------> failed
 placed   -- contact events ----------------------------------------------------> the outcome; the state stays
` + "```\n"

const stateText = `
A **final** state changes only by a fact, as drawn. A failed, expired or canceled call that is shown a contact id is a breach: it is
recorded as an anomaly and paged, never hidden.

## States

| state | final | open attempts | meaning |
|---|---|---|---|
`

const eventText = `
## Events

A row changes only by an event, one ledger write each, so a row is the fold of its history. A **decision** that loses its compare is
dropped and decided again; a **fact** that loses it is read and merged again until it is in.

| event | |
|---|---|
`

// attempts says how many attempts a call in a state can have open.
func attempts(s call.State) string {
	switch s {
	case call.Received, call.Failed, call.Expired, call.Canceled:
		return "none"
	case call.Dialing, call.InDoubt:
		return "one or more"
	case call.Placed:
		return "any: their answers are merged when they come"
	}
	return ""
}

func nature(k call.EventKind) string {
	switch k {
	case call.EventBodyAttached, call.EventResult, call.EventContact, call.EventLooked, call.EventCancelRequested, call.EventNoted,
		call.EventSeen, call.EventJoined:
		return "fact"
	case call.EventAccepted, call.EventTombstone, call.EventIntent, call.EventHeld, call.EventCanceled, call.EventExpired,
		call.EventFailed, call.EventDoubted, call.EventSuperseded, call.EventRingOpened, call.EventRingConfirmed, call.EventTainted, call.EventForgetting, call.EventForgotten,
		call.EventReleased, call.EventFollowed, call.EventEscalated, call.EventTurnConfirmed:
		return "decision"
	}
	return ""
}

// stateMachine writes the states, their diagram and the events.
func stateMachine() string {
	var b strings.Builder
	b.WriteString(header("The states of a call", "internal/call/state.go and tools/gendocs/statemachine.go"))
	b.WriteString(diagram)
	b.WriteString(stateText)
	for _, s := range call.States() {
		final := "no"
		if s.Final() {
			final = "yes"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s, final, attempts(s), s.Sentence())
	}
	b.WriteString(eventText)
	for _, k := range call.EventKinds() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", k, nature(k))
	}
	return b.String()
}
