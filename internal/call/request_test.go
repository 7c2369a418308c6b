package call

import (
	"strings"
	"testing"
)

func TestEachLimitOfARequestIsNamed(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxIDBytes+1)
	for _, tc := range []struct {
		name   string
		change func(*Request)
		field  string
		code   Code
	}{
		{"good", func(*Request) {}, "", ""},
		{"longest id", func(r *Request) { r.NotificationID = long[:MaxIDBytes] }, "", ""},
		{"kanji and emoji", func(r *Request) { r.RecipientID = "受信者-😀" }, "", ""},
		{"a cancel needs the ids only", func(r *Request) { r.Action, r.Destination = ActionCancel, Phone{} }, "", ""},
		{"full attributes", func(r *Request) { r.Attributes = map[string]string{"a": strings.Repeat("x", MaxAttributeBytes-1)} }, "", ""},
		{"an empty attribute value", func(r *Request) { r.Attributes = map[string]string{"a": ""} }, "", ""},
		{"no notificationId", func(r *Request) { r.NotificationID = "" }, "notificationId", CodeFieldMissing},
		{"no recipientId", func(r *Request) { r.RecipientID = "" }, "recipientId", CodeFieldMissing},
		{"no number, which only some kinds need", func(r *Request) { r.Destination = Phone{} }, "", ""},
		{"long id", func(r *Request) { r.NotificationID = long }, "notificationId", CodeFieldValue},
		{"long recipient", func(r *Request) { r.RecipientID = long }, "recipientId", CodeFieldValue},
		{"long recallId", func(r *Request) { r.RecallID = long }, "recallId", CodeFieldValue},
		{"line feed", func(r *Request) { r.NotificationID = "a\nb" }, "notificationId", CodeFieldValue},
		{"NUL", func(r *Request) { r.RecipientID = "a\x00b" }, "recipientId", CodeFieldValue},
		{"C1 control", func(r *Request) { r.RecallID = "a\u0085b" }, "recallId", CodeFieldValue},
		{"DEL", func(r *Request) { r.ClientToken = "a\x7f" }, "clientToken", CodeFieldValue},
		{"not UTF-8", func(r *Request) { r.NotificationID = "a\xff" }, "notificationId", CodeFieldValue},
		{"blank", func(r *Request) { r.RecipientID = " \u3000" }, "recipientId", CodeFieldValue},
		{"blank profile", func(r *Request) { r.Profile = " " }, "profile", CodeFieldValue},
		{"unknown action", func(r *Request) { r.Action = "ring" }, "action", CodeFieldValue},
		{"cancel without ids", func(r *Request) { r.Action, r.RecipientID = ActionCancel, "" }, "recipientId", CodeFieldMissing},
		{"attribute name with a space", func(r *Request) { r.Attributes = map[string]string{"a b": ""} }, "attributes", CodeFieldValue},
		{"empty attribute name", func(r *Request) { r.Attributes = map[string]string{"": ""} }, "attributes", CodeFieldValue},
		{"attribute not UTF-8", func(r *Request) { r.Attributes = map[string]string{"a": "\xff"} }, "attributes.a", CodeFieldValue},
		{"attributes too large", func(r *Request) { r.Attributes = map[string]string{"a": strings.Repeat("x", MaxAttributeBytes)} }, "attributes", CodeAttributesTooLarge},
	} {
		r := asked(t)
		tc.change(&r)
		err := r.Validate()
		if tc.code == "" {
			if err != nil {
				t.Errorf("%s: %v", tc.name, err)
			}
			continue
		}
		e, ok := errorAs(err)
		if !ok || e.Code != tc.code || e.Field != tc.field || e.Fix == "" || !strings.HasSuffix(e.Message, ".") {
			t.Errorf("%s: %v, want %s about %s", tc.name, err, tc.code, tc.field)
		}
	}
}
