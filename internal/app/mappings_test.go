package app_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

const mappings = good + `mappings:
  orders:
    notification_id: order.id
    recipient_id: customer.id
    destination_phone_number: customer.phone
    attributes: {language: customer.language}
    escalation: onCall.next
  visits:
    sources: [eventbridge]
    notification_id: visit
    recipient_id: patient
    destination_phone_number: phone
producers:
  - arn: arn:aws:sqs:us-east-1:111122223333:orders
    mapping: orders
  - arn: arn:aws:sqs:us-east-1:111122223333:calls
`

func TestAMappingBelongsToItsProducerElseToItsSource(t *testing.T) {
	t.Parallel()
	c, err := app.Parse("ringonce.yaml", []byte(mappings))
	if err != nil {
		t.Fatal(err)
	}
	of := c.Mapping()
	orders := of(call.SourceSQS, "arn:aws:sqs:us-east-1:111122223333:orders")
	visits := of(call.SourceEventBridge, "")
	if orders == nil || visits == nil || orders == visits {
		t.Fatalf("orders %v, visits %v", orders, visits)
	}
	if of(call.SourceEventBridge, "arn:aws:sqs:us-east-1:111122223333:orders") != orders {
		t.Error("the source is asked before the producer")
	}
	for _, arn := range []string{"", "arn:aws:sqs:us-east-1:111122223333:calls", "arn:aws:sqs:us-east-1:111122223333:others"} {
		if of(call.SourceSQS, arn) != nil {
			t.Errorf("%q has a mapping", arn)
		}
	}
	if c, err = app.Parse("ringonce.yaml", []byte(good)); err != nil || c.Mapping() != nil {
		t.Errorf("a configuration without mappings has one: %v", err)
	}
}

func TestABadMappingIsOneSentenceWithItsKey(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ old, replacement, field string }{
		"no expression":        {"order.id", "order.", "mappings.orders.notification_id"},
		"an empty one":         {"notification_id: order.id", `notification_id: ""`, "mappings.orders.notification_id"},
		"a missing one":        {"    recipient_id: customer.id\n", "", "mappings.orders.recipient_id"},
		"what is not there":    {"customer.phone", "customer.*", "mappings.orders.destination_phone_number"},
		"of an attribute":      {"customer.language", "length(customer)", "mappings.orders.attributes.language"},
		"both kinds":           {"    attributes:", "    attributes_from: customer\n    attributes:", "mappings.orders.attributes_from"},
		"from elsewhere":       {"    notification_id: visit", "    from: record\n    notification_id: visit", "mappings.visits.from"},
		"an unknown source":    {"[eventbridge]", "[pigeon]", "mappings.visits.sources[0]"},
		"a source twice":       {"[eventbridge]", "[eventbridge, http, eventbridge]", "mappings.visits.sources[2]"},
		"an unknown mapping":   {"    mapping: orders", "    mapping: order", "producers[0].mapping"},
		"a name":               {"  orders:", "  \"or ders\":", "mappings"},
		"an unknown key":       {"    recipient_id: customer.id", "    recipientId: customer.id", "mappings.orders.recipientId"},
		"a number for a text":  {"recipient_id: patient", "recipient_id: 7", "mappings.visits.recipient_id"},
		"a list for a mapping": {"    recipient_id: patient", "    attributes: [a]\n    recipient_id: patient", "mappings.visits.attributes"},
	} {
		_, err := app.Parse("ringonce.yaml", []byte(strings.Replace(mappings, c.old, c.replacement, 1)))
		refusal, ok := errors.AsType[*call.Error](err)
		if !ok || refusal.Code != call.CodeConfiguration || refusal.Field != c.field || !strings.Contains(refusal.Message, "ringonce.yaml:") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
