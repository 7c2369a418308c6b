//go:build integration

package e2etest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	eventtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/sns"
)

// request is a call request as a producer writes it.
type request struct {
	NotificationID string            `json:"notificationId"`
	RecipientID    string            `json:"recipientId"`
	Number         string            `json:"destinationPhoneNumber,omitempty"`
	RequestedAt    string            `json:"requestedAt,omitempty"`
	NotAfter       string            `json:"notAfter,omitempty"`
	Attributes     map[string]string `json:"attributes,omitempty"`
	Action         string            `json:"action,omitempty"`
}

// asking is the nth request: a key and a number of its own.
func asking(n int) request {
	return request{NotificationID: fmt.Sprint("notification-", n), RecipientID: fmt.Sprint("user-", n), Number: number(n)}
}

// number is the nth of the fictitious numbers that answer (connectemu.DefaultFate).
func number(n int) string { return fmt.Sprintf("+447700900%03d", n/90*100+n%90) }

// topic makes a topic.
func (c *cloud) topic(t *testing.T) string {
	t.Helper()
	created, err := c.sns.CreateTopic(t.Context(), &sns.CreateTopicInput{Name: aws.String(c.name("topic"))})
	if err != nil {
		t.Fatalf("create a topic: %v", err)
	}
	return *created.TopicArn
}

// subscribe lets a topic deliver to a queue or a function.
func (c *cloud) subscribe(t *testing.T, topic, protocol, endpoint string, raw bool) {
	t.Helper()
	in := &sns.SubscribeInput{TopicArn: &topic, Protocol: &protocol, Endpoint: &endpoint, ReturnSubscriptionArn: true}
	if raw {
		in.Attributes = map[string]string{"RawMessageDelivery": "true"}
	}
	if _, err := c.sns.Subscribe(t.Context(), in); err != nil {
		t.Fatalf("subscribe %s: %v", endpoint, err)
	}
}

func (c *cloud) publish(t *testing.T, topic, body string) {
	t.Helper()
	if _, err := c.sns.Publish(t.Context(), &sns.PublishInput{TopicArn: &topic, Message: &body}); err != nil {
		t.Fatalf("publish: %v", err)
	}
}

// bus makes an event bus with a rule that delivers every event of the producer to one target.
func (c *cloud) bus(t *testing.T, target string) string {
	t.Helper()
	bus, rule := c.name("bus"), c.name("rule")
	if _, err := c.events.CreateEventBus(t.Context(), &eventbridge.CreateEventBusInput{Name: &bus}); err != nil {
		t.Fatalf("create a bus: %v", err)
	}
	if _, err := c.events.PutRule(t.Context(), &eventbridge.PutRuleInput{Name: &rule, EventBusName: &bus, EventPattern: aws.String(`{"source":["orders"]}`)}); err != nil {
		t.Fatalf("put a rule: %v", err)
	}
	put, err := c.events.PutTargets(t.Context(), &eventbridge.PutTargetsInput{Rule: &rule, EventBusName: &bus, Targets: []eventtypes.Target{{Id: aws.String("ringonce"), Arn: &target}}})
	if err != nil || put.FailedEntryCount > 0 {
		t.Fatalf("put a target: %v, %v", err, put)
	}
	return bus
}

func (c *cloud) putEvent(t *testing.T, bus, detail string) {
	t.Helper()
	put, err := c.events.PutEvents(t.Context(), &eventbridge.PutEventsInput{Entries: []eventtypes.PutEventsRequestEntry{{
		EventBusName: &bus, Source: aws.String("orders"), DetailType: aws.String("call requested"), Detail: &detail,
	}}})
	if err != nil || put.FailedEntryCount > 0 {
		t.Fatalf("put an event: %v, %v", err, put)
	}
}

// invoke invokes the function and returns its answer, which is empty for an asynchronous invocation.
func (d *deployment) invoke(t *testing.T, how lambdatypes.InvocationType, payload string) string {
	t.Helper()
	out, err := d.lambda.Invoke(t.Context(), &lambda.InvokeInput{FunctionName: &d.function, InvocationType: how, Payload: []byte(payload)})
	if err != nil {
		t.Fatalf("invoke: %v", err)
	}
	if out.FunctionError != nil {
		return "error: " + string(out.Payload)
	}
	return string(out.Payload)
}

const sweepDocument = `{"ringonce":"sweep"}`

// sweep runs one sweep, as the schedule of a deployment does every minute.
func (d *deployment) sweep(t *testing.T) {
	t.Helper()
	if answer := d.invoke(t, lambdatypes.InvocationTypeRequestResponse, sweepDocument); strings.HasPrefix(answer, "error: ") {
		t.Errorf("sweep: %s", answer)
	}
}
