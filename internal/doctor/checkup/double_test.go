package checkup_test

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// double is an AWS account at the level of HTTP: it finds the operation of a request as AWS does, and answers what the test says.
type double struct {
	mu      sync.Mutex
	answers map[string]any  // action, such as sqs:GetQueueAttributes, to the JSON answer or a refusal
	byKey   map[string]any  // the same for one resource: action + " " + what names it
	sent    map[string]bool // actions that arrived
}

// refusal is an answer that is an error of the service.
type refusal struct {
	status int
	code   string
}

// notImplemented stands for an operation that nobody is prepared for.
var notImplemented = refusal{http.StatusNotImplemented, "NotImplemented"}

func (d *double) answer(action, key string) any {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent[action] = true
	if a, ok := d.byKey[action+" "+key]; ok {
		return a
	}
	if a, ok := d.answers[action]; ok {
		return a
	}
	return notImplemented
}

func (d *double) actions() map[string]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return maps.Clone(d.sent)
}

// ServeHTTP implements http.Handler.
func (d *double) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	action, key := operation(r, body)
	switch answer := d.answer(action, key).(type) {
	case refusal:
		w.Header().Set("X-Amzn-Errortype", answer.code)
		w.WriteHeader(answer.status)
		if strings.HasPrefix(action, "sts:") {
			_, _ = fmt.Fprintf(w, "<ErrorResponse><Error><Code>%s</Code><Message>No.</Message></Error></ErrorResponse>", answer.code)
			return
		}
		_, _ = fmt.Fprintf(w, `{"__type":%q,"message":"Call +12025550142 about it."}`, answer.code)
	case string: // XML of the query protocol
		_, _ = io.WriteString(w, answer)
	default:
		w.Header().Set("Content-Type", "application/x-amz-json-1.0")
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			panic(err)
		}
	}
}

// targets are the beginnings of X-Amz-Target, by service.
var targets = map[string]string{
	"AmazonSQS.": "sqs:", "AWSEvents.": "events:", "ServiceQuotasV20190624.": "servicequotas:", "DynamoDB_20120810.": "dynamodb:",
}

// operation names what a request asks for, and the resource that it names.
func operation(r *http.Request, body []byte) (action, key string) {
	for prefix, service := range targets {
		if name, ok := strings.CutPrefix(r.Header.Get("X-Amz-Target"), prefix); ok {
			var named struct {
				URL  string `json:"QueueUrl"`
				Name string `json:"QueueName"`
			}
			_ = json.Unmarshal(body, &named) // names nothing when it is no object
			return service + name, named.URL + named.Name
		}
	}
	if form, err := url.ParseQuery(string(body)); err == nil && form.Get("Action") != "" {
		return "sts:" + form.Get("Action"), ""
	}
	path := r.Method + " " + r.URL.Path
	for _, rest := range []struct{ prefix, suffix, action string }{
		{"GET /2015-03-31/functions/", "/configuration", "lambda:GetFunctionConfiguration"},
		{"GET /2019-09-25/functions/", "/event-invoke-config", "lambda:GetFunctionEventInvokeConfig"},
		{"GET /2015-03-31/event-source-mappings", "", "lambda:ListEventSourceMappings"},
		{"GET /schedules/", "", "scheduler:GetSchedule"},
		{"GET /instance/", "", "connect:DescribeInstance"},
		{"GET /contact-flows/", "", "connect:DescribeContactFlow"},
		{"GET /queues/", "", "connect:DescribeQueue"},
		{"POST /phone-number/list", "", "connect:ListPhoneNumbersV2"},
	} {
		if strings.HasPrefix(path, rest.prefix) && strings.HasSuffix(path, rest.suffix) {
			return rest.action, r.URL.Query().Get("EventSourceArn")
		}
	}
	return path, ""
}

type object = map[string]any

const (
	queueURL = "https://sqs.us-east-1.amazonaws.com/111122223333/requests"
	deadURL  = "https://sqs.us-east-1.amazonaws.com/111122223333/requests-dlq"
	queueARN = "arn:aws:sqs:us-east-1:111122223333:requests"
	deadARN  = "arn:aws:sqs:us-east-1:111122223333:requests-dlq"
	function = "arn:aws:lambda:us-east-1:111122223333:function:ringonce"
	instance = "11111111-2222-4333-8444-555555555555"
	flow     = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"
	callers  = "99999999-8888-4777-8666-555555555555"
	pattern  = `{"source":["aws.connect"],"detail-type":["Amazon Connect Contact Event"],"detail":{"instanceArn":["arn:aws:connect:us-east-1:111122223333:instance/` + instance + `"]}}`
)

// attributes are those of the sound queue, changed.
func attributes(change object) object {
	all := object{
		"QueueArn": queueARN, "VisibilityTimeout": "360", "MessageRetentionPeriod": "345600", "SqsManagedSseEnabled": "true",
		"ApproximateNumberOfMessages": "0", "RedrivePolicy": `{"deadLetterTargetArn":"` + deadARN + `","maxReceiveCount":5}`,
	}
	maps.Copy(all, change)
	return object{"Attributes": all}
}

func dead(change object) object {
	all := object{"QueueArn": deadARN, "MessageRetentionPeriod": "1209600", "SqsManagedSseEnabled": "true", "ApproximateNumberOfMessages": "0"}
	maps.Copy(all, change)
	return object{"Attributes": all}
}

func configuration(change object) object {
	all := object{"FunctionName": "ringonce", "FunctionArn": function, "Timeout": 60, "State": "Active", "Architectures": []string{"arm64"}}
	maps.Copy(all, change)
	return all
}

func mapping(change object) object {
	all := object{
		"EventSourceArn": queueARN, "FunctionArn": function, "State": "Enabled", "BatchSize": 10, "MaximumBatchingWindowInSeconds": 0,
		"FunctionResponseTypes": []string{"ReportBatchItemFailures"}, "ScalingConfig": object{"MaximumConcurrency": 2},
	}
	maps.Copy(all, change)
	return object{"EventSourceMappings": []object{all}}
}

func ruleOf(change object) object {
	all := object{"Name": "contacts", "State": "ENABLED", "EventPattern": pattern}
	maps.Copy(all, change)
	return all
}

func scheduleOf(change object) object {
	all := object{"Name": "sweep", "State": "ENABLED", "ScheduleExpression": "rate(1 minute)", "Target": object{"Arn": function}}
	maps.Copy(all, change)
	return all
}

func tableOf(change object) object {
	all := object{
		"TableName": "calls", "KeySchema": []object{{"AttributeName": "pk", "KeyType": "HASH"}}, "DeletionProtectionEnabled": true,
		"GlobalSecondaryIndexes": []object{{"IndexName": "due"}}, "SSEDescription": object{"Status": "ENABLED", "SSEType": "KMS"},
	}
	maps.Copy(all, change)
	return object{"Table": all}
}

func pointInTime(status string) object {
	return object{"ContinuousBackupsDescription": object{
		"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": object{"PointInTimeRecoveryStatus": status},
	}}
}

func quotasOf(rate, concurrent float64) object {
	return object{"Quotas": []object{
		{"QuotaCode": "L-4E9BCC96", "QuotaName": "Rate of StartOutboundVoiceContact API requests", "Value": rate},
		{"QuotaCode": "L-00000000", "QuotaName": "Concurrent active calls per instance", "Value": concurrent},
	}}
}

func instanceOf(change object) object {
	all := object{
		"Id": instance, "Arn": "arn:aws:connect:us-east-1:111122223333:instance/" + instance, "InstanceAlias": "sound", "InstanceStatus": "ACTIVE",
		"OutboundCallsEnabled": true,
	}
	maps.Copy(all, change)
	return object{"Instance": all}
}

// sound is an account without a finding.
func sound() *double {
	return &double{sent: map[string]bool{}, byKey: map[string]any{
		"sqs:GetQueueAttributes " + queueURL: attributes(nil), "sqs:GetQueueAttributes " + deadURL: dead(nil),
	}, answers: map[string]any{
		"sts:GetCallerIdentity": "<GetCallerIdentityResponse><GetCallerIdentityResult><Arn>arn:aws:iam::111122223333:user/op</Arn>" +
			"</GetCallerIdentityResult></GetCallerIdentityResponse>",
		"sqs:GetQueueUrl":                     object{"QueueUrl": deadURL},
		"lambda:GetFunctionConfiguration":     configuration(nil),
		"lambda:GetFunctionEventInvokeConfig": object{"DestinationConfig": object{"OnFailure": object{"Destination": deadARN}}},
		"lambda:ListEventSourceMappings":      mapping(nil),
		"events:DescribeRule":                 ruleOf(nil),
		"events:ListTargetsByRule":            object{"Targets": []object{{"Id": "1", "Arn": queueARN}}},
		"scheduler:GetSchedule":               scheduleOf(nil),
		"servicequotas:ListServiceQuotas":     quotasOf(2, 100),
		"dynamodb:DescribeTable":              tableOf(nil),
		"dynamodb:DescribeContinuousBackups":  pointInTime("ENABLED"),
		"dynamodb:DescribeTimeToLive":         object{"TimeToLiveDescription": object{"TimeToLiveStatus": "DISABLED"}},
		"connect:DescribeInstance":            instanceOf(nil),
		"connect:DescribeContactFlow":         object{"ContactFlow": object{"Id": flow, "Name": "f", "State": "ACTIVE", "Status": "PUBLISHED"}},
		"connect:DescribeQueue": object{"Queue": object{
			"QueueId": callers, "Name": "q", "Status": "ENABLED", "OutboundCallerConfig": object{"OutboundCallerIdNumberId": "n"},
		}},
		"connect:ListPhoneNumbersV2": object{"ListPhoneNumbersSummaryList": []object{{"PhoneNumber": "+12025550100"}}},
	}}
}
