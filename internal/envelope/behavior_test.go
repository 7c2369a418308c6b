package envelope

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestEachTransportHasItsSourceAndStyle(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file   string
		style  Style
		source call.Source
		fifo   bool
	}{
		{"sqs-standard-01.json", StyleSQS, call.SourceSQS, false},
		{"sqs-fifo-01.json", StyleSQSFIFO, call.SourceSQSFIFO, true},
		{"pipes-sqs-01.json", StylePipesSQS, call.SourceSQS, false},
		{"sns-lambda-01.json", StyleNone, call.SourceSNS, false},
		{"eventbridge-lambda-01.json", StyleNone, call.SourceEventBridge, false},
		{"connect-contact-event-01.json", StyleNone, call.SourceEventBridge, false},
		{"lambda-onfailure-other-03.json", StyleNone, call.SourceEventBridge, false},
		{"direct-invoke-01.json", StyleNone, call.SourceDirect, false},
		{"empty-or-unknown-01.json", StyleNone, call.SourceDirect, false},
		{"bad-json5-02.json", StyleNone, call.SourceDirect, false},
		{"apigw-http-v2-02.json", StyleNone, call.SourceHTTP, false},
		{"alb-01.json", StyleNone, call.SourceHTTP, false},
		{"kinesis-01.json", StyleStream, call.SourceKinesis, false},
		{"dynamodb-stream-01.json", StyleStream, call.SourceDynamoDB, false},
		{"kafka-01.json", StyleKafka, call.SourceKafka, false},
		{"pipes-stream-01.json", StylePipesKinesis, call.SourceKinesis, false},
		{"custom-event-bus-01.json", StyleCustomBus, call.SourceCustomBus, false},
		{"custom-event-bus-02.json", StyleCustomBus, call.SourceCustomBus, false},
	}
	for _, test := range tests {
		doc := Decode(readEvent(t, test.file), at(processedAt))
		if doc.Style != test.style || doc.Source != test.source || doc.FIFO != test.fifo {
			t.Errorf("%s: got %s %q fifo=%v, want %s %q fifo=%v", test.file, doc.Style, doc.Source, doc.FIFO, test.style, test.source, test.fifo)
		}
		for _, r := range doc.Records {
			if r.Verdict == VerdictOK && r.Delivery.Source != test.source {
				t.Errorf("%s: the delivery came from %q", test.file, r.Delivery.Source)
			}
		}
	}
}

func TestDeliveryCarriesWhatTheCoreNeeds(t *testing.T) {
	t.Parallel()
	r := only(t, Decode(readEvent(t, "eventbridge-replay-03.json"), at(processedAt)))
	d := r.Delivery
	if d.ID != r.BatchItemFailureID || d.ID == "" || d.EventID != d.Origin || d.EventID == "" {
		t.Errorf("ids: %q %q %q", d.ID, d.Origin, d.EventID)
	}
	if d.Replay != "fix_ca1" || d.ReceiveCount < 1 || !d.FirstRequested.Trusted() || d.FirstRequested != r.FirstRequested {
		t.Errorf("evidence: %q %d %+v", d.Replay, d.ReceiveCount, d.FirstRequested)
	}
	if !strings.HasPrefix(r.SourceARN, "arn:aws:sqs:") || d.Producer != "" || !d.ReceivedAt.IsZero() {
		t.Errorf("the caller's members: %q %q %s", r.SourceARN, d.Producer, d.ReceivedAt)
	}
}

func TestGroupIsReadOnFIFOQueuesOnly(t *testing.T) {
	t.Parallel()
	for _, r := range Decode(readEvent(t, "sqs-fifo-batch-01.json"), at(processedAt)).Records {
		if r.Group == "" {
			t.Errorf("%s has no group", r.Path)
		}
	}
	fair := only(t, Decode(readEvent(t, "sqs-standard-01.json"), at(processedAt)))
	if fair.Group != "" {
		t.Errorf("the tenant of a fair queue became the group %q", fair.Group)
	}
}

func TestOneBadRecordDoesNotRefuseItsNeighbors(t *testing.T) {
	t.Parallel()
	content := string(sqsBatch(t, plainPayload, plainPayload, plainPayload))
	damaged := strings.Replace(content, `"messageId":"m-1","receiptHandle":"h"`, "\"messageId\":\"m-1\",\"receiptHandle\":\"\xff\"", 1)
	doc := Decode([]byte(damaged), at(processedAt))
	if len(doc.Records) != 3 {
		t.Fatalf("got %d records", len(doc.Records))
	}
	for i, r := range doc.Records {
		switch {
		case r.BatchItemFailureID == "":
			t.Errorf("record %d lost its id", i)
		case i == 1 && r.Reason != ReasonInvalidUTF8:
			t.Errorf("the bad record: %s %s", r.Verdict, r.Reason)
		case i != 1 && r.Verdict != VerdictOK:
			t.Errorf("record %d: %s %s", i, r.Verdict, r.Reason)
		}
	}
}

func TestADefectAroundTheRecordsRefusesThemAll(t *testing.T) {
	t.Parallel()
	content := strings.Replace(string(sqsBatch(t, plainPayload, plainPayload)), `{"Records"`, `{"x":1,"x":2,"Records"`, 1)
	for _, r := range Decode([]byte(content), at(processedAt)).Records {
		if r.Verdict != VerdictReject || r.Reason != ReasonDuplicateKey || r.BatchItemFailureID == "" {
			t.Errorf("%s: %s %s %q", r.Path, r.Verdict, r.Reason, r.BatchItemFailureID)
		}
	}
}

func TestARecordOfAnotherSourceIsRefused(t *testing.T) {
	t.Parallel()
	sns := strings.TrimSuffix(strings.TrimPrefix(snsRecords(t, plainPayload), `{"Records":[`), "]}")
	foreign := strings.Replace(sqsRecord(t, "m-1", plainPayload), `"eventSource":"aws:sqs"`, `"eventSource":"aws:mq"`, 1)
	content := `{"Records":[` + sqsRecord(t, "m-0", plainPayload) + "," + foreign + "," + sns + `,7]}`
	records := Decode([]byte(content), at(processedAt)).Records
	if len(records) != 4 || records[0].Verdict != VerdictOK || records[1].BatchItemFailureID != "m-1" {
		t.Fatalf("got %+v", records)
	}
	for _, r := range records[1:] {
		if r.Verdict != VerdictReject || r.Reason != ReasonUnrecognized {
			t.Errorf("%s: %s %s", r.Path, r.Verdict, r.Reason)
		}
	}
}

func TestAMessageWithoutItsIDIsNotDialed(t *testing.T) {
	t.Parallel()
	content := strings.Replace(string(sqsBatch(t, plainPayload)), `"messageId":"m-0",`, "", 1)
	r := only(t, Decode([]byte(content), at(processedAt)))
	if r.Verdict != VerdictReject || r.Field != "messageId" || r.BatchItemFailureID != "" {
		t.Errorf("got %s %s %q", r.Verdict, r.Field, r.BatchItemFailureID)
	}
}

func TestSweepIsTriggeredByTheDocumentOnly(t *testing.T) {
	t.Parallel()
	const trigger = `{"ringonce":"sweep"}`
	honored := []string{trigger, " " + trigger + "\n", eventBridge("com.example.schedule", trigger)}
	for _, content := range honored {
		if r := only(t, Decode([]byte(content), at(processedAt))); !r.IsSweep() || r.Verdict != VerdictIgnore {
			t.Errorf("%s: got %s %s", content, r.Verdict, r.Reason)
		}
	}
	refused := []string{
		`{"ringonce":"sweep","x":1}`, `{"ringonce":"Sweep"}`, `{"ringonce":true}`, `{"Ringonce":"sweep"}`, `["ringonce"]`,
		string(sqsBatch(t, trigger)), string(sqsBatch(t, eventBridge("com.example", trigger))),
		snsRecords(t, trigger), lambdaRecord("RetriesExhausted", `{"ringonce":"sweep","x":1}`),
	}
	for _, content := range refused {
		if r := only(t, Decode([]byte(content), at(processedAt))); r.IsSweep() || r.Verdict != VerdictReject {
			t.Errorf("%s: got %s %s", content, r.Verdict, r.Reason)
		}
	}
}

// undelivered are the forms in which a queue of undelivered events holds what a function or a schedule was to be given.
func undelivered(tb testing.TB, content string) []string {
	tb.Helper()
	marked := func(names ...string) string {
		attributes := make([]string, len(names))
		for i, name := range names {
			attributes[i] = fmt.Sprintf(`%q:{"stringValue":"x","dataType":"String"}`, name)
		}
		return strings.Replace(string(sqsBatch(tb, content)), `"messageAttributes":{}`, `"messageAttributes":{`+strings.Join(attributes, ",")+`}`, 1)
	}
	record := lambdaRecord("RetriesExhausted", content)
	return []string{
		record, string(sqsBatch(tb, record)), eventBridge("lambda", record), string(sqsBatch(tb, eventBridge("lambda", record))),
		lambdaRecord("EventAgeExceeded", eventBridge("com.example.schedule", content)), snsRecords(tb, record),
		marked("RequestID", "ErrorCode", "ErrorMessage"), marked("SCHEDULE_ARN"), marked("RULE_ARN", "TARGET_ARN", "ERROR_CODE"),
	}
}

func TestATriggerThatWasNotDeliveredIsIgnoredAndTriggersNothing(t *testing.T) {
	t.Parallel()
	for _, content := range undelivered(t, `{"ringonce":"sweep"}`) {
		if r := only(t, Decode([]byte(content), at(processedAt))); r.IsSweep() || r.Verdict != VerdictIgnore || r.Reason != ReasonSweep {
			t.Errorf("%s: got %s %s", content, r.Verdict, r.Reason)
		}
	}
	for _, content := range undelivered(t, `{"ringonce":"sweep","x":1}`) {
		if r := only(t, Decode([]byte(content), at(processedAt))); r.IsSweep() || r.Verdict != VerdictReject {
			t.Errorf("%s: got %s %s", content, r.Verdict, r.Reason)
		}
	}
}

func TestContactEventIsReadWithoutRegardToCase(t *testing.T) {
	t.Parallel()
	detail := `{"EventType":"DISCONNECTED","contactID":"c-1","INITIATIONMETHOD":"API","initiationTimestamp":"1970-01-02T00:00:00Z",` +
		`"disconnectReason":null,"futureThing":[1,{"contactId":"other"}]}`
	content := strings.Replace(eventBridge("aws.connect", detail), "Call Requested", "Amazon Connect Contact Event", 1)
	for _, document := range [][]byte{[]byte(content), sqsBatch(t, content)} {
		r := only(t, Decode(document, at(processedAt)))
		want := ContactEvent{EventType: "DISCONNECTED", ContactID: "c-1", InitiationMethod: "API"}
		if r.Reason != ReasonContactEvent || r.Contact == nil || *r.Contact != want {
			t.Errorf("got %s %+v", r.Reason, r.Contact)
		}
	}
	dated := strings.Replace(content, "1970-01-02", "2026-11-29", 1)
	if r := only(t, Decode([]byte(dated), at(processedAt))); !r.Contact.InitiationTimestamp.Equal(time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("initiation: %s", r.Contact.InitiationTimestamp)
	}
	full := `{"eventType":"DISCONNECTED","contactId":"c-1","ConnectedToSystemTimestamp":"2026-11-29T00:00:08.120Z","disconnectTimestamp":"2026-11-29T00:00:25Z",` +
		`"QueueInfo":{"queueArn":"q","EnqueueTimestamp":"2026-11-29T00:00:09Z"},"agentInfo":{"connectedToAgentTimestamp":"2026-11-29T00:00:12Z","agentArn":"a"},` +
		`"lastUpdateTimestamp":"2026-11-29T00:01:00Z","DisconnectReason":"AGENT_DISCONNECT","answeringMachineDetectionStatus":"HUMAN_ANSWERED",` +
		`"campaign":{"disconnectReason":"of another thing","contactId":"other"},"enqueueTimestamp":"2020-01-01T00:00:00Z"}`
	day := func(d time.Duration) time.Time { return time.Date(2026, 11, 29, 0, 0, 0, 0, time.UTC).Add(d) }
	want := ContactEvent{
		EventType: "DISCONNECTED", ContactID: "c-1", ConnectedToSystemTimestamp: day(8120 * time.Millisecond), DisconnectTimestamp: day(25 * time.Second),
		EnqueueTimestamp: day(9 * time.Second), ConnectedToAgentTimestamp: day(12 * time.Second), LastUpdateTimestamp: day(time.Minute),
		DisconnectReason: "AGENT_DISCONNECT", AnsweringMachineDetectionStatus: "HUMAN_ANSWERED",
	}
	if r := only(t, Decode([]byte(strings.Replace(content, detail, full, 1)), at(processedAt))); *r.Contact != want {
		t.Errorf("got %+v, want %+v", *r.Contact, want)
	}
	odd := strings.Replace(content, detail, `"text"`, 1)
	if r := only(t, Decode([]byte(odd), at(processedAt))); r.Reason != ReasonContactEvent || *r.Contact != (ContactEvent{}) {
		t.Errorf("a detail that is no object: %s %+v", r.Reason, r.Contact)
	}
}

func TestTheDeepestDocumentedChainIsOpenedAndNoDeeperOne(t *testing.T) {
	t.Parallel()
	deepest := lambdaRecord("RetriesExhausted", snsRecords(t, eventBridge("com.example", plainPayload)))
	r := only(t, Decode(sqsBatch(t, deepest), at(processedAt)))
	want := []string{"sqs", "lambda-record", "sns-records", "eventbridge", "payload"}
	if r.Verdict != VerdictOK || !slices.Equal(r.Nesting, want) {
		t.Errorf("got %s %s %v", r.Verdict, r.Reason, r.Nesting)
	}
	if limited := only(t, Decode(sqsBatch(t, deepest), Options{Now: processedAt, MaxUnwraps: 3})); limited.Reason != ReasonNestingTooDeep {
		t.Errorf("with three unwraps: %s %s", limited.Verdict, limited.Reason)
	}
	deeper := lambdaRecord("RetriesExhausted", snsRecords(t, eventBridge("com.example", eventBridge("com.example", plainPayload))))
	if r := only(t, Decode(sqsBatch(t, deeper), at(processedAt))); r.Reason != ReasonNestingTooDeep || len(r.Identity.All) != 1 {
		t.Errorf("got %s %v", r.Reason, r.Identity.All)
	}
}

func TestAnEnvelopeWithPayloadMembersIsAmbiguous(t *testing.T) {
	t.Parallel()
	const extra = `"recipientId":"r-2",`
	envelopes := []string{
		eventBridge("com.example", plainPayload), snsEnvelope(t, plainPayload), lambdaRecord("RetriesExhausted", plainPayload),
		snsRecords(t, plainPayload), string(sqsBatch(t, plainPayload)), string(readEvent(t, "apigw-http-v2-02.json")),
		string(readEvent(t, "custom-event-bus-02.json")),
	}
	for _, envelope := range envelopes {
		content := strings.Replace(envelope, "{", "{"+extra, 1)
		r := only(t, Decode([]byte(content), at(processedAt)))
		if r.Verdict != VerdictReject || r.Reason != ReasonAmbiguous {
			t.Errorf("%.60s: got %s %s", content, r.Verdict, r.Reason)
		}
	}
}
