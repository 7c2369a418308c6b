package envelope_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

const (
	w3c       = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	w3cID     = "4bf92f3577b34da6a3ce929d0e0e4736"
	xray      = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
	xrayRoot  = "1-5759e988-bd862e3fe1be46a994272793"
	otherXRay = "Root=1-67891233-abcdef012345678912345678"
)

func TestATraceHeaderIsReadOrDropped(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]call.Trace{
		w3c:                                  {ID: w3cID, Parent: "00f067aa0ba902b7", Sampled: "1"},
		strings.TrimSuffix(w3c, "01") + "00": {ID: w3cID, Parent: "00f067aa0ba902b7", Sampled: "0"},
		"cc" + w3c[2:] + "-what-a-later-version-adds": {ID: w3cID, Parent: "00f067aa0ba902b7", Sampled: "1"},
		w3c + "-more":        {}, // version 00 has no more
		"ff" + w3c[2:]:       {},
		strings.ToUpper(w3c): {},
		strings.Replace(w3c, w3cID, strings.Repeat("0", 32), 1):              {},
		strings.Replace(w3c, "00f067aa0ba902b7", strings.Repeat("0", 16), 1): {},
		w3c[:54]: {}, "": {}, "cc" + w3c[2:] + "-" + strings.Repeat("x", 600): {}, strings.Replace(w3c, "4b", "\"\n", 1): {},
	} {
		if got := envelope.Traceparent(text); got != want {
			t.Errorf("traceparent %q: %+v", text, got)
		}
	}
	id := strings.ReplaceAll(xrayRoot[2:], "-", "")
	for text, want := range map[string]call.Trace{
		xray: {ID: id, Parent: "53995c3f42cd8ad8", Sampled: "1", Root: true},
		"Self=1-67891234-12456789abcdef012345678;Root=" + xrayRoot + ";Lineage=25:a87bd80c:1;Sampled=?": {ID: id, Root: true},
		"Parent=53995c3f42cd8ad8; Root=" + xrayRoot:                                                     {ID: id, Parent: "53995c3f42cd8ad8", Root: true},
		"Root=" + xrayRoot + ";Parent=+819000000001;Sampled=2":                                          {ID: id, Root: true},
		"Parent=53995c3f42cd8ad8;Sampled=1":                                                             {},
		"Root=1-5759e988-bd862e3fe1be46a99427279":                                                       {},
		"Root=2-5759e988-bd862e3fe1be46a994272793":                                                      {},
		"Root=1-00000000-000000000000000000000000":                                                      {},
		"root=" + xrayRoot: {}, "": {}, xray + strings.Repeat(";", 600): {},
	} {
		if got := envelope.XRayHeader(text); got != want {
			t.Errorf("X-Ray %q: %+v", text, got)
		}
	}
}

type members map[string]any

func traced(t *testing.T, document any) envelope.Record {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	doc := envelope.Decode(text, envelope.Options{Now: time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)})
	if len(doc.Records) != 1 {
		t.Fatalf("%d records", len(doc.Records))
	}
	return doc.Records[0]
}

const tracedPayload = `{"notificationId":"notification-1","recipientId":"user-1","destinationPhoneNumber":"+819000000001"}`

func sqsMessage(body string, attributes, marks members) members {
	return members{"Records": []members{{
		"messageId": "19dd0b57-b21e-4ac1-bd88-01bbb068cb78", "body": body, "attributes": attributes, "messageAttributes": marks, "eventSource": "aws:sqs",
		"eventSourceARN": "arn:aws:sqs:us-east-1:111122223333:calls",
	}}}
}

func snsNotification(marks members) members {
	return members{
		"Type": "Notification", "MessageId": "95df01b4-ee98-5cb9-9903-4c221d41eb5e", "TopicArn": "arn:aws:sns:us-east-1:111122223333:calls", "Message": tracedPayload,
		"Timestamp": "2026-11-29T02:59:59.000Z", "MessageAttributes": marks,
	}
}

func TestTheTraceOfADeliveryIsFoundWhereItsTransportPutsIt(t *testing.T) {
	t.Parallel()
	envelopeText, err := json.Marshal(snsNotification(members{"traceparent": members{"Type": "String", "Value": w3c}}))
	if err != nil {
		t.Fatal(err)
	}
	sqsMark := members{"traceparent": members{"stringValue": w3c, "dataType": "String"}}
	for name, c := range map[string]struct {
		document any
		want     string
	}{
		"SQS, system attribute":          {sqsMessage(tracedPayload, members{"AWSTraceHeader": xray}, nil), xrayRoot},
		"SQS, message attribute":         {sqsMessage(tracedPayload, nil, sqsMark), w3cID},
		"SQS, both":                      {sqsMessage(tracedPayload, members{"AWSTraceHeader": xray}, sqsMark), w3cID},
		"SNS":                            {members{"Records": []members{{"EventSource": "aws:sns", "EventVersion": "1.0", "Sns": snsNotification(members{"traceparent": members{"Type": "String", "Value": w3c}})}}}, w3cID},
		"SNS in SQS, active tracing":     {sqsMessage(string(envelopeText), members{"AWSTraceHeader": otherXRay}, nil), w3cID},
		"none":                           {sqsMessage(tracedPayload, members{}, nil), ""},
		"garbage in both":                {sqsMessage(tracedPayload, members{"AWSTraceHeader": "+819000000001"}, members{"traceparent": members{"stringValue": "\n+819000000001"}}), ""},
		"garbage beside a good one":      {sqsMessage(tracedPayload, members{"AWSTraceHeader": xray}, members{"traceparent": members{"stringValue": "no"}}), xrayRoot},
		"attributes of another kind":     {sqsMessage(tracedPayload, members{"AWSTraceHeader": 7}, members{"traceparent": members{"stringValue": []int{1}}}), ""},
		"attributes that are no objects": {sqsMessage(tracedPayload, nil, members{"traceparent": "x"}), ""},
	} {
		record := traced(t, c.document)
		if record.Verdict != envelope.VerdictOK || record.Trace.String() != c.want || record.Delivery.Trace != record.Trace {
			t.Errorf("%s: %s (%s), trace %q, want %q", name, record.Verdict, record.Reason, record.Trace, c.want)
		}
	}
	if poison := traced(t, sqsMessage("no request", members{"AWSTraceHeader": xray}, nil)); poison.Verdict != envelope.VerdictReject || poison.Trace.String() != xrayRoot {
		t.Errorf("a poison record is %s and has the trace %q", poison.Verdict, poison.Trace)
	}
}

func FuzzATraceIsWellFormedOrNone(f *testing.F) {
	for _, seed := range []string{w3c, xray, otherXRay, "Root=1-", "00-", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, got := range []call.Trace{envelope.Traceparent(text), envelope.XRayHeader(text)} {
			if got.IsZero() && got != (call.Trace{}) {
				t.Fatalf("%q: a trace without an id: %+v", text, got)
			}
			all := got.ID + got.Parent
			if strings.Trim(all, "0123456789abcdef") != "" || (got.ID != "" && len(got.ID) != 32) || (got.Parent != "" && len(got.Parent) != 16) || len(got.Sampled) > 1 {
				t.Fatalf("%q: %+v", text, got)
			}
		}
	})
}
