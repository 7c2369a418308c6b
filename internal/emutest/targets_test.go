//go:build integration

package emutest

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/connectemu/deliver"
	"github.com/ringonce/ringonce/internal/awstest"
	"github.com/ringonce/ringonce/internal/envelope"
)

// credentials are those of the emulator, which the other servers take as well.
var credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: connectemu.DefaultAccessKey, SecretAccessKey: connectemu.DefaultSecretKey}, nil
})

// ring places a call with the emulator, without a socket, and returns the contact's id.
func ring(t *testing.T, emulator *connectemu.Server, number string) string {
	t.Helper()
	return ringWith(t, emulator, number, "")
}

// ringWith is ring with a client token; without one the SDK makes its own.
func ringWith(t *testing.T, emulator *connectemu.Server, number, token string) string {
	t.Helper()
	client := connect.New(connect.Options{
		Region: connectemu.DefaultRegion, BaseEndpoint: aws.String("http://connect.test"), Credentials: credentials,
		HTTPClient: &http.Client{Transport: emulator.RoundTripper()},
	})
	in := &connect.StartOutboundVoiceContactInput{
		InstanceId: aws.String(connectemu.DefaultInstance), ContactFlowId: aws.String(connectemu.DefaultFlow),
		SourcePhoneNumber: aws.String("+12025550100"), DestinationPhoneNumber: aws.String(number),
	}
	if token != "" {
		in.ClientToken = &token
	}
	out, err := client.StartOutboundVoiceContact(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(out.ContactId)
}

// life is what the queue has to hear of an answered call.
var life = map[string]int{"INITIATED": 1, "CONNECTED_TO_SYSTEM": 1, "DISCONNECTED": 1, "COMPLETED": 1}

func TestEventsArriveInAQueueAndThroughABus(t *testing.T) {
	endpoint := awstest.StartMoto(t)
	client := sqs.New(sqs.Options{Region: connectemu.DefaultRegion, BaseEndpoint: &endpoint, Credentials: credentials})
	direct, behind := makeQueue(t, client, "direct"), makeQueue(t, client, "behind-a-rule")
	routeEvents(t, endpoint, behind)
	posted := make(chan string, 100)
	hook := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { posted <- r.Header.Get("Content-Type") }))
	t.Cleanup(hook.Close)
	sink, err := deliver.To([]string{"sqs+" + direct, "events+" + endpoint, hook.URL}, deliver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	emulator, err := connectemu.New(connectemu.Config{EventSink: sink, RingTime: time.Millisecond, TalkTime: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(emulator.Close)
	go func() { _ = emulator.DeliverEvents(t.Context()) }()
	contact := ring(t, emulator, "+819000000001")
	for name, queue := range map[string]string{"direct": direct, "behind a rule": behind} {
		if got := hear(t, client, queue, contact, 4); !maps.Equal(got, life) {
			t.Errorf("%s heard %v, want %v", name, got, life)
		}
	}
	for range 4 {
		if kind := <-posted; kind != "application/json" {
			t.Errorf("the endpoint heard %q", kind)
		}
	}
}

// TestALostEventIsMissed plants a loss: the queue must not hear what was never told.
func TestALostEventIsMissed(t *testing.T) {
	endpoint := awstest.StartMoto(t)
	client := sqs.New(sqs.Options{Region: connectemu.DefaultRegion, BaseEndpoint: &endpoint, Credentials: credentials})
	queue := makeQueue(t, client, "lossy")
	sink, err := deliver.To([]string{"sqs+" + queue}, deliver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := connectemu.ParsePlan("lose-event event=INITIATED; repeat-event event=COMPLETED")
	if err != nil {
		t.Fatal(err)
	}
	emulator, err := connectemu.New(connectemu.Config{EventSink: sink, Faults: plan, RingTime: time.Millisecond, TalkTime: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(emulator.Close)
	go func() { _ = emulator.DeliverEvents(t.Context()) }()
	want := map[string]int{"CONNECTED_TO_SYSTEM": 1, "DISCONNECTED": 1, "COMPLETED": 2}
	if got := hear(t, client, queue, ring(t, emulator, "+819000000001"), 4); !maps.Equal(got, want) {
		t.Errorf("heard %v, want %v", got, want)
	}
}

func makeQueue(t *testing.T, client *sqs.Client, name string) (url string) {
	t.Helper()
	out, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name})
	if err != nil {
		t.Fatal(err)
	}
	return aws.ToString(out.QueueUrl)
}

// routeEvents makes a rule that sends contact events to a queue.
func routeEvents(t *testing.T, endpoint, queue string) {
	t.Helper()
	client := eventbridge.New(eventbridge.Options{Region: connectemu.DefaultRegion, BaseEndpoint: &endpoint, Credentials: credentials})
	rule := aws.String("contacts")
	_, err := client.PutRule(t.Context(), &eventbridge.PutRuleInput{
		Name: rule, EventPattern: aws.String(`{"source":["aws.connect"],"detail-type":["Amazon Connect Contact Event"]}`),
	})
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(queue, "/")
	arn := "arn:aws:sqs:" + connectemu.DefaultRegion + ":" + parts[len(parts)-2] + ":" + parts[len(parts)-1]
	_, err = client.PutTargets(t.Context(), &eventbridge.PutTargetsInput{Rule: rule, Targets: []types.Target{{Id: aws.String("queue"), Arn: &arn}}})
	if err != nil {
		t.Fatal(err)
	}
}

// hear receives messages until there were n, and counts the contact events about a contact by their type.
func hear(t *testing.T, client *sqs.Client, queue, contact string, n int) map[string]int {
	t.Helper()
	heard := map[string]int{}
	for total := 0; total < n; {
		out, err := client.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &queue, MaxNumberOfMessages: 10, WaitTimeSeconds: 10})
		if err != nil {
			t.Fatal(err)
		}
		if len(out.Messages) == 0 {
			return heard
		}
		for _, m := range out.Messages {
			total++
			// A bus of moto 5.2.5 leaves the member account out of its events; ministack 1.5.33 refuses the source, as AWS does.
			body := aws.ToString(m.Body)
			if !strings.Contains(body, `"account"`) {
				body = `{"account":"` + connectemu.DefaultAccount + `",` + strings.TrimPrefix(body, "{")
			}
			d := envelope.Decode([]byte(body), envelope.Options{Now: time.Now()})
			if event := d.Records[0].Contact; event == nil || event.ContactID != contact {
				t.Errorf("a message that is no event of the contact: %s", aws.ToString(m.Body))
				continue
			}
			heard[d.Records[0].Contact.EventType]++
		}
	}
	return heard
}
