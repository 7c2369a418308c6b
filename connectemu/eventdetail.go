package connectemu

import (
	"bytes"
	"encoding/json"
	"time"
)

// eventTime is how contact events write times, and unset1970 how they write one that has not come, when they do not leave it out.
const (
	eventTime = "2006-01-02T15:04:05.000Z"
	unset1970 = "1970-01-01T00:00:00.001Z"
)

// agentID is the agent of every contact that reaches one.
const agentID = "00000000-0000-4000-8000-000000000002"

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// eventDetail is the detail of an event of the contact at a moment, in the spelling of the admin guide's schema. It never carries the
// user-defined attributes: the schema has no member for them.
func (c *contact) eventDetail(cfg *Config, m moment, shape eventShape) object {
	d := object{
		{"eventType", string(m.kind)},
		{"contactId", c.id},
		{"channel", string(c.channel)},
		{"instanceArn", cfg.instanceARN(c.request.InstanceID)},
		{"initiationMethod", "API"},
		{"initiationTimestamp", c.initiated.UTC().Format(eventTime)},
	}
	if c.request.RelatedContactID != "" {
		d = append(d, member{"relatedContactId", c.request.RelatedContactID})
	}
	d = shape.stamp(d, "connectedToSystemTimestamp", c.connected, m.at)
	disconnected := time.Time{}
	if !m.at.Before(c.disconnected) {
		disconnected = c.disconnected
	}
	d = shape.stamp(d, "disconnectTimestamp", disconnected, m.at)
	if m.kind != EventConnectedToSystem && traits[c.fate].agent {
		d = c.appendAgent(d, cfg, m.at, shape)
	}
	if !disconnected.IsZero() {
		d = shape.appendReason(d, c, cfg)
		if machine := c.machine(); machine != "" {
			d = append(d, member{"answeringMachineDetectionStatus", machine})
		}
	}
	if c.request.CampaignID != "" {
		d = append(d, member{"campaign", object{{"campaignId", c.request.CampaignID}}})
	}
	if m.kind == EventDataUpdated {
		d = append(d, member{"updatedProperties", []string{"UserDefinedAttributes"}})
	}
	d = append(d, member{"tags", c.tags()})
	return shape.spell(d)
}

// appendAgent adds the queue and the agent once the call has got there.
func (c *contact) appendAgent(d object, cfg *Config, at time.Time, shape eventShape) object {
	if c.connected.IsZero() || at.Before(c.connected) {
		return d
	}
	if c.request.QueueID != "" {
		queue := object{{"queueArn", cfg.instanceARN(c.request.InstanceID) + "/queue/" + c.request.QueueID}, {"queueType", "STANDARD"}}
		d = append(d, member{"queueInfo", shape.stamp(queue, "enqueueTimestamp", c.connected, at)})
	}
	if !c.agentAt.IsZero() && c.agentAt.Before(c.disconnected) && !at.Before(c.agentAt) {
		agent := object{{"agentArn", cfg.instanceARN(c.request.InstanceID) + "/agent/" + agentID}}
		d = append(d, member{"agentInfo", shape.stamp(agent, "connectedToAgentTimestamp", c.agentAt, at)})
	}
	return d
}
