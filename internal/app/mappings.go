package app

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// Mapping says where the payloads of a producer that cannot change them hold the members of a request: a JMESPath expression for each member
// (docs/mapping.md). A member without one is not read.
type Mapping struct {
	Sources                []string          `yaml:"sources"` // it also reads deliveries of these sources whose producer names no mapping
	From                   string            `yaml:"from"`    // payload (default), or document: with the envelope around it
	NotificationID         string            `yaml:"notification_id"`
	RecipientID            string            `yaml:"recipient_id"`
	DestinationPhoneNumber string            `yaml:"destination_phone_number"`
	RecallID               string            `yaml:"recall_id"`
	ClientToken            string            `yaml:"client_token"`
	Profile                string            `yaml:"profile"`
	RequestedAt            string            `yaml:"requested_at"`
	NotAfter               string            `yaml:"not_after"`
	Action                 string            `yaml:"action"`
	TimeZone               string            `yaml:"time_zone"`
	Urgent                 string            `yaml:"urgent"`          // an expression that gives true or false
	Escalation             string            `yaml:"escalation"`      // an expression that gives a list in the form of the schema
	Attributes             map[string]string `yaml:"attributes"`      // one by one
	AttributesFrom         string            `yaml:"attributes_from"` // or an object of strings
}

// mappingKeys names the keys of a mapping by the member that they map.
var mappingKeys = map[string]string{
	"notificationId": "notification_id", "recipientId": "recipient_id", "destinationPhoneNumber": "destination_phone_number",
	"recallId": "recall_id", "clientToken": "client_token", "profile": "profile", "requestedAt": "requested_at", "notAfter": "not_after",
	"action": "action", "timeZone": "time_zone", "urgent": "urgent", "escalation": "escalation", "attributesFrom": "attributes_from",
}

func (m Mapping) compile(name string) (*envelope.Mapping, error) {
	return envelope.NewMapping(envelope.Expressions{
		Name: name, FromDocument: m.From == "document", Attributes: m.Attributes, AttributesFrom: m.AttributesFrom,
		Members: map[string]string{
			"notificationId": m.NotificationID, "recipientId": m.RecipientID, "destinationPhoneNumber": m.DestinationPhoneNumber,
			"recallId": m.RecallID, "clientToken": m.ClientToken, "profile": m.Profile, "requestedAt": m.RequestedAt, "notAfter": m.NotAfter,
			"action": m.Action, "timeZone": m.TimeZone, "urgent": m.Urgent, "escalation": m.Escalation,
		},
	})
}

func (c *Config) checkMappings() error {
	reads := map[string]string{} // mapping by source
	for _, name := range slices.Sorted(maps.Keys(c.Mappings)) {
		m, field := c.Mappings[name], "mappings."+name
		if !profileName(name) {
			return c.refuse("mappings", "Use letters, digits, - and _.", "holds a name that is not usable: %q.", name)
		}
		if err := c.oneOf(field+".from", m.From, "payload", "document"); err != nil {
			return err
		}
		for i, source := range m.Sources {
			at := field + ".sources[" + strconv.Itoa(i) + "]"
			if !slices.Contains(call.Sources(), call.Source(source)) {
				return c.refuse(at, "Use the columns of docs/acknowledge.md: "+sourceNames()+".", "names no source.")
			}
			if other := reads[source]; other != "" {
				return c.refuse(at, "Name each source once, or name the producers.", "is read by the mapping %s already.", other)
			}
			reads[source] = name
		}
		if _, err := m.compile(name); err != nil {
			return c.refuseMapping(field, err)
		}
	}
	for i, p := range c.Producers {
		if _, known := c.Mappings[p.Mapping]; p.Mapping != "" && !known {
			return c.refuse("producers["+strconv.Itoa(i)+"].mapping", "Name one of mappings.", "names no mapping.")
		}
	}
	return nil
}

// refuseMapping names the key of the expression that is wrong.
func (c *Config) refuseMapping(field string, err error) error {
	refusal, ok := errors.AsType[*call.Error](err)
	if !ok {
		return err
	}
	key := refusal.Field
	if name, known := mappingKeys[key]; known {
		key = name
	}
	return c.refuse(field+"."+key, refusal.Fix, "%s", refusal.Message)
}

func sourceNames() string {
	var names []string
	for _, source := range call.Sources() {
		names = append(names, string(source))
	}
	return strings.Join(names, ", ")
}

// Mapping returns what names the mapping of a delivery: that of its producer, else that of its source. It is nil when there is no mapping.
func (c *Config) Mapping() func(source call.Source, producerARN string) *envelope.Mapping {
	if len(c.Mappings) == 0 {
		return nil
	}
	compiled := map[string]*envelope.Mapping{}
	bySource, byProducer := map[call.Source]*envelope.Mapping{}, map[string]*envelope.Mapping{}
	for name, m := range c.Mappings {
		compiled[name], _ = m.compile(name) // Validate has compiled it
		for _, source := range m.Sources {
			bySource[call.Source(source)] = compiled[name]
		}
	}
	for _, p := range c.Producers {
		if p.Mapping != "" {
			byProducer[p.ARN] = compiled[p.Mapping]
		}
	}
	return func(source call.Source, producerARN string) *envelope.Mapping {
		if m := byProducer[producerARN]; m != nil && producerARN != "" {
			return m
		}
		return bySource[source]
	}
}
