package dialtest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// chatBody and taskBody are StartChatContact and StartTaskContact as the API reference spells them.
type (
	chatBody struct {
		Attributes  map[string]string                      `json:"Attributes"`
		Token       string                                 `json:"ClientToken"`
		Flow        string                                 `json:"ContactFlowId"`
		Instance    string                                 `json:"InstanceId"`
		Participant struct{ DisplayName string }           `json:"ParticipantDetails"`
		Message     *struct{ Content, ContentType string } `json:"InitialMessage"`
		Minutes     *int                                   `json:"ChatDurationInMinutes"`
		Destination *string                                `json:"DestinationPhoneNumber"`
		Name        *string                                `json:"Name"`
	}
	taskBody struct {
		Attributes  map[string]string `json:"Attributes"`
		Token       string            `json:"ClientToken"`
		Flow        *string           `json:"ContactFlowId"`
		Template    *string           `json:"TaskTemplateId"`
		Quick       *string           `json:"QuickConnectId"`
		Instance    string            `json:"InstanceId"`
		Name        string            `json:"Name"`
		Description *string           `json:"Description"`
		Destination *string           `json:"DestinationPhoneNumber"`
		Segments    *struct {
			Expiry struct {
				ValueMap struct{ ExpiryDuration struct{ ValueInteger int } }
			} `json:"connect:ContactExpiry"`
		} `json:"SegmentAttributes"`
	}
)

// prepareAs returns the body of an order as the type says.
func prepareAs[T any](tb testing.TB, d call.Dialer, o call.Order) T {
	tb.Helper()
	body, err := d.Prepare(o)
	if err != nil {
		tb.Fatalf("Prepare: %v", err)
	}
	var b T
	if err := json.Unmarshal(body, &b); err != nil {
		tb.Fatalf("the body is not JSON: %v", err)
	}
	return b
}

func checkChatMembers(tb testing.TB, c candidate) {
	tb.Helper()
	d := c.open(tb, newLab(tb, c.kind, nil))
	o := order(tb, c.kind, answering, 1)
	b := prepareAs[chatBody](tb, d, o)
	if b.Token != o.Token || b.Flow != flowID || b.Instance != instanceID || b.Destination != nil || b.Name != nil ||
		b.Minutes == nil || *b.Minutes != 120 || b.Attributes["ringonceCallId"] != o.CallID {
		tb.Errorf("the body is %+v", b)
	}
	// What people read is not escaped: no flow speaks it.
	if b.Participant.DisplayName != "first customer" || b.Message == nil || b.Message.Content != o.Attributes["message"] || b.Message.ContentType != "text/plain" {
		tb.Errorf("the customer is %+v and says %+v", b.Participant, b.Message)
	}
	o.Profile.InitialMessage, o.Profile.ContactDuration, o.Destination = "", 0, call.Phone{}
	if b := prepareAs[chatBody](tb, d, o); b.Message != nil || b.Minutes != nil {
		tb.Errorf("the bare body is %+v", b)
	}
}

func checkTaskMembers(tb testing.TB, c candidate) {
	tb.Helper()
	d := c.open(tb, newLab(tb, c.kind, nil))
	o := order(tb, c.kind, answering, 1)
	b := prepareAs[taskBody](tb, d, o)
	if b.Token != o.Token || b.Flow == nil || *b.Flow != flowID || b.Instance != instanceID || b.Destination != nil || !strings.HasSuffix(b.Name, o.CallID) ||
		b.Segments == nil || b.Segments.Expiry.ValueMap.ExpiryDuration.ValueInteger != 120 || b.Attributes["ringonceCallId"] != o.CallID {
		tb.Errorf("the body is %+v", b)
	}
	if want := `"middle": ` + o.Attributes["message"]; b.Description == nil || *b.Description != want {
		tb.Errorf("the description is %v, want %s", b.Description, want)
	}
	o.Profile.Description, o.Profile.ContactDuration, o.Destination = "", 0, call.Phone{}
	for _, flow := range []func(*call.Profile){func(p *call.Profile) { p.TaskTemplateID = queueID }, func(p *call.Profile) { p.QuickConnectID = queueID }} {
		o.Profile.ContactFlowID, o.Profile.TaskTemplateID, o.Profile.QuickConnectID = "", "", ""
		flow(&o.Profile)
		if b := prepareAs[taskBody](tb, d, o); b.Description != nil || b.Segments != nil || b.Flow != nil || (b.Template == nil) == (b.Quick == nil) {
			tb.Errorf("the bare body is %+v", b)
		}
	}
}

// textRefusals are about a text of the profile; set writes it.
func textRefusals(setting string, most int, set func(*call.Profile, string)) []refusal {
	with := func(text string) func(*call.Order) { return func(o *call.Order) { set(&o.Profile, text) } }
	return []refusal{
		{setting + " too long", "attributes", setting, with(strings.Repeat("é", most+1))},
		{setting + " too long once filled", "attributes", setting, func(o *call.Order) {
			o.Attributes["long"] = strings.Repeat("é", most)
			set(&o.Profile, "{long}!")
		}},
		{setting + " that is empty once filled", "attributes", setting, func(o *call.Order) {
			o.Attributes["nothing"] = ""
			set(&o.Profile, "{nothing}")
		}},
		{setting + " with an attribute that is missing", "attributes.other", "missing", with("{other}")},
		{setting + " with an open brace", setting, "brace", with("{alpha")},
		{setting + " with a brace too many", setting, "brace", with("alpha}")},
	}
}

func chatRefusals() []refusal {
	return append(append(textRefusals("display_name", 256, func(p *call.Profile, text string) { p.DisplayName = text }),
		textRefusals("initial_message", 1024, func(p *call.Profile, text string) { p.InitialMessage = text })...),
		refusal{"no display name", "display_name", "missing", func(o *call.Order) { o.Profile.DisplayName = "" }},
		refusal{"a chat of 59 minutes", "contact_duration", "1h", func(o *call.Order) { o.Profile.ContactDuration = 59 * time.Minute }},
		refusal{"a chat of more than 7 days", "contact_duration", "7d", func(o *call.Order) { o.Profile.ContactDuration = 10_081 * time.Minute }},
		refusal{"a chat of half a minute", "contact_duration", "whole", func(o *call.Order) { o.Profile.ContactDuration = 90*time.Minute + time.Second }},
		refusal{"a chat without its mark", "mark", "voice", func(o *call.Order) { o.Profile.Unmarked = true }})
}

func taskRefusals() []refusal {
	return append(textRefusals("description", 4096, func(p *call.Profile, text string) { p.Description = text }),
		refusal{"a flow and a template", "contact_flow_id", "one of", func(o *call.Order) { o.Profile.TaskTemplateID = queueID }},
		refusal{"a name as template", "task_template_id", "", func(o *call.Order) { o.Profile.ContactFlowID, o.Profile.TaskTemplateID = "", "Callback" }},
		refusal{"a task of a second", "contact_duration", "whole", func(o *call.Order) { o.Profile.ContactDuration = time.Second }},
		refusal{"a task without its mark", "mark", "voice", func(o *call.Order) { o.Profile.Unmarked = true }})
}
