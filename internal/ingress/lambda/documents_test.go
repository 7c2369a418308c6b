package lambda

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// published is when the documents of tests in virtual time were sent: later than their clock, so that the stamp is dropped and the
// payload alone dates a request.
var published = time.Date(2026, 11, 29, 2, 58, 0, 0, time.UTC)

// The queues of the documents below.
const (
	standardQueue = "arn:aws:sqs:us-east-1:111122223333:calls"
	fifoQueue     = "arn:aws:sqs:us-east-1:111122223333:calls.fifo"
)

// message is one record of a queue.
type message struct {
	id    string
	group string
	body  string
}

// wish returns the payload of a request for the n-th notification, with further members.
func wish(n int, more ...string) string {
	return fmt.Sprintf(`{"notificationId":"n-%d","recipientId":"r-1","destinationPhoneNumber":"+120255501%02d"%s}`, n, n%100, strings.Join(more, ""))
}

// elsewhere returns the same key as wish(n) with another number.
func elsewhere(n int) string {
	return fmt.Sprintf(`{"notificationId":"n-%d","recipientId":"r-1","destinationPhoneNumber":"+447700900%03d"}`, n, n)
}

// messages numbers bodies m-0, m-1, ...
func messages(bodies ...string) []message {
	list := make([]message, len(bodies))
	for i, body := range bodies {
		list[i] = message{id: fmt.Sprintf("m-%d", i), body: body}
	}
	return list
}

func queueBatch(tb testing.TB, queue string, list ...message) []byte {
	tb.Helper()
	return queueBatchAt(tb, published, queue, list...)
}

func queueBatchAt(tb testing.TB, at time.Time, queue string, list ...message) []byte {
	tb.Helper()
	records := make([]map[string]any, len(list))
	for i, m := range list {
		attributes := map[string]string{"ApproximateReceiveCount": "1", "SentTimestamp": strconv.FormatInt(at.UnixMilli(), 10)}
		if m.group != "" {
			attributes["MessageGroupId"] = m.group
		}
		records[i] = map[string]any{
			"messageId": m.id, "receiptHandle": "h", "body": m.body, "attributes": attributes, "messageAttributes": map[string]any{},
			"eventSource": "aws:sqs", "eventSourceARN": queue, "awsRegion": "us-east-1",
		}
	}
	return marshal(tb, map[string]any{"Records": records})
}

func snsDocument(tb testing.TB, bodies ...string) []byte {
	tb.Helper()
	return snsDocumentAt(tb, published, bodies...)
}

func snsDocumentAt(tb testing.TB, at time.Time, bodies ...string) []byte {
	tb.Helper()
	records := make([]map[string]any, len(bodies))
	for i, body := range bodies {
		records[i] = map[string]any{
			"EventSource": "aws:sns", "EventVersion": "1.0",
			"EventSubscriptionArn": "arn:aws:sns:us-east-1:111122223333:calls:9c1f4b3e-0000-4000-8000-000000000001",
			"Sns": map[string]any{
				"Type": "Notification", "MessageId": fmt.Sprintf("s-%d", i), "TopicArn": "arn:aws:sns:us-east-1:111122223333:calls",
				"Message": body, "Timestamp": at.UTC().Format("2006-01-02T15:04:05.000Z"),
			},
		}
	}
	return marshal(tb, map[string]any{"Records": records})
}

func busEvent(tb testing.TB, source, detailType, detail string) []byte {
	tb.Helper()
	return busEventAt(tb, published, source, detailType, detail)
}

func busEventAt(tb testing.TB, at time.Time, source, detailType, detail string) []byte {
	tb.Helper()
	return marshal(tb, map[string]any{
		"version": "0", "id": "253b6b5a-c7af-4c20-8d90-e32435dfb173", "detail-type": detailType, "source": source,
		"account": "111122223333", "time": at.UTC().Format(time.RFC3339), "region": "us-east-1", "resources": []string{},
		"detail": json.RawMessage(detail),
	})
}

func requestEvent(tb testing.TB, detail string) []byte {
	tb.Helper()
	return busEvent(tb, "com.example.reminders", "Call Requested", detail)
}

func marshal(tb testing.TB, value any) []byte {
	tb.Helper()
	content, err := json.Marshal(value)
	if err != nil {
		tb.Fatal(err)
	}
	return content
}
