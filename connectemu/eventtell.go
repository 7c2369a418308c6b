package connectemu

import (
	"container/heap"
	"encoding/json"
	"time"
)

// tellLocked makes the deliveries of one event, as the plan says.
func (s *Server) tellLocked(cfg *Config, c *contact, m moment) {
	rules := s.plan.Load().pickEvents(m.kind, c.request.DestinationPhoneNumber, c.request.ClientToken)
	q := &s.events
	q.seq++
	id := guid(cfg.Seed, roomEvents, q.seq)
	event := Event{Seq: q.seq, ID: id, Type: m.kind, ContactID: c.id, At: m.at, Due: m.at}
	shape := eventShape{odd: int(mix(cfg.Seed^q.seq) & 1)}
	lost, early := false, false
	for _, rule := range rules {
		event.Faults = append(event.Faults, rule.String())
		switch rule.Fault { //nolint:exhaustive // the other faults make more deliveries, below
		case LoseEvent:
			lost = true
		case DelayEvent:
			event.Due = event.Due.Add(rule.Delay)
		case EarlyEvent:
			early = true
		case MixedKeys:
			shape.mixed = true
		case Unset1970:
			shape.unset = true
		case HideReason:
			shape.hideReason = true
		case OtherReason:
			shape.reason = rule.Reason
		default:
		}
	}
	detail := c.eventDetail(cfg, m, shape)
	event.Document = c.envelope(cfg, m, id, "", detail)
	switch {
	case lost:
		s.keepEventLocked(cfg, EventRecord{Event: event, Outcome: EventLost})
	case early && cfg.EventSink != nil:
		q.early = append(q.early, event)
	default:
		heap.Push(&q.due, event)
	}
	for _, rule := range rules {
		s.tellAgainLocked(cfg, c, m, event, rule, detail)
	}
}

// tellAgainLocked adds what a rule delivers beside the event itself. A copy does not follow its event when that is delayed or lost.
func (s *Server) tellAgainLocked(cfg *Config, c *contact, m moment, event Event, rule *EventRule, detail object) {
	extra := event
	extra.Due = m.at.Add(rule.Delay)
	switch rule.Fault { //nolint:exhaustive // the other faults make no further delivery
	case RepeatEvent:
	case ReplayEvent:
		extra.ID = guid(cfg.Seed, roomReplays, event.Seq)
		extra.Document = c.envelope(cfg, m, extra.ID, "emulated-replay", detail)
	case UnknownEvent:
		extra.ID, extra.Type = guid(cfg.Seed, roomReplays, event.Seq), "CONTACT_REIMAGINED"
		detail[0].value = string(extra.Type) // eventType is the first member, however it is spelled
		extra.Document = c.envelope(cfg, m, extra.ID, "", detail)
		detail[0].value = string(event.Type)
	default:
		return
	}
	s.events.seq++
	extra.Seq = s.events.seq
	heap.Push(&s.events.due, extra)
}

// envelope is the event of EventBridge around a detail. Its time has the precision of a second.
func (c *contact) envelope(cfg *Config, m moment, id, replay string, detail object) json.RawMessage {
	resources := []string{c.arn(cfg), cfg.instanceARN(c.request.InstanceID)}
	if cfg.EventInstanceFirst {
		resources[0], resources[1] = resources[1], resources[0]
	}
	event := object{
		{"version", "0"},
		{"id", id},
		{"detail-type", "Amazon Connect Contact Event"},
		{"source", "aws.connect"},
		{"account", cfg.Account},
		{"time", m.at.UTC().Format(time.RFC3339)},
		{"region", cfg.Region},
		{"resources", resources},
	}
	if replay != "" {
		event = append(event, member{"replay-name", replay})
	}
	document, err := json.Marshal(append(event, member{"detail", detail}))
	if err != nil {
		return json.RawMessage("{}") // texts, lists of texts and objects of them always encode
	}
	return document
}
