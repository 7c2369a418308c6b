package envelope

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// orders is the mapping of a producer with names of its own.
var orders = Expressions{
	Name: "orders",
	Members: map[string]string{
		"notificationId":         "order.id",
		"recipientId":            "to_string(customer.number)",
		"destinationPhoneNumber": "customer.phones[?kind=='mobile'].number | [0]",
		"requestedAt":            "order.createdAt",
		"profile":                "not_null(order.profile, 'alert')",
	},
	Attributes: map[string]string{"language": "customer.language", "shop": "shop.name"},
}

const orderPayload = `{"order":{"id":"o-1","createdAt":"2026-11-29T02:00:00Z","action":"cancel"},"customer":{"number":4711,"language":null,"phones":[` +
	`{"kind":"home","number":"+12025550111"},{"kind":"mobile","number":"+12025550112"}]},"shop":{"name":"Main"},"action":"cancel","type":"Notification"}`

func mapped(tb testing.TB, from Expressions, change ...func(*Options)) Options {
	tb.Helper()
	m, err := NewMapping(from)
	if err != nil {
		tb.Fatal(err)
	}
	options := at(processedAt)
	options.Mapping = func(call.Source, string) *Mapping { return m }
	for _, f := range change {
		f(&options)
	}
	return options
}

// mapping returns a mapping with some expressions replaced; an empty one removes its member.
func mapping(from Expressions, members map[string]string) Expressions {
	from.Members = maps.Clone(from.Members)
	for member, text := range members {
		if from.Members[member] = text; text == "" {
			delete(from.Members, member)
		}
	}
	return from
}

func TestAMappingFindsTheRequestInsideEveryEnvelope(t *testing.T) {
	t.Parallel()
	for name, document := range map[string]string{
		"direct":           orderPayload,
		"SQS":              string(sqsBatch(t, orderPayload)),
		"EventBridge":      eventBridge("com.example", orderPayload),
		"SQS, SNS, events": string(sqsBatch(t, snsEnvelope(t, eventBridge("com.example", orderPayload)))),
		"Kinesis":          string(kinesisBatch([]byte(orderPayload))),
		"Lambda record":    lambdaRecord("RetriesExhausted", orderPayload),
	} {
		doc := Decode([]byte(document), mapped(t, orders))
		r := doc.Records[0]
		q := r.Delivery.Request
		if r.Verdict != VerdictOK || q.NotificationID != "o-1" || q.RecipientID != "4711" || q.Destination.Wire() != "+12025550112" || q.Profile != "alert" ||
			q.Action != "" || q.RequestedAt.IsZero() || fmt.Sprint(q.Attributes) != "map[shop:Main]" || r.Mapping != "orders" || len(r.Mapped) > 0 {
			t.Errorf("%s: %s %s %s: %+v", name, r.Verdict, r.Reason, r.Message, q)
		}
	}
}

func TestAMappingSaysWhenARecipientMayBeRung(t *testing.T) {
	t.Parallel()
	zoned := mapping(orders, map[string]string{"timeZone": "not_null(customer.zone, 'Asia/Tokyo')", "urgent": "shop.name == 'Main'"})
	r := Decode([]byte(orderPayload), mapped(t, zoned)).Records[0]
	if q := r.Delivery.Request; r.Verdict != VerdictOK || q.TimeZone != "Asia/Tokyo" || !q.Urgent {
		t.Errorf("%s %s: zone %q, urgent %t", r.Verdict, r.Message, q.TimeZone, q.Urgent)
	}
	for _, member := range []string{`"timeZone":"Asia/Tokyo"`, `"urgent":true`} { // only what is mapped is read
		r = Decode([]byte(strings.Replace(orderPayload, "{", "{"+member+",", 1)), mapped(t, orders)).Records[0]
		if q := r.Delivery.Request; r.Verdict != VerdictOK || q.TimeZone != "" || q.Urgent {
			t.Errorf("%s: zone %q, urgent %t", member, q.TimeZone, q.Urgent)
		}
	}
}

func TestAMappingIsChosenByTheSourceAndTheProducer(t *testing.T) {
	t.Parallel()
	var asked []string
	options := at(processedAt)
	options.Mapping = func(source call.Source, arn string) *Mapping {
		asked = append(asked, string(source)+" "+arn)
		return nil
	}
	for _, file := range []string{
		"sqs-standard-01.json", "sqs-dlq-direct-01.json", "eventbridge-lambda-01.json", "sns-lambda-01.json", "kinesis-01.json", "kafka-01.json",
		"dynamodb-stream-01.json", "custom-event-bus-01.json", "function-url-01.json", "direct-invoke-01.json", "pipes-stream-01.json",
	} {
		asked = nil
		doc := Decode(readEvent(t, file), options)
		want := string(doc.Source) + " " + doc.Records[0].ProducerARN()
		if len(asked) == 0 || asked[0] != want {
			t.Errorf("%s: asked for the mapping of %q, want %q", file, asked, want)
		}
	}
}

func TestWithAMappingNothingIsReadUnderTheSchemasNames(t *testing.T) {
	t.Parallel()
	own := strings.Replace(orderPayload, `"order":`, `"notificationId":"n-1","recipientId":"r-1","destinationPhoneNumber":"+447700900001","order":`, 1)
	q := Decode([]byte(own), mapped(t, orders)).Records[0].Delivery.Request
	if q.NotificationID != "o-1" || q.RecipientID != "4711" || q.Destination.Wire() != "+12025550112" {
		t.Errorf("read %+v", q)
	}
	r := Decode([]byte(plainPayload), mapped(t, orders)).Records[0]
	if r.Verdict != VerdictReject || r.Reason != ReasonFieldMissing || r.Field != "notificationId" || !strings.Contains(r.Message, "order.id, finds nothing") {
		t.Errorf("%s %s %s: %s", r.Verdict, r.Reason, r.Field, r.Message)
	}
}

func TestAMappingThatDoesNotFitRefusesTheRecordAndSaysWhichExpression(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		from    Expressions
		payload string
		reason  Reason
		field   string
		says    string
	}{
		"nothing found": {mapping(orders, map[string]string{"notificationId": "order.number"}), orderPayload, ReasonFieldMissing, "notificationId", "order.number, finds nothing"},
		"null":          {mapping(orders, map[string]string{"recipientId": "customer.language"}), orderPayload, ReasonFieldNull, "recipientId", "customer.language, finds nothing"},
		"empty string":  {mapping(orders, map[string]string{"recipientId": "''"}), orderPayload, ReasonFieldValue, "recipientId", "Its mapping is ''"},
		"a number":      {mapping(orders, map[string]string{"recipientId": "customer.number"}), orderPayload, ReasonFieldType, "recipientId", "customer.number, gives no string"},
		"a boolean":     {mapping(orders, map[string]string{"recipientId": "!customer"}), orderPayload, ReasonFieldType, "recipientId", "gives no string"},
		"an object":     {mapping(orders, map[string]string{"recipientId": "customer"}), orderPayload, ReasonFieldType, "recipientId", "gives no string"},
		"a list":        {mapping(orders, map[string]string{"destinationPhoneNumber": "customer.phones[*].number"}), orderPayload, ReasonFieldType, "destinationPhoneNumber", "gives no string"},
		"no E.164":      {mapping(orders, map[string]string{"destinationPhoneNumber": "order.id"}), orderPayload, ReasonFieldValue, "destinationPhoneNumber", "Its mapping is order.id"},
		"no boolean":    {mapping(orders, map[string]string{"urgent": "order.id"}), orderPayload, ReasonFieldType, "urgent", "order.id, gives no boolean"},
		"a list of it":  {mapping(orders, map[string]string{"urgent": "customer.phones[*].kind"}), orderPayload, ReasonFieldType, "urgent", "gives no boolean"},
		"no time":       {mapping(orders, map[string]string{"notAfter": "order.id"}), orderPayload, ReasonFieldValue, "notAfter", "Its mapping is order.id"},
		"wrong type in a function": {
			mapping(orders, map[string]string{"recipientId": "join('-', customer.phones)"}), orderPayload, ReasonMapping, "recipientId", "calls a function with something that is no string",
		},
		"a number beyond 2^53": {orders, strings.Replace(orderPayload, "4711", "9007199254740993", 1), ReasonMapping, "recipientId", "whole number below 2^53"},
		"a fraction":           {orders, strings.Replace(orderPayload, "4711", "4711.0", 1), ReasonMapping, "recipientId", "whole number below 2^53"},
		"an exponent":          {orders, strings.Replace(orderPayload, "4711", "47e2", 1), ReasonMapping, "recipientId", "whole number below 2^53"},
		"a huge exponent":      {orders, strings.Replace(orderPayload, "4711", "1e999999999", 1), ReasonMapping, "recipientId", "whole number below 2^53"},
		"minus zero":           {orders, strings.Replace(orderPayload, "4711", "-0", 1), ReasonMapping, "recipientId", "whole number below 2^53"},
		"no list":              {mapping(orders, map[string]string{"escalation": "shop"}), orderPayload, ReasonFieldType, "escalation", "gives no list"},
		"an entry in other words": {
			mapping(orders, map[string]string{"escalation": "customer.phones"}), orderPayload, ReasonFieldMissing, "escalation[0].recipientId", "The mapping of escalation[0].recipientId, customer.phones, finds nothing",
		},
		"attribute is no string": {
			orders, strings.Replace(orderPayload, `"Main"`, `7`, 1), ReasonFieldType, "attributes.shop", "shop.name, gives no string",
		},
		"attributes are no object": {
			Expressions{Name: "o", Members: orders.Members, AttributesFrom: "shop.name"}, orderPayload, ReasonFieldType, "attributes", "shop.name, gives no string",
		},
		"the number in an expression is masked": {
			mapping(orders, map[string]string{"recipientId": "x.\"12025550142\""}), orderPayload, ReasonFieldMissing, "recipientId", "***********",
		},
	} {
		r := Decode([]byte(c.payload), mapped(t, c.from)).Records[0]
		if r.Verdict != VerdictReject || r.Reason != c.reason || r.Field != c.field || !strings.Contains(r.Message, c.says) || strings.Contains(r.Message, "12025550142") {
			t.Errorf("%s: %s %s %s: %s", name, r.Verdict, r.Reason, r.Field, r.Message)
		}
		if !strings.Contains(r.Fix, "envelope explain --config") || !r.Delivery.Request.Destination.IsZero() {
			t.Errorf("%s: fix %q", name, r.Fix)
		}
	}
}

func TestAnEscalationListIsMappedAsAWhole(t *testing.T) {
	t.Parallel()
	from := mapping(orders, map[string]string{"escalation": "onCall.next"})
	payload := strings.Replace(orderPayload, `"order":`, `"onCall":{"next":[{"recipientId":"bob","destinationPhoneNumber":"+12025550143"}]},"order":`, 1)
	q := Decode([]byte(payload), mapped(t, from)).Records[0].Delivery.Request
	if len(q.Escalation) != 1 || q.Escalation[0].RecipientID != "bob" {
		t.Errorf("the list %v", q.Escalation)
	}
}

func TestAttributesAreMappedAsAnObjectToo(t *testing.T) {
	t.Parallel()
	from := Expressions{Name: "o", Members: orders.Members, AttributesFrom: "shop"}
	q := Decode([]byte(orderPayload), mapped(t, from)).Records[0].Delivery.Request
	if len(q.Attributes) != 1 || q.Attributes["name"] != "Main" {
		t.Errorf("attributes %v", q.Attributes)
	}
}

func TestFromDocumentLooksAtTheEnvelopeToo(t *testing.T) {
	t.Parallel()
	from := Expressions{Name: "o", FromDocument: true, Members: map[string]string{
		"notificationId": "id", "recipientId": "join('/', [source, detail.order.id])", "destinationPhoneNumber": "detail.customer.phones[1].number",
	}}
	for _, document := range []string{eventBridge("com.example", orderPayload), string(sqsBatch(t, eventBridge("com.example", orderPayload)))} {
		r := Decode([]byte(document), mapped(t, from)).Records[0]
		if q := r.Delivery.Request; r.Verdict != VerdictOK || q.NotificationID != r.Delivery.EventID || q.RecipientID != "com.example/o-1" {
			t.Errorf("%s %s: %+v", r.Reason, r.Message, q)
		}
	}
}

// What makes a payload untrustworthy is refused before an expression looks at it.
func TestAMappingSeesOnlyWhatWasReadStrictly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		payload string
		reason  Reason
	}{
		"duplicate name":  {strings.Replace(orderPayload, `"id":"o-1"`, `"id":"o-1","id":"o-2"`, 1), ReasonDuplicateKey},
		"lone surrogate":  {strings.Replace(orderPayload, `o-1`, `\ud83d`, 1), ReasonUnpairedSurrogate},
		"invalid UTF-8":   {strings.Replace(orderPayload, `o-1`, "\xff", 1), ReasonInvalidUTF8},
		"trailing data":   {orderPayload + "{}", ReasonTrailingData},
		"an array":        {"[" + orderPayload + "]", ReasonPayloadNotObject},
		"another AWS one": {eventBridge("aws.s3", orderPayload), ReasonOtherAWSEvent},
	} {
		r := Decode(kinesisBatch([]byte(c.payload)), mapped(t, orders)).Records[0]
		if r.Verdict == VerdictOK || r.Reason != c.reason {
			t.Errorf("%s: %s %s", name, r.Verdict, r.Reason)
		}
	}
}

func TestTheExplanationSaysWhichExpressionGaveWhat(t *testing.T) {
	t.Parallel()
	explain := func(o *Options) { o.Explain = true }
	r := Decode([]byte(orderPayload), mapped(t, orders, explain)).Records[0]
	var text strings.Builder
	if err := Text(&text, "f.json", r); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"mapping           orders", `notificationId = order.id: "o-1"`, `recipientId = to_string(customer.number): "4711"`, `attributes.language = customer.language: nothing`,
		`destinationPhoneNumber = customer.phones[?kind=='mobile'].number | [0]: "`,
	} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("%q is not in\n%s", line, text.String())
		}
	}
	members := Explain(r).Mapping.Members
	if len(members) != 7 || strings.Contains(text.String(), "2025550112") || slices.ContainsFunc(members, func(m ExplainedMapped) bool { return strings.Contains(m.Value, "2025550112") }) {
		t.Errorf("mapped %+v\n%s", members, text.String())
	}
}

func TestAMappingThatCannotWorkIsRefusedWhenItIsRead(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", maxExpressionBytes+1)
	many := map[string]string{}
	for i := range maxMappedAttributes + 1 {
		many[fmt.Sprintf("a%d", i)] = "x"
	}
	for name, c := range map[string]struct {
		from  Expressions
		field string
	}{
		"required member without one": {mapping(orders, map[string]string{"recipientId": ""}), "recipientId"},
		"both kinds of attributes":    {Expressions{Members: orders.Members, Attributes: orders.Attributes, AttributesFrom: "x"}, "attributesFrom"},
		"too many attributes":         {Expressions{Members: orders.Members, Attributes: many}, "attributes"},
		"attribute name":              {Expressions{Members: orders.Members, Attributes: map[string]string{"a b": "x"}}, "attributes"},
		"attribute expression":        {Expressions{Members: orders.Members, Attributes: map[string]string{"a": "x["}}, "attributes.a"},
		"attributes expression":       {Expressions{Members: orders.Members, AttributesFrom: "{a: b}"}, "attributesFrom"},
		"too long":                    {mapping(orders, map[string]string{"profile": long}), "profile"},
		"too many parts":              {mapping(orders, map[string]string{"profile": strings.Repeat("a.", 100) + "a"}), "profile"},
	} {
		_, err := NewMapping(c.from)
		refusal, ok := err.(*call.Error) //nolint:errorlint // the error itself
		if !ok || refusal.Field != c.field || refusal.Code != call.CodeConfiguration || refusal.Fix == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, text := range []string{
		"", "a.", "a[", "a[?", "'a", "`{`", "*", "a.*", "a[]", "a[1:2]", "{a: b}", "$", "$.a", "let $a = b in $a", "$x", "&a", "map(&a, b)", "length(a)", "to_number(a)",
		"a + b", "-a", "join(a)", "not_null()", "`[1]`", "`{}`", "sort(a)", "a || (", "@@", "a b", "((((((((((", "\x00", "a[99999999999999999999]",
	} {
		if e, err := compile(text); err == nil {
			t.Errorf("%q is taken: %v", text, e.root)
		}
	}
}
