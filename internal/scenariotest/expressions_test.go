package scenariotest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// queueOf returns the ARN of another queue.
func queueOf(name string) string { return queueARN + "-" + name }

// shopMapping finds in the payloads of a shop what a request needs.
func shopMapping() app.Mapping {
	return app.Mapping{
		NotificationID: "order.id", RecipientID: "to_string(customer.number)", DestinationPhoneNumber: "customer.phones[?kind=='mobile'].number | [0]",
		RecallID: "order.reminder", Attributes: map[string]string{"language": "not_null(customer.language, 'en-US')", "text": "order.text"},
	}
}

// order returns a payload of the shop.
func order(id string) object {
	return object{
		"order":    object{"id": id, "text": `{"nested":"JSON in a text"}`, "lines": []object{}},
		"customer": object{"number": 4711, "phones": []object{{"kind": "home", "number": number(8)}, {"kind": "mobile", "number": number(1)}}},
	}
}

func TestScenarioI53OneMappingReadsKeyAndFingerprintAlikeFromEveryEnvelope(t *testing.T) {
	t.Parallel()
	mapped := func(c *app.Config) {
		shop, events := shopMapping(), shopMapping()
		shop.Sources = []string{"sns", "eventbridge", "direct"}
		events.From, events.NotificationID, events.RecipientID = "document", "detail.order.id", "to_string(detail.customer.number)"
		events.DestinationPhoneNumber = "detail.customer.phones[?kind=='mobile'].number | [0]"
		events.Attributes = map[string]string{"language": "not_null(detail.customer.language, 'en-US')", "text": "detail.order.text"}
		c.Mappings = map[string]app.Mapping{"shop": shop, "events": events}
		c.Producers = []app.Producer{{ARN: queueARN, Mapping: "shop"}, {ARN: queueOf("events"), Mapping: "events"}}
	}
	play(t, setting{config: mapped}, func(w *world) {
		documents := wrapped(order("n-1"))
		documents["the document around it"] = batch(message{id: "m-5", queue: queueOf("events"), body: event("e-4", order("n-1")).text()})
		plain := wish(1).with("recipientId", "4711").with("attributes", object{"language": "en-US", "text": `{"nested":"JSON in a text"}`})
		documents["the names of the schema"] = batch(message{id: "m-6", queue: queueOf("plain"), body: plain.text()})
		rows, fingerprints := map[string]bool{}, map[string]bool{}
		for name, document := range documents {
			r := w.deliver(document)[0]
			row, fingerprint, err := w.app.Engine.Key(call.Delivery{Request: r.Record.Delivery.Request, Source: call.SourceSQS})
			if err != nil || r.Outcome.Met != call.MetPlaced {
				t.Errorf("%s: met %s %q, %v", name, r.Outcome.Met, r.Outcome.Message, err)
			}
			rows[row], fingerprints[fingerprint] = true, true
		}
		if len(rows) != 1 || len(fingerprints) != 1 {
			t.Errorf("one request has %d keys and %d fingerprints", len(rows), len(fingerprints))
		}
		w.rang(1)
	})
}

// reading is an expression with two payloads, of which it makes two texts.
type reading struct {
	name, expression string
	first, second    string // payloads
	want             [2]string
}

func readings() []reading {
	return []reading{
		{"a field", "order.id", `"order":{"id":"a"}`, `"order":{"id":"b"}`, [2]string{"a", "b"}},
		{"a quoted name", `order."the id"`, `"order":{"the id":"a"}`, `"order":{"the id":"b"}`, [2]string{"a", "b"}},
		{"an index", "ids[-1]", `"ids":["x","a"]`, `"ids":["a","b"]`, [2]string{"a", "b"}},
		{"a list", "ids[*].id | [1]", `"ids":[{"id":"x"},{"id":"a"}]`, `"ids":[{"id":"x"},{"id":"b"}]`, [2]string{"a", "b"}},
		{"a filter", "ids[?kind=='own'].id | [0]", `"ids":[{"kind":"x","id":"x"},{"kind":"own","id":"a"}]`, `"ids":[{"kind":"own","id":"b"}]`, [2]string{"a", "b"}},
		{"the first of two", "id || old", `"old":"a"`, `"id":"b","old":"a"`, [2]string{"a", "b"}},
		{"a default", "not_null(id, 'none')", `"id":null`, `"id":"b"`, [2]string{"none", "b"}},
		{"digits", "to_string(id)", `"id":9007199254740991`, `"id":9007199254740990`, [2]string{"9007199254740991", "9007199254740990"}},
		{"parts", "join('-', [order, day])", `"order":"a","day":"1"`, `"order":"a","day":"2"`, [2]string{"a-1", "a-2"}},
		{"a part", "split(path, '/')[1]", `"path":"x/a"`, `"path":"x/b"`, [2]string{"a", "b"}},
		{"small letters", "lower(id)", `"id":"A"`, `"id":"B"`, [2]string{"a", "b"}},
		{"capitals", "upper(id)", `"id":"a"`, `"id":"b"`, [2]string{"A", "B"}},
		{"a text with JSON in it", "text", `"text":"{\"id\":\"a\"}"`, `"text":"{\"id\":\"b\"}"`, [2]string{`{"id":"a"}`, `{"id":"b"}`}},
	}
}

func TestScenarioI53EveryExpressionMakesTheSameOfAKeyAndOfAFingerprint(t *testing.T) {
	t.Parallel()
	mapped := func(c *app.Config) {
		asItIs := c.Profiles["alert"] // what the flow gets is what the expression gave
		asItIs.Markup = "raw"
		c.Profiles["alert"] = asItIs
		c.Mappings = map[string]app.Mapping{}
		for i, r := range readings() { // the recipient is the row of the table
			inKey := app.Mapping{NotificationID: r.expression, RecipientID: fmt.Sprintf("'user-%d'", i), DestinationPhoneNumber: "phone"}
			inFingerprint := inKey
			inFingerprint.NotificationID, inFingerprint.Attributes = "'once'", map[string]string{"copy": r.expression}
			for name, m := range map[string]app.Mapping{fmt.Sprintf("key-%d", i): inKey, fmt.Sprintf("print-%d", i): inFingerprint} {
				c.Mappings[name] = m
				c.Producers = append(c.Producers, app.Producer{ARN: queueOf(name), Mapping: name})
			}
		}
	}
	play(t, setting{config: mapped}, func(w *world) {
		send := func(queue, members string) call.Outcome {
			body := fmt.Sprintf(`{"phone":%q,%s}`, number(1), members)
			return w.deliver(batch(message{id: "m-1", queue: queueOf(queue), body: body}))[0].Outcome
		}
		for i, r := range readings() {
			inKey, inFingerprint := fmt.Sprintf("key-%d", i), fmt.Sprintf("print-%d", i)
			for n, members := range []string{r.first, r.second} { // another value of the key is another call
				out := send(inKey, members)
				if out.Met != call.MetPlaced || out.Replayed || out.Call.Key.NotificationID != r.want[n] {
					t.Errorf("%s: the key of %s is %q, met %s, %s", r.name, members, out.Call.Key.NotificationID, out.Met, out.Message)
				}
			}
			if out := send(inKey, r.first); out.Suppressed != call.ReasonDuplicate {
				t.Errorf("%s: the duplicate in the key met %s", r.name, out.Met)
			}
			out := send(inFingerprint, r.first)
			if contact, _ := w.emu.Contact(out.ContactID); out.Met != call.MetPlaced || contact.Attributes["copy"] != r.want[0] {
				t.Errorf("%s: the attribute of %s is %q, met %s, %s", r.name, r.first, contact.Attributes["copy"], out.Met, out.Message)
			}
			w.met(send(inFingerprint, r.second), call.MetConflict, call.AckDone) // another value of the fingerprint is a conflict
			if out := send(inFingerprint, r.first); out.Suppressed != call.ReasonDuplicate {
				t.Errorf("%s: the duplicate in the fingerprint met %s", r.name, out.Met)
			}
		}
		w.rang(3 * len(readings()))
	})
}

func TestScenarioI83AMappingThatFindsNothingNamesTheMemberAndMakesNoKey(t *testing.T) {
	t.Parallel()
	mappings := map[string]app.Mapping{}
	mapping := func(name string, change func(*app.Mapping)) {
		m := shopMapping()
		change(&m)
		mappings[name] = m
	}
	mapping("shop", func(*app.Mapping) {})
	mapping("after-a-refactor", func(m *app.Mapping) { m.NotificationID = "order.orderId" })
	mapping("no-such-part", func(m *app.Mapping) { m.NotificationID = "join('-', [order.id, order.day])" })
	mapping("no-parts", func(m *app.Mapping) { m.NotificationID = "join('-', order.lines[*].id)" })
	mapping("no-such-number", func(m *app.Mapping) { m.RecipientID = "to_string(customer.id)" })
	mapping("no-such-phone", func(m *app.Mapping) { m.DestinationPhoneNumber = "customer.phones[?kind=='work'].number | [0]" })
	mapping("a-recall-that-must-be", func(m *app.Mapping) { m.RecallID = "join('', [order.reminder])" })
	wrong := map[string]string{ // what the error says: the member and its expression
		"after-a-refactor":      "The mapping of notificationId, order.orderId, finds nothing.",
		"no-such-part":          "The mapping of notificationId, join('-', [order.id, order.day]), calls a function with something that is no string.",
		"no-parts":              "The field notificationId holds a value that is not allowed. Its mapping is join('-', order.lines[*].id).",
		"no-such-number":        "The mapping of recipientId, to_string(customer.id), finds nothing.",
		"no-such-phone":         "The mapping of destinationPhoneNumber, customer.phones[?kind=='work'].number | [0], finds nothing.",
		"a-recall-that-must-be": "The mapping of recallId, join('', [order.reminder]), calls a function with something that is no string.",
	}
	config := func(c *app.Config) {
		c.Mappings = mappings
		for name := range mappings {
			c.Producers = append(c.Producers, app.Producer{ARN: queueOf(name), Mapping: name})
		}
	}
	play(t, setting{config: config}, func(w *world) {
		send := func(queue string, payload object) call.Outcome {
			return w.deliver(batch(message{id: "m-1", queue: queueOf(queue), body: payload.text()}))[0].Outcome
		}
		for name, says := range wrong {
			for range 2 { // at its first event, and at every other one
				out := send(name, order("n-1"))
				if out.Ack != call.AckRefuse || !strings.Contains(out.Message, says) {
					t.Errorf("%s: %s to the queue: %s %q", name, out.Ack, out.Code, out.Message)
				}
			}
		}
		w.asked(0)
		w.met(send("shop", order("n-1")), call.MetPlaced, call.AckDone)
		w.rang(1)
		// An optional member that nothing is found for is absent, which is stated: what is left is another key than with it.
		day := order("n-1").with("order", object{"id": "n-1", "text": `{"nested":"JSON in a text"}`, "reminder": "2026-11-29"})
		w.met(send("shop", day), call.MetPlaced, call.AckDone)
		if out := send("a-recall-that-must-be", day); out.Suppressed != call.ReasonDuplicate {
			t.Errorf("the recall that is there: met %s %q", out.Met, out.Message)
		}
		w.rang(2)
		for name, expression := range map[string]string{"that is none": "order.", "with a function that is not there": "powertools_json(order).id", "without a word": ""} {
			c, m := w.configuration(), shopMapping()
			m.NotificationID = expression
			c.Mappings, c.Producers = map[string]app.Mapping{"shop": m}, nil
			if err := c.Validate(); call.CodeOf(err) != call.CodeConfiguration || !strings.Contains(err.Error(), "mappings.shop.notification_id") {
				t.Errorf("an expression %s: %v", name, err) // at the start
			}
		}
	})
}
