package timeline

import (
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Evidence is one source that can decide a doubt (protocol.md section 10).
type Evidence struct {
	Source string    `json:"source"` // answer, contact_event, search, check_in, person
	SoFar  string    `json:"soFar"`
	Next   string    `json:"next"` // what would decide it, and when it is looked for
	Looks  int       `json:"looks,omitempty"`
	Last   time.Time `json:"lastLook,omitzero"`
	Due    time.Time `json:"nextLook,omitzero"`
}

// evidenceOf lists what can decide a doubt (protocol.md section 10), what each source has shown so far, and when it is asked next. That a
// source has shown nothing proves nothing. A contact that is not marked with its call is recognized by nobody.
func evidenceOf(row call.Call, events []call.Event, unmarked bool) []Evidence {
	all := []Evidence{answerEvidence(row), eventEvidence(row), searchEvidence(row, events), checkInEvidence(), personEvidence(row)}
	if !unmarked {
		return all
	}
	for i := range all {
		if all[i].Source != "answer" { // the others know a contact by the mark
			all[i].Next = "cannot decide it: with mark: off the contact does not say which call it belongs to"
		}
	}
	return all
}

func answerEvidence(row call.Call) Evidence {
	e := Evidence{Source: "answer", SoFar: Plural(len(row.Open), "attempt", "attempts") + " without a definite answer"}
	e.Next = "a late answer is merged whenever it comes; no attempt can be newly accepted after " + Stamp(row.SettledAt())
	return e
}

func eventEvidence(row call.Call) Evidence {
	e := Evidence{Source: "contact_event", SoFar: "none that names a contact of this call"}
	e.Next = "each contact event is compared with this call as it arrives"
	if row.Key.Kind != "" && row.Key.Kind != call.KindVoice {
		e.Next += "; it is the only evidence that comes by itself for a " + string(row.Key.Kind)
	}
	return e
}

func checkInEvidence() Evidence {
	return Evidence{
		Source: "check_in", SoFar: "no contact flow has reported a contact of this call",
		Next: "the first block of the contact flow reports it, if it calls the check-in function",
	}
}

func personEvidence(row call.Call) Evidence {
	return Evidence{
		Source: "person", SoFar: "nobody has named a contact that Amazon Connect confirms",
		Next: "whoever finds the contact in Amazon Connect: ringonce doubt close " + Short(row.ID) + " --contact-id CONTACT",
	}
}

func searchEvidence(row call.Call, events []call.Event) Evidence {
	e := Evidence{Source: "search", SoFar: "not searched for yet"}
	blind := 0
	for _, event := range events {
		if event.Kind != call.EventLooked {
			continue
		}
		e.Looks++
		e.Last = event.At
		if event.Code != "" {
			blind++
		}
	}
	if e.Looks > 0 {
		e.SoFar = fmt.Sprintf("%s found no contact of this name, the last at %s", Plural(e.Looks, "search", "searches"), Stamp(e.Last))
	}
	if blind > 0 {
		e.SoFar += fmt.Sprintf("; %d of them did not work", blind)
	}
	e.Next = "no further search is planned; the others still count"
	if row.State == call.InDoubt && !row.Due.IsZero() {
		e.Due, e.Next = row.Due, "the next one is at "+Stamp(row.Due)
	}
	if row.Key.Kind == call.KindChat {
		e.SoFar, e.Next = "not searched for", "a chat cannot be searched for by name"
	}
	return e
}
