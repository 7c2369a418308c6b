package lambda

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// way is one way in which a request reaches the function.
type way struct {
	document func(tb testing.TB, at time.Time, body string) []byte // that carries this payload, sent at that time
	done     string                                                // answer when the request is placed with the contact c-1
	failed   string                                                // answer when it is not acknowledged; empty means an error
}

// says returns what the answer to a placed request contains, whatever its contact.
func (w way) says() string {
	for _, part := range []string{`{"batchItemFailures":[]}`, `"statusCode":202`} {
		if strings.Contains(w.done, part) {
			return strings.TrimSuffix(part, "2") // a repeat is a 200
		}
	}
	return `"situation":"placed"`
}

const (
	noFailures = `{"batchItemFailures":[]}`
	placedOnly = `{"situation":"placed","acknowledge":"acknowledge","contactId":"c-1"}`
)

func placedAt(path string) string {
	return `{"records":[{"path":"` + path + `","situation":"placed","acknowledge":"acknowledge","contactId":"c-1"}]}`
}

func failing1(item string) string {
	return `{"batchItemFailures":[{"itemIdentifier":` + item + `}]}`
}

// everySource is one document per source that this function serves.
var everySource = map[string]way{
	"SQS standard": {func(tb testing.TB, at time.Time, body string) []byte {
		return queueBatchAt(tb, at, standardQueue, messages(body)...)
	}, noFailures, failing1(`"m-0"`)},
	"SQS FIFO": {func(tb testing.TB, at time.Time, body string) []byte {
		return queueBatchAt(tb, at, fifoQueue, message{"m-0", "g", body})
	}, noFailures, failing1(`"m-0"`)},
	"SQS, dead letter of a Lambda function": {func(tb testing.TB, at time.Time, body string) []byte {
		record := marshal(tb, lambdaRecordOf(at, "RetriesExhausted", body))
		return queueBatchAt(tb, at, standardQueue, messages(string(record))...)
	}, noFailures, failing1(`"m-0"`)},
	"SNS": {func(tb testing.TB, at time.Time, body string) []byte { return snsDocumentAt(tb, at, body) }, placedAt("/Records/0"), ""},
	"EventBridge": {func(tb testing.TB, at time.Time, body string) []byte {
		return busEventAt(tb, at, "com.example.reminders", "Call Requested", body)
	}, placedOnly, ""},
	"EventBridge, destination of a Lambda function": {func(tb testing.TB, at time.Time, body string) []byte {
		record := marshal(tb, lambdaRecordOf(at, "RetriesExhausted", body))
		return busEventAt(tb, at, "lambda", "Lambda Function Invocation Result - Failure", string(record))
	}, placedOnly, ""},
	"Scheduler with an input": {func(_ testing.TB, _ time.Time, body string) []byte { return []byte(body) }, placedOnly, ""},
	"Kinesis": {func(tb testing.TB, at time.Time, body string) []byte {
		return kinesisDocument(tb, at, stream{"49665049928271638929192250148322061922713939126898610806", body})
	}, noFailures, failing1(`"49665049928271638929192250148322061922713939126898610806"`)},
	"DynamoDB Streams": {dynamoDBDocument, noFailures, failing1(`"425940775747936606981884"`)},
	"Kafka": {func(tb testing.TB, at time.Time, body string) []byte {
		return kafkaDocument(tb, at, 9007199254740993, body)
	}, noFailures, failing1(`{"partition":"call-requests-2","offset":9007199254740993}`)},
	"custom event bus, a batch": {func(tb testing.TB, at time.Time, body string) []byte {
		return marshal(tb, []any{customBusEvent(at, body)})
	}, placedAt("/0"), ""},
	"custom event bus, one event": {func(tb testing.TB, at time.Time, body string) []byte {
		return marshal(tb, customBusEvent(at, body))
	}, placedOnly, ""},
	"Pipes, SQS": {func(tb testing.TB, at time.Time, body string) []byte {
		return recordsOf(tb, queueBatchAt(tb, at, standardQueue, messages(body)...))
	}, noFailures, failing1(`"m-0"`)},
	"Pipes, Kinesis": {func(tb testing.TB, at time.Time, body string) []byte {
		flat := kinesisData(at, stream{"49665049928271638929192250148322061922713939126898610806", body})
		flat["eventSource"], flat["eventID"], flat["eventSourceARN"] = "aws:kinesis", "shardId-000000000000:4966", streamARN
		return marshal(tb, []any{flat})
	}, noFailures, failing1(`"shardId-000000000000:4966"`)},
	"Pipes, DynamoDB Streams": {func(tb testing.TB, at time.Time, body string) []byte {
		return recordsOf(tb, dynamoDBDocument(tb, at, body))
	}, noFailures, failing1(`"fc8af2c8a3ce73e38fa9017bd5fb5ab2"`)},
	"Pipes, Kafka": {func(tb testing.TB, at time.Time, body string) []byte {
		record := kafkaRecord(at, 41, body)
		record["eventSource"], record["eventSourceArn"] = "aws:kafka", kafkaARN
		return marshal(tb, []any{record})
	}, placedAt("/0"), ""},
	"API Gateway v1": {func(tb testing.TB, at time.Time, body string) []byte {
		return httpDocument(tb, body, map[string]any{
			"httpMethod": "POST", "requestContext": map[string]any{"requestId": "r-1", "requestTimeEpoch": at.UnixMilli(), "stage": "prod"},
		})
	}, httpPlaced, httpRefused},
	"API Gateway v2": {func(tb testing.TB, at time.Time, body string) []byte {
		return httpDocument(tb, body, httpv2(at, "abc123.execute-api.us-east-1.amazonaws.com"))
	}, httpPlaced, httpRefused},
	"function URL": {func(tb testing.TB, at time.Time, body string) []byte {
		return httpDocument(tb, body, httpv2(at, "abc123.lambda-url.us-east-1.on.aws"))
	}, httpPlaced, httpRefused},
	"load balancer": {func(tb testing.TB, _ time.Time, body string) []byte {
		return httpDocument(tb, body, balancer())
	}, strings.Replace(httpPlaced, `202,`, `202,"statusDescription":"202 Accepted",`, 1), strings.Replace(httpRefused, `422,`, `422,"statusDescription":"422 Unprocessable Entity",`, 1)},
	"Step Functions": {func(tb testing.TB, at time.Time, body string) []byte {
		return marshal(tb, map[string]any{
			"Execution": map[string]any{
				"Id": "arn:aws:states:us-east-1:111122223333:execution:calls:one", "StartTime": rfc3339(at), "Input": json.RawMessage(body),
			},
			"State": map[string]any{"Name": "Call"}, "StateMachine": map[string]any{"Name": "calls"},
		})
	}, placedOnly, ""},
	"direct": {func(_ testing.TB, _ time.Time, body string) []byte { return []byte(body) }, placedOnly, ""},
}

const (
	httpPlaced = `{"statusCode":202,"headers":{"cache-control":"no-store","content-type":"application/json"},` +
		`"body":"{\"situation\":\"placed\",\"acknowledge\":\"acknowledge\",\"contactId\":\"c-1\"}","isBase64Encoded":false}`
	httpRefused = `{"statusCode":422,"headers":{"cache-control":"no-store","content-type":"application/problem+json"},` +
		`"body":"{\"type\":\"about:blank\",\"title\":\"Unprocessable Entity\",\"status\":422,\"detail\":\"No.\",\"code\":\"field_value\",\"situation\":\"refused\"}",` +
		`"isBase64Encoded":false}`
	streamARN = "arn:aws:kinesis:us-east-1:111122223333:stream/call-requests"
	kafkaARN  = "arn:aws:kafka:us-east-1:111122223333:cluster/calls/4e32ab3f-7de9-40be-9030-79021684c04b-4"
)

func rfc3339(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

func encoded(body string) string { return base64.StdEncoding.EncodeToString([]byte(body)) }

// stream is one record of a Kinesis stream.
type stream struct{ number, body string }

func kinesisData(at time.Time, s stream) map[string]any {
	return map[string]any{
		"kinesisSchemaVersion": "1.0", "partitionKey": "p", "sequenceNumber": s.number, "data": encoded(s.body),
		"approximateArrivalTimestamp": float64(at.UnixMilli()) / 1000,
	}
}

func kinesisDocument(tb testing.TB, at time.Time, list ...stream) []byte {
	tb.Helper()
	records := make([]any, len(list))
	for i, s := range list {
		records[i] = map[string]any{
			"kinesis": kinesisData(at, s), "eventSource": "aws:kinesis", "eventID": "shardId-000000000000:" + s.number, "eventSourceARN": streamARN,
		}
	}
	return marshal(tb, map[string]any{"Records": records})
}

// dynamoDBDocument writes the payload, which holds nothing but strings, as an inserted item.
func dynamoDBDocument(tb testing.TB, at time.Time, body string) []byte {
	tb.Helper()
	var members map[string]string
	if err := json.Unmarshal([]byte(body), &members); err != nil {
		tb.Fatal(err)
	}
	image := map[string]any{}
	for name, value := range members {
		image[name] = map[string]string{"S": value}
	}
	return marshal(tb, map[string]any{"Records": []any{map[string]any{
		"eventID": "fc8af2c8a3ce73e38fa9017bd5fb5ab2", "eventName": "INSERT", "eventSource": "aws:dynamodb",
		"eventSourceARN": "arn:aws:dynamodb:us-east-1:111122223333:table/call-requests/stream/2026-01-05T00:00:00.000",
		"dynamodb":       map[string]any{"ApproximateCreationDateTime": at.Unix(), "SequenceNumber": "425940775747936606981884", "NewImage": image},
	}}})
}

func kafkaRecord(at time.Time, offset int64, body string) map[string]any {
	return map[string]any{
		"topic": "call-requests", "partition": 2, "offset": offset, "timestamp": at.UnixMilli(), "timestampType": "CREATE_TIME",
		"value": encoded(body), "headers": []any{},
	}
}

// kafkaDocument numbers the records from the offset on.
func kafkaDocument(tb testing.TB, at time.Time, offset int64, bodies ...string) []byte {
	tb.Helper()
	records := make([]any, len(bodies))
	for i, body := range bodies {
		records[i] = kafkaRecord(at, offset+int64(i), body)
	}
	return marshal(tb, map[string]any{
		"eventSource": "aws:kafka", "eventSourceArn": kafkaARN, "records": map[string]any{"call-requests-2": records},
	})
}

func customBusEvent(at time.Time, body string) map[string]any {
	return map[string]any{
		"Data": json.RawMessage(body), "Metadata": map[string]any{},
		"SystemMetadata": map[string]any{
			"aws:DeliveryType": "STANDARD", "ContentType": "application/json", "aws:EventId": "b4989515-eff1-4608-8705-bd182476ee22",
			"aws:IngestionTime": rfc3339(at),
		},
	}
}

func lambdaRecordOf(at time.Time, condition, body string) map[string]any {
	return map[string]any{
		"version": "1.0", "timestamp": rfc3339(at),
		"requestContext": map[string]any{
			"requestId": "77b406b2-16f0-4aa8-9704-ba3cdd8199d7", "functionArn": "arn:aws:lambda:us-east-1:111122223333:function:calls:$LATEST",
			"condition": condition, "approximateInvokeCount": 3,
		},
		"requestPayload": json.RawMessage(body),
	}
}

// recordsOf returns the records of a document as a bare array, as a pipe hands them over.
func recordsOf(tb testing.TB, document []byte) []byte {
	tb.Helper()
	var batch struct{ Records json.RawMessage }
	if err := json.Unmarshal(document, &batch); err != nil {
		tb.Fatal(err)
	}
	return batch.Records
}

func httpv2(at time.Time, domain string) map[string]any {
	return map[string]any{
		"version": "2.0", "routeKey": "$default", "rawPath": "/calls",
		"requestContext": map[string]any{
			"http": map[string]any{"method": "POST", "path": "/calls"}, "domainName": domain, "requestId": "r-1", "timeEpoch": at.UnixMilli(),
		},
	}
}

func balancer() map[string]any {
	return map[string]any{
		"httpMethod": "POST", "path": "/calls",
		"requestContext": map[string]any{"elb": map[string]any{"targetGroupArn": "arn:aws:elasticloadbalancing:us-east-1:111122223333:targetgroup/calls/574e"}},
	}
}

func httpDocument(tb testing.TB, body string, request map[string]any) []byte {
	tb.Helper()
	request["body"], request["isBase64Encoded"] = encoded(body), true
	if request["multiValueHeaders"] == nil {
		request["headers"] = map[string]string{"content-type": "application/json", "host": "calls.example.com"}
	}
	return marshal(tb, request)
}

// Every column of the acknowledge table is one of the ways above.
func TestEverySourceOfTheAcknowledgeTableIsDriven(t *testing.T) {
	t.Parallel()
	driven := map[call.Source]bool{}
	for _, w := range everySource {
		driven[decoded(w.document(t, published, wish(1))).Source] = true
	}
	for _, source := range call.Sources() {
		if !driven[source] {
			t.Errorf("no document comes from %s", source)
		}
	}
	if len(driven) != len(call.Sources()) {
		t.Errorf("documents come from %v", driven)
	}
}
