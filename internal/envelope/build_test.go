package envelope

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

var processedAt = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)

func at(now time.Time) Options { return Options{Now: now} }

const plainPayload = `{"notificationId":"n-1","recipientId":"r-1","destinationPhoneNumber":"+12025550100"}`

func quoted(tb testing.TB, text string) string {
	tb.Helper()
	content, err := json.Marshal(text)
	if err != nil {
		tb.Fatal(err)
	}
	return string(content)
}

func sqsRecord(tb testing.TB, id, body string) string {
	tb.Helper()
	sum := md5.Sum([]byte(body))
	return fmt.Sprintf(`{"messageId":%q,"receiptHandle":"h","body":%s,"attributes":{"ApproximateReceiveCount":"1",`+
		`"SentTimestamp":"1795921140000"},"messageAttributes":{},"md5OfBody":%q,"eventSource":"aws:sqs",`+
		`"eventSourceARN":"arn:aws:sqs:us-east-1:111122223333:calls","awsRegion":"us-east-1"}`,
		id, quoted(tb, body), hex.EncodeToString(sum[:]))
}

func sqsBatch(tb testing.TB, bodies ...string) []byte {
	tb.Helper()
	records := make([]string, len(bodies))
	for i, body := range bodies {
		records[i] = sqsRecord(tb, fmt.Sprintf("m-%d", i), body)
	}
	return []byte(`{"Records":[` + strings.Join(records, ",") + `]}`)
}

func snsEnvelope(tb testing.TB, message string) string {
	tb.Helper()
	return `{"Type":"Notification","MessageId":"s-1","TopicArn":"arn:aws:sns:us-east-1:111122223333:calls","Message":` +
		quoted(tb, message) + `,"Timestamp":"2026-11-29T02:58:00.000Z"}`
}

func snsRecords(tb testing.TB, message string) string {
	tb.Helper()
	return `{"Records":[{"EventSource":"aws:sns","EventVersion":"1.0","Sns":` + snsEnvelope(tb, message) + `}]}`
}

func eventBridge(source, detail string) string {
	return `{"version":"0","id":"e-1","detail-type":"Call Requested","source":"` + source + `","account":"111122223333",` +
		`"time":"2026-11-29T02:57:00Z","region":"us-east-1","resources":[],"detail":` + detail + `}`
}

func lambdaRecord(condition, payload string) string {
	return `{"version":"1.0","timestamp":"2026-11-29T02:59:00.000Z","requestContext":{"requestId":"l-1",` +
		`"functionArn":"arn:aws:lambda:us-east-1:111122223333:function:f","condition":"` + condition + `"},"requestPayload":` + payload + `}`
}

func kinesisBatch(data []byte) []byte {
	return []byte(`{"Records":[{"kinesis":{"sequenceNumber":"1","approximateArrivalTimestamp":1795921079.172,"data":"` +
		base64.StdEncoding.EncodeToString(data) + `"},"eventSource":"aws:kinesis","eventID":"shard:1"}]}`)
}

// only returns the single record of a document.
func only(tb testing.TB, doc Document) Record {
	tb.Helper()
	if len(doc.Records) != 1 {
		tb.Fatalf("got %d records, want one", len(doc.Records))
	}
	return doc.Records[0]
}
