package connectemu

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EventFault is one way in which contact events misbehave. Delivery is best effort and unordered by their documentation.
type EventFault int

// The faults of events. Every rule of a [Plan] that meets an event acts on it, unlike the rules about requests.
const (
	// LoseEvent never delivers the event.
	LoseEvent EventFault = iota
	// DelayEvent delivers it after Delay, which puts it behind later ones.
	DelayEvent
	// RepeatEvent delivers it once more after Delay, with the same id.
	RepeatEvent
	// ReplayEvent delivers it once more after Delay as a replay of an archive does: with replay-name, and with another id, since nothing
	// says that the id is kept.
	ReplayEvent
	// EarlyEvent delivers INITIATED before the API has answered the start. It needs Config.EventSink.
	EarlyEvent
	// MixedKeys writes members of the detail in another case, such as ContactId and AgentInfo, and the channel as Voice: the samples of
	// the admin guide do.
	MixedKeys
	// Unset1970 writes times that have not come as 1970-01-01T00:00:00.001Z instead of leaving them out.
	Unset1970
	// HideReason leaves the disconnect reason out.
	HideReason
	// OtherReason gives Reason as the disconnect reason: the list is open.
	OtherReason
	// UnknownEvent delivers an event of a type that does not exist yet together with this one.
	UnknownEvent
)

var eventFaultWords = []string{
	"lose-event", "delay-event", "repeat-event", "replay-event", "early-event", "mixed-keys", "unset-1970", "hide-reason", "other-reason",
	"unknown-event",
}

// String returns the word of the fault, such as "lose-event".
func (f EventFault) String() string { return word("EventFault", eventFaultWords, f) }

// EventFaults returns every fault of events, in the order of their words.
func EventFaults() []EventFault {
	all := make([]EventFault, len(eventFaultWords))
	for i := range all {
		all[i] = EventFault(i)
	}
	return all
}

// EventRule is one line of a [Plan] about contact events: a fault and the events it meets. A rule counts every event that has its type,
// number and token.
type EventRule struct {
	Fault EventFault
	// Delay belongs to DelayEvent, which needs it, and to RepeatEvent and ReplayEvent.
	Delay time.Duration
	// Reason belongs to OtherReason.
	Reason string
	// Event restricts the rule to events of this type. Empty means any.
	Event EventType
	// Number and Token restrict the rule to contacts of this destination number or client token. Empty means any.
	Number, Token string
	// Nth, Times and Probability are as in [Rule]; the draw depends on the event's type as well.
	Nth, Times  int
	Probability float64
}

// String returns the text form of one rule, as in [Plan.String].
func (r EventRule) String() string {
	var b strings.Builder
	b.WriteString(r.Fault.String())
	if r.Delay != 0 {
		fmt.Fprintf(&b, "(%s)", r.Delay)
	} else if r.Reason != "" {
		fmt.Fprintf(&b, "(%s)", r.Reason)
	}
	for _, f := range []struct{ key, value string }{{"event", string(r.Event)}, {"number", r.Number}, {"token", r.Token}} {
		if f.value != "" {
			b.WriteString(" " + f.key + "=" + quoteWord(f.value))
		}
	}
	if r.Nth != 0 {
		fmt.Fprintf(&b, " nth=%d", r.Nth)
	}
	if r.Times != 0 {
		fmt.Fprintf(&b, " times=%d", r.Times)
	}
	if r.Probability != 0 {
		b.WriteString(" p=" + strconv.FormatFloat(r.Probability, 'g', -1, 64))
	}
	return b.String()
}

func (r *EventRule) check() error {
	if err := checkWord("fault", eventFaultWords, r.Fault); err != nil {
		return err
	}
	takesDelay := r.Fault == DelayEvent || r.Fault == RepeatEvent || r.Fault == ReplayEvent
	switch {
	case r.Fault == DelayEvent && r.Delay == 0:
		return fmt.Errorf("%s has no delay: write %s(20s)", r.Fault, r.Fault)
	case r.Delay < 0:
		return fmt.Errorf("the delay of %s is negative: write %s(20s)", r.Fault, r.Fault)
	case !takesDelay && r.Delay != 0:
		return fmt.Errorf("%s takes no delay: remove it", r.Fault)
	case (r.Fault == OtherReason) != (r.Reason != "") || strings.ContainsAny(r.Reason, "() ;\"\n\r\t#"):
		return fmt.Errorf("%s and a disconnect reason belong together: write %s(TELECOM_BUSY)", OtherReason, OtherReason)
	case r.Event != "" && !slices.Contains(eventTypes, r.Event):
		return fmt.Errorf("event %q is unknown: use one of %v", r.Event, eventTypes)
	case r.Fault == EarlyEvent && r.Event != "" && r.Event != EventInitiated:
		return fmt.Errorf("%s is about %s alone: leave event out", r.Fault, EventInitiated)
	case r.Number != "" && !isE164(r.Number):
		return fmt.Errorf("number %s is not E.164: write + and up to 15 digits", maskNumber(r.Number))
	case r.Nth < 0 || r.Times < 0:
		return fmt.Errorf("nth and times cannot be negative: leave them out for every event")
	case !(r.Probability >= 0 && r.Probability <= 1): // also catches NaN
		return fmt.Errorf("p is %v: give a chance above 0 and at most 1", r.Probability)
	}
	return nil
}

func (r *EventRule) concerns(kind EventType, number, token string) bool {
	if r.Fault == EarlyEvent && kind != EventInitiated {
		return false
	}
	return (r.Event == "" || r.Event == kind) && (r.Number == "" || r.Number == number) && (r.Token == "" || r.Token == token)
}

// parseEventRule reads a rule whose first word is a fault of events.
func parseEventRule(fault EventFault, words []string) (EventRule, error) {
	rule := EventRule{Fault: fault}
	if err := readRule(words, "event, number, token, nth, times or p", rule.setArgument, rule.set); err != nil {
		return EventRule{}, err
	}
	return rule, rule.check()
}

func (r *EventRule) setArgument(argument string) (err error) {
	if r.Fault == OtherReason {
		r.Reason = argument
		return nil
	}
	if r.Delay, err = time.ParseDuration(argument); err != nil {
		return fmt.Errorf("delay %q is not a duration: write it like 20s", argument)
	}
	return nil
}

func (r *EventRule) set(key, value string) (err error) {
	switch key {
	case "event":
		r.Event = EventType(strings.ToUpper(value))
	case "number":
		r.Number = value
	case "token":
		r.Token = value
	case "nth":
		r.Nth, err = strconv.Atoi(value)
	case "times":
		r.Times, err = strconv.Atoi(value)
	case "p":
		r.Probability, err = strconv.ParseFloat(value, 64)
	default:
		return fmt.Errorf("%q is unknown: use event, number, token, nth, times or p", key)
	}
	if err != nil {
		return fmt.Errorf("%s %q is not a number", key, value)
	}
	return nil
}
