package envelope

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

func TestAnEscalationListIsReadStrictly(t *testing.T) {
	t.Parallel()
	r := only(t, Decode([]byte(with(`"escalation":[{"recipientId":"b","destinationPhoneNumber":"+12025550101","unknown":1},{"recipientId":"c","destinationPhoneNumber":"+12025550102","profile":"alert"}]`)), at(processedAt)))
	list := r.Delivery.Request.Escalation
	if r.Verdict != VerdictOK || len(list) != 2 || list[0].RecipientID != "b" || list[0].Phone().Wire() != "+12025550101" || list[1].Profile != "alert" {
		t.Fatalf("%s %s %s: %+v", r.Verdict, r.Reason, r.Field, list)
	}
	entry := `{"recipientId":"x","destinationPhoneNumber":"+12025550101"}`
	for list, want := range map[string]string{
		`{}`:    "escalation",
		`["b"]`: "escalation[0]",
		`[{"destinationPhoneNumber":"+12025550101"}]`:         "escalation[0].recipientId",
		`[{"recipientId":7}]`:                                 "escalation[0].recipientId",
		`[{"recipientid":"b"}]`:                               "escalation[0].recipientId",
		`[{"recipientId":"b","destinationPhoneNumber":1}]`:    "escalation[0].destinationPhoneNumber",
		`[{"recipientId":"b","destinationPhoneNumber":"12"}]`: "escalation[0].destinationPhoneNumber",
		`[` + entry + `,` + entry + `]`:                       "escalation[1].recipientId",
		`[` + strings.Repeat(entry+",", 20) + entry + `]`:     "escalation",
	} {
		r := only(t, Decode([]byte(with(`"escalation":`+list)), at(processedAt)))
		if r.Verdict != VerdictReject || r.Field != want {
			t.Errorf("%s: %s %s %s, want %s", list, r.Verdict, r.Reason, r.Field, want)
		}
	}
	for _, none := range []string{`null`, `[]`} {
		if r := only(t, Decode([]byte(with(`"escalation":`+none)), at(processedAt))); r.Verdict != VerdictOK || len(r.Delivery.Request.Escalation) != 0 {
			t.Errorf("%s: %s %s", none, r.Verdict, r.Field)
		}
	}
}

func TestAnAcknowledgmentNeedsTheIDsOnly(t *testing.T) {
	t.Parallel()
	r := only(t, Decode([]byte(`{"notificationId":"n","recipientId":"r","action":"acknowledge"}`), at(processedAt)))
	if r.Verdict != VerdictOK || r.Delivery.Request.Action != call.ActionAck {
		t.Errorf("got %s %s", r.Verdict, r.Reason)
	}
}

// TestAnEscalationListIsReadFromAStreamOfDynamoDB: a list in an item was once read as an empty one, and nobody after the first was ever rung.
func TestAnEscalationListIsReadFromAStreamOfDynamoDB(t *testing.T) {
	t.Parallel()
	document := `{"Records":[{"eventID":"1","eventName":"INSERT","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"us-east-1",` +
		`"eventSourceARN":"arn:aws:dynamodb:us-east-1:111122223333:table/calls/stream/2026-01-05T00:00:00.000","dynamodb":{"ApproximateCreationDateTime":1767571200,` +
		`"SequenceNumber":"100","SizeBytes":230,"StreamViewType":"NEW_IMAGE","NewImage":{"notificationId":{"S":"n"},"recipientId":{"S":"a"},` +
		`"destinationPhoneNumber":{"S":"+12025550100"},"escalation":{"L":[%s]}}}}]}`
	entry := `{"M":{"recipientId":{"S":"b"},"destinationPhoneNumber":{"S":"+12025550101"}}}`
	r := only(t, Decode([]byte(strings.Replace(document, "%s", entry+`,`+strings.Replace(entry, `"b"`, `"c"`, 1), 1)), at(processedAt)))
	if list := r.Delivery.Request.Escalation; r.Verdict != VerdictOK || len(list) != 2 || list[0].RecipientID != "b" || list[1].Phone().Wire() != "+12025550101" {
		t.Errorf("%s %s %s: %+v", r.Verdict, r.Reason, r.Field, list)
	}
	if r := only(t, Decode([]byte(strings.Replace(document, "%s", `{"S":"b"}`, 1)), at(processedAt))); r.Verdict != VerdictReject || r.Field != "escalation[0]" {
		t.Errorf("a text in the list: %s %s %s", r.Verdict, r.Reason, r.Field)
	}
}
