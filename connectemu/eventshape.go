package connectemu

import (
	"strings"
	"time"
)

// EventReasons says which events carry the disconnect reason. The admin guide documents it for contacts of outbound campaigns only; the
// list of reasons is on the page of contact records.
type EventReasons int

const (
	// ReasonsAlways writes the reason into DISCONNECTED and COMPLETED of every contact that has one.
	ReasonsAlways EventReasons = iota
	// ReasonsOfCampaigns writes it for traffic of campaigns alone; DescribeContact has it for all.
	ReasonsOfCampaigns
)

var eventReasonsWords = []string{"always", "campaigns"}

// String returns "always" or "campaigns".
func (v EventReasons) String() string { return word("EventReasons", eventReasonsWords, v) }

// MarshalText returns the form of [EventReasons.String].
func (v EventReasons) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads the form of [EventReasons.String].
func (v *EventReasons) UnmarshalText(text []byte) error {
	parsed, err := parseWord[EventReasons]("eventReasons", eventReasonsWords, string(text))
	if err == nil {
		*v = parsed
	}
	return err
}

// eventShape is how the faults of an event make it look.
type eventShape struct {
	unset      bool // times that have not come are written
	mixed      bool // members are spelled in two ways
	odd        int  // which members are the odd ones
	hideReason bool
	reason     string // instead of the contact's
}

// stamp adds a time that has come by the moment at.
func (e eventShape) stamp(o object, name string, t, at time.Time) object {
	switch {
	case !t.IsZero() && !t.After(at):
		return append(o, member{name, t.UTC().Format(eventTime)})
	case e.unset:
		return append(o, member{name, unset1970})
	}
	return o
}

func (e eventShape) appendReason(o object, c *contact, cfg *Config) object {
	reason := c.reason
	if cfg.EventReasons == ReasonsOfCampaigns && c.request.TrafficType != "CAMPAIGN" {
		reason = ""
	}
	if e.reason != "" {
		reason = e.reason
	}
	if reason == "" || e.hideReason {
		return o
	}
	return append(o, member{"disconnectReason", reason})
}

// spell writes every second member with a capital letter, and the channel in small ones.
func (e eventShape) spell(o object) object {
	if !e.mixed {
		return o
	}
	for i := range o {
		if o[i].name == "channel" {
			if text, ok := o[i].value.(string); ok && text != "" {
				o[i].value = text[:1] + strings.ToLower(text[1:])
			}
		}
		if inner, ok := o[i].value.(object); ok {
			o[i].value = e.spell(inner)
		}
		if i%2 == e.odd%2 {
			o[i].name = strings.ToUpper(o[i].name[:1]) + o[i].name[1:]
		}
	}
	return o
}
