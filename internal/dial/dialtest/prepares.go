package dialtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// prepareChecks hold the body: deterministic, marked, harmless to text-to-speech, and refused when Amazon Connect would.
func prepareChecks(kind call.Kind) []question {
	checks := []question{
		{"prepare/equal orders, equal bytes", checkDeterministic},
		{"prepare/members", map[call.Kind]func(testing.TB, candidate){call.KindVoice: checkMembers, call.KindChat: checkChatMembers, call.KindTask: checkTaskMembers}[kind]},
		{"prepare/markup", checkMarkup},
	}
	for _, r := range slices.Concat(refusals(), map[call.Kind][]refusal{
		call.KindVoice: voiceRefusals(), call.KindChat: chatRefusals(), call.KindTask: taskRefusals(),
	}[kind]) {
		checks = append(checks, question{"prepare/refuses " + r.name, r.check})
	}
	return checks
}

func checkDeterministic(tb testing.TB, c candidate) {
	tb.Helper()
	d := c.open(tb, newLab(tb, c.kind, nil))
	var first []byte
	for i := range 50 {
		body, err := d.Prepare(order(tb, c.kind, answering, 1))
		if err != nil {
			tb.Fatalf("Prepare: %v", err)
		}
		if i > 0 && !bytes.Equal(body, first) {
			tb.Fatalf("equal orders gave\n%s\n%s", first, body)
		}
		first = body
	}
}

// startBody is StartOutboundVoiceContact as the API reference spells it.
type startBody struct {
	Attributes  map[string]string `json:"Attributes"`
	Token       string            `json:"ClientToken"`
	Flow        string            `json:"ContactFlowId"`
	Destination string            `json:"DestinationPhoneNumber"`
	Instance    string            `json:"InstanceId"`
	Name        *string           `json:"Name"`
	Queue       *string           `json:"QueueId"`
	Source      *string           `json:"SourcePhoneNumber"`
	RingTimeout *int              `json:"RingTimeoutInSeconds"`
}

func checkMembers(tb testing.TB, c candidate) {
	tb.Helper()
	d := c.open(tb, newLab(tb, c.kind, nil))
	o := order(tb, c.kind, answering, 1)
	marked := prepare(tb, d, o)
	if marked.Token != o.Token || marked.Flow != flowID || marked.Destination != answering ||
		marked.Instance != instanceID || marked.Queue == nil || *marked.Queue != queueID || marked.Source != nil ||
		marked.RingTimeout == nil || *marked.RingTimeout != 30 {
		tb.Errorf("the body is %+v", marked)
	}
	if marked.Attributes["ringonceCallId"] != o.CallID || marked.Name == nil || !strings.HasSuffix(*marked.Name, o.CallID) {
		tb.Errorf("the body is not marked with its call id: %+v", marked)
	}
	o.Profile.Unmarked, o.Profile.QueueID, o.Profile.RingTimeout, o.Profile.SourcePhone = true, "", 0, "+12025550100"
	plain := prepare(tb, d, o)
	_, attribute := plain.Attributes["ringonceCallId"]
	if attribute || plain.Name != nil || plain.Queue != nil || plain.RingTimeout != nil || plain.Source == nil {
		tb.Errorf("the unmarked body is %+v", plain)
	}
}

func checkMarkup(tb testing.TB, c candidate) {
	tb.Helper()
	d := c.open(tb, newLab(tb, c.kind, nil))
	o := order(tb, c.kind, answering, 1)
	const value = `<break time="1s"/>Tom & 'Anna'`
	o.Attributes["text"] = value
	if got, want := prepare(tb, d, o).Attributes["text"], "&lt;break time=&quot;1s&quot;/&gt;Tom &amp; &apos;Anna&apos;"; got != want {
		tb.Errorf("markup goes out as %s, want %s", got, want)
	}
	o.Profile.RawMarkup = true
	if got := prepare(tb, d, o).Attributes["text"]; got != value {
		tb.Errorf("raw markup goes out as %s, want %s", got, value)
	}
}

func prepare(tb testing.TB, d call.Dialer, o call.Order) startBody {
	tb.Helper()
	body, err := d.Prepare(o)
	if err != nil {
		tb.Fatalf("Prepare: %v", err)
	}
	var b startBody
	if err := json.Unmarshal(body, &b); err != nil {
		tb.Fatalf("the body is not JSON: %v", err)
	}
	return b
}

// refusal is an order that Amazon Connect would not take, and what the refusal must name.
type refusal struct {
	name  string
	field string
	says  string // part of the error
	spoil func(*call.Order)
}

func refusals() []refusal {
	arn := "arn:aws:connect:us-east-1:111122223333:instance/" + instanceID
	return []refusal{
		{"an ARN as instance", "instance_id", instanceID, func(o *call.Order) { o.Profile.InstanceID = arn }},
		{"an ARN as flow", "contact_flow_id", flowID, func(o *call.Order) { o.Profile.ContactFlowID = arn + "/contact-flow/" + flowID }},
		{"no instance", "instance_id", "missing", func(o *call.Order) { o.Profile.InstanceID = "" }},
		{"no flow", "contact_flow_id", "missing", func(o *call.Order) { o.Profile.ContactFlowID = "" }},
		{"a name as flow", "contact_flow_id", "", func(o *call.Order) { o.Profile.ContactFlowID = "Main flow" }},
		{"no token", "clientToken", "", func(o *call.Order) { o.Token = "" }},
		{"a token of 501 characters", "clientToken", "500", func(o *call.Order) { o.Token = strings.Repeat("é", 501) }},
		{"no call id", "callId", "", func(o *call.Order) { o.CallID = "" }},
		{"a call id longer than a name", "callId", "", func(o *call.Order) { o.CallID = strings.Repeat("x", 128) }},
		{"the reserved attribute", "attributes", "ringonceCallId", func(o *call.Order) { o.Attributes = map[string]string{"ringonceCallId": "x"} }},
		{"a bad attribute name", "attributes", "", func(o *call.Order) { o.Attributes = map[string]string{"a b": "x"} }},
		{"an empty attribute name", "attributes", "", func(o *call.Order) { o.Attributes = map[string]string{"": "x"} }},
		{"an attribute that is not UTF-8", "attributes.a", "", func(o *call.Order) { o.Attributes = map[string]string{"a": "\xff"} }},
		{"attributes over 32768 bytes with ours", "attributes", "32768", func(o *call.Order) {
			o.Attributes = map[string]string{"a": strings.Repeat("x", call.MaxAttributeBytes-1)}
		}},
		{"attributes over 32768 bytes once escaped", "attributes", "32768", func(o *call.Order) {
			o.Attributes = map[string]string{"a": strings.Repeat("&", call.MaxAttributeBytes/4)}
		}},
	}
}

func voiceRefusals() []refusal {
	arn := "arn:aws:connect:us-east-1:111122223333:instance/" + instanceID
	return []refusal{
		{"an ARN as queue", "queue_id", queueID, func(o *call.Order) { o.Profile.QueueID = arn + "/queue/" + queueID }},
		{"a ring timeout of 14 s", "ring_timeout", "15s", func(o *call.Order) { o.Profile.RingTimeout = 14 * time.Second }},
		{"a ring timeout of 61 s", "ring_timeout", "60s", func(o *call.Order) { o.Profile.RingTimeout = 61 * time.Second }},
		{"a ring timeout of 20.5 s", "ring_timeout", "whole", func(o *call.Order) { o.Profile.RingTimeout = 20500 * time.Millisecond }},
		{"a bad caller id", "source_phone", "", func(o *call.Order) { o.Profile.SourcePhone = "2025550100" }},
		{"no destination", "destinationPhoneNumber", "", func(o *call.Order) { o.Destination = call.Phone{} }},
	}
}

func (r refusal) check(tb testing.TB, c candidate) {
	tb.Helper()
	d := c.open(tb, newLab(tb, c.kind, nil))
	o := order(tb, c.kind, answering, 1)
	r.spoil(&o)
	_, err := d.Prepare(o)
	refused, ok := errors.AsType[*call.Error](err)
	if !ok || !strings.HasSuffix(refused.Field, r.field) || refused.Fix == "" || !strings.Contains(err.Error(), r.says) {
		tb.Errorf("Prepare = %v, want a refusal of %s that says %q and how to fix it", err, r.field, r.says)
	}
}
