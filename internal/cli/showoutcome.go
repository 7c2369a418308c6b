package cli

import (
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// contactLines write what became of a call's contact.
func (s shown) contactLines(line func(name, value string)) {
	if s.Outcome != "" {
		line("outcome", string(s.Outcome)+": "+s.Outcome.Sentence())
	}
	if s.Sight == nil {
		return
	}
	for _, m := range moments(*s.Sight) {
		line(m.name, stamp(m.at))
	}
	line("ended with", s.Sight.Reason.Text)
	line("machine", s.Sight.Machine.Text)
}

// moment is a named instant of a contact's life.
type moment struct {
	name, words string
	at          time.Time
}

// moments are the instants of a contact's life that a person asks for, without those that did not come.
func moments(s call.Sight) (known []moment) {
	for _, m := range []moment{
		{"answered", "somebody or something answered", s.Connected},
		{"agent", "an agent joined", s.Agent},
		{"confirmed", "a key press confirmed it", s.Confirmed},
		{"hung up", "we hung it up", s.Unwanted},
		{"ended", "it ended", s.Disconnected},
	} {
		if !m.at.IsZero() {
			known = append(known, m)
		}
	}
	return known
}

// saw says what an event told of the contact, what that comes to, and what follows.
func saw(e call.Event) string {
	text := "a contact event"
	switch e.From {
	case "describe":
		text = "a look by DescribeContact"
	case "flow":
		text = "the flow"
	case "stop":
		text = "StopContact"
	}
	told := seenWords(e)
	switch {
	case e.Code != "":
		text += " failed (" + string(e.Code) + ")"
	case told == "":
		text += " told nothing new"
	default:
		text += " told: " + told
	}
	if e.Due.After(e.At) {
		return text + "; the next look is at " + stamp(e.Due)
	}
	return text
}

// seenWords lists what an event told of the contact; empty when it told nothing.
func seenWords(e call.Event) string {
	var words []string
	if e.Sight != nil {
		for _, m := range moments(*e.Sight) {
			words = append(words, m.words+" at "+stamp(m.at))
		}
		for _, word := range []string{e.Sight.Reason.Text, e.Sight.Machine.Text} {
			if word != "" {
				words = append(words, word)
			}
		}
	}
	if e.Outcome != "" {
		words = append(words, "outcome "+string(e.Outcome))
	}
	return strings.Join(words, ", ")
}
