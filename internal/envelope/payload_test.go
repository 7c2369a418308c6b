package envelope

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func with(member string) string {
	return strings.Replace(plainPayload, "{", "{"+member+",", 1)
}

func TestPayloadMembersAreRead(t *testing.T) {
	t.Parallel()
	content := with(`"recallId":"c-1","clientToken":"t-1","profile":"alert","requestedAt":"2026-11-29T11:59:00+09:00",` +
		`"notAfter":"2026-11-29T06:00:00Z","attributes":{"language":"ja-JP"},"action":"call","timeZone":"Asia/Tokyo","urgent":true,"unknown":{"Type":"x"}`)
	r := only(t, Decode([]byte(content), at(processedAt)))
	q := r.Delivery.Request
	if r.Verdict != VerdictOK || q.RecallID != "c-1" || q.ClientToken != "t-1" || q.Profile != "alert" || q.Action != call.ActionCall || q.TimeZone != "Asia/Tokyo" || !q.Urgent ||
		q.Attributes["language"] != "ja-JP" || q.Destination.Wire() != "+12025550100" ||
		!q.RequestedAt.Equal(processedAt.Add(-time.Minute)) || !q.NotAfter.Equal(processedAt.Add(3*time.Hour)) {
		t.Errorf("got %s %s %+v", r.Verdict, r.Reason, q)
	}
	if r.FirstRequested.Tier != call.TierPayload || r.Window != WindowInside || r.FirstRequestedEnvelopeOnly.Tier != call.TierNone {
		t.Errorf("evidence: %+v %+v %s", r.FirstRequested, r.FirstRequestedEnvelopeOnly, r.Window)
	}
}

func TestACancelNeedsTheIDsOnly(t *testing.T) {
	t.Parallel()
	r := only(t, Decode([]byte(`{"notificationId":"n","recipientId":"r","action":"cancel"}`), at(processedAt)))
	if r.Verdict != VerdictOK || r.Delivery.Request.Action != call.ActionCancel {
		t.Errorf("got %s %s", r.Verdict, r.Reason)
	}
	r = only(t, Decode([]byte(`{"notificationId":"n","recipientId":"r","destinationPhoneNumber":"12","action":"cancel"}`), at(processedAt)))
	if r.Verdict != VerdictReject || r.Field != "destinationPhoneNumber" {
		t.Errorf("a cancel with a bad number: %s %s", r.Verdict, r.Field)
	}
}

func TestBadMembersAreNamed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		content string
		reason  Reason
		field   string
	}{
		{with(`"notAfter":"tomorrow"`), ReasonFieldValue, "notAfter"},
		{with(`"notAfter":1795921140`), ReasonFieldType, "notAfter"},
		{with(`"requestedAt":1795921140`), ReasonFieldType, "requestedAt"},
		{with(`"action":"hangup"`), ReasonFieldValue, "action"},
		{with(`"action":1`), ReasonFieldType, "action"},
		{with(`"timeZone":""`), ReasonFieldValue, "timeZone"},
		{with(`"timeZone":"Asia/\nTokyo"`), ReasonFieldValue, "timeZone"},
		{with(`"timeZone":9`), ReasonFieldType, "timeZone"},
		{with(`"timezone":"Asia/Tokyo"`), ReasonFieldCase, "timeZone"},
		{with(`"urgent":"true"`), ReasonFieldType, "urgent"},
		{with(`"urgent":1`), ReasonFieldType, "urgent"},
		{with(`"Urgent":true`), ReasonFieldCase, "urgent"},
		{with(`"recallId":" "`), ReasonFieldValue, "recallId"},
		{with(`"profile":{}`), ReasonFieldType, "profile"},
		{with(`"attributes":[]`), ReasonFieldType, "attributes"},
		{with(`"attributes":{"a":null}`), ReasonFieldType, "attributes.a"},
		{with(`"Attributes":{}`), ReasonFieldCase, "attributes"},
		{with(`"de\u017ftinationPhoneNumber":"+12025550101"`), ReasonFieldCase, "destinationPhoneNumber"},
		{with(`"recallId":"<recall.id>"`), ReasonFieldValue, "recallId"},
		{with(`"clientToken":"call-<id>"`), ReasonFieldValue, "clientToken"},
		{`{"\u006eotificationId":"n\nx","recipientId":"r","destinationPhoneNumber":"+12025550100"}`, ReasonFieldValue, "notificationId"},
		{`{"notificationId":"n","recipientId":"` + strings.Repeat("r", call.MaxIDBytes+1) + `","destinationPhoneNumber":"+12025550100"}`, ReasonFieldValue, "recipientId"},
		{`{"NotificationId":"n"}`, ReasonFieldCase, "notificationId"},
	}
	for _, test := range tests {
		r := only(t, Decode([]byte(test.content), at(processedAt)))
		if r.Verdict != VerdictReject || r.Reason != test.reason || r.Field != test.field || !strings.Contains(r.Message, test.field) {
			t.Errorf("%.80s: got %s %s %q %q", test.content, r.Verdict, r.Reason, r.Field, r.Message)
		}
	}
	for _, member := range []string{`"recallId":"a < b > c"`, `"recallId":"<>"`, `"recallId":"<日本>"`} {
		if r := only(t, Decode([]byte(with(member)), at(processedAt))); r.Verdict != VerdictOK {
			t.Errorf("%s: got %s %s", member, r.Verdict, r.Reason)
		}
	}
}

func TestAStampOfTheFutureIsNoEvidence(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		offset time.Duration
		usable bool
	}{{5 * time.Minute, true}, {5*time.Minute + time.Second, false}} {
		requested := processedAt.Add(test.offset)
		r := only(t, Decode([]byte(with(`"requestedAt":"`+requested.Format(time.RFC3339)+`"`)), at(processedAt)))
		if r.Verdict != VerdictOK || !r.Delivery.Request.RequestedAt.Equal(requested) {
			t.Errorf("%s: got %s, the core must see the stamp", test.offset, r.Verdict)
		}
		if usable := !r.FirstRequested.At.IsZero(); usable != test.usable {
			t.Errorf("%s: usable %v", test.offset, usable)
		}
	}
}

func TestTheWindowHasAnExactBoundary(t *testing.T) {
	t.Parallel()
	event := []byte(eventBridge("com.example", plainPayload))
	sent := time.Date(2026, 11, 29, 2, 57, 0, 0, time.UTC)
	if r := only(t, Decode(event, at(sent.Add(tokenValidity)))); r.Window != WindowInside {
		t.Errorf("at 7 days: %s", r.Window)
	}
	if r := only(t, Decode(event, at(sent.Add(tokenValidity+time.Second)))); r.Window != WindowPossiblyExpired {
		t.Errorf("after 7 days: %s", r.Window)
	}
	if r := only(t, Decode(event, Options{})); r.Window != WindowUnproven {
		t.Errorf("without a processing time: %s", r.Window)
	}
}

func TestOnlyAProfileOfAnotherKindNeedsNoNumber(t *testing.T) {
	t.Parallel()
	options := at(processedAt)
	options.Numberless = func(profile string) bool { return profile == "chat" }
	for _, test := range []struct {
		member string
		good   bool
	}{{`"profile":"chat"`, true}, {`"profile":"alert"`, false}, {`"profile":null`, false}, {`"attributes":{}`, false}, {`"action":"cancel"`, true}} {
		r := only(t, Decode([]byte(`{"notificationId":"n","recipientId":"r",`+test.member+`}`), options))
		if (r.Verdict == VerdictOK) != test.good || !test.good && r.Field != "destinationPhoneNumber" {
			t.Errorf("%s: %s %s %s", test.member, r.Verdict, r.Reason, r.Field)
		}
	}
	if r := only(t, Decode([]byte(`{"notificationId":"n","recipientId":"r","profile":"chat","destinationPhoneNumber":"12"}`), options)); r.Verdict != VerdictReject {
		t.Errorf("a number that is none: %s", r.Verdict)
	}
}
