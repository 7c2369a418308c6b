package timeline

import (
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Moment is a named instant of a contact's life.
type Moment struct {
	Name, Words string
	At          time.Time
}

// Moments are the instants of a contact's life that a person asks for, without those that did not come.
func Moments(s call.Sight) (known []Moment) {
	for _, m := range []Moment{
		{"answered", "somebody or something answered", s.Connected},
		{"agent", "an agent joined", s.Agent},
		{"checked in", "its flow checked in", s.CheckedIn},
		{"key", "the key " + s.Key.Text + " was pressed", s.Key.At},
		{"confirmed", "a key press confirmed it", s.Confirmed},
		{"hung up", "we hung it up", s.Unwanted},
		{"ended", "it ended", s.Disconnected},
	} {
		if !m.At.IsZero() {
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
	case "check-in":
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
		return text + "; the next look is at " + Stamp(e.Due)
	}
	return text
}

// seenWords lists what an event told of the contact; empty when it told nothing.
func seenWords(e call.Event) string {
	var words []string
	if e.Sight != nil {
		for _, m := range Moments(*e.Sight) {
			words = append(words, m.Words+" at "+Stamp(m.At))
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
