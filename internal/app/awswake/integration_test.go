//go:build integration

package awswake_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/awsstores"
	"github.com/ringonce/ringonce/internal/app/awswake"
	"github.com/ringonce/ringonce/internal/awstest"
	"github.com/ringonce/ringonce/internal/call"
)

const (
	region  = "us-east-1"
	roleARN = "arn:aws:iam::123456789012:role/ringonce-wake"
	config  = `
production: false
connect: {endpoint: %q}
ledger: {driver: dynamodb, table: ringonce-calls, region: us-east-1, endpoint: %q, create_table: true}
wake: {queue_url: %q, role_arn: %q, region: us-east-1, endpoint: %q}
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
    resend: evidence
    longest_call: 10m
`
)

// lab is moto as AWS and the emulator as the telephone.
type lab struct {
	queueURL  string
	queue     *sqs.Client
	schedules *scheduler.Client
	phones    *connectemu.Server
	clock     *connectemu.RunningClock // the emulator's and the program's: it runs, and can be moved
	app       *app.App
}

func newLab(t *testing.T, faults string) *lab {
	t.Helper()
	moto := awstest.StartMoto(t)
	l := &lab{clock: connectemu.NewRunningClock()}
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})
	l.queue = sqs.New(sqs.Options{Region: region, Credentials: credentials, BaseEndpoint: &moto})
	l.schedules = scheduler.New(scheduler.Options{Region: region, Credentials: credentials, BaseEndpoint: &moto})
	made, err := l.queue.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("ringonce-wake")})
	if err != nil {
		t.Fatal(err)
	}
	l.queueURL = *made.QueueUrl
	plan, err := connectemu.ParsePlan(faults)
	if err != nil {
		t.Fatal(err)
	}
	if l.phones, err = connectemu.New(connectemu.Config{Clock: l.clock, Faults: plan}); err != nil {
		t.Fatal(err)
	}
	phones := httptest.NewServer(l.phones)
	t.Cleanup(phones.Close)
	c, err := app.Parse("test.yaml", fmt.Appendf(nil, config, phones.URL, moto, l.queueURL, roleARN, moto))
	if err != nil {
		t.Fatal(err)
	}
	l.app, err = app.New(t.Context(), c, app.Options{
		Stores: awsstores.All(), Waker: awswake.Open, Clock: l.clock, Random: rand.Reader, LookupEnv: app.LookupNothing,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.app.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// handle gives the handler a batch of one message.
func (l *lab) handle(t *testing.T, id, body string) call.Outcome {
	t.Helper()
	document, err := json.Marshal(map[string]any{"Records": []map[string]any{{
		"messageId": id, "body": body, "attributes": map[string]string{"ApproximateReceiveCount": "1"}, "messageAttributes": map[string]any{},
		"eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:ringonce-wake", "awsRegion": region,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	report, err := l.app.Handler.Process(t.Context(), document)
	if err != nil || len(report.Results) != 1 {
		t.Fatalf("%d results, %v", len(report.Results), err)
	}
	return report.Results[0].Outcome
}

const request = `{"notificationId":"notification-1","recipientId":"user-1","destinationPhoneNumber":"+12025550101"}`

// place delivers the request, which must be held.
func (l *lab) place(t *testing.T) call.Call {
	t.Helper()
	if _, err := l.app.Engine.Sweep(t.Context(), 10); err != nil { // the heartbeat
		t.Fatal(err)
	}
	out := l.handle(t, "m-request", request)
	if out.Ack != call.AckDone || out.Call.State.Final() || !out.Call.Due.After(l.clock.Now()) {
		t.Fatalf("the request met %s, %s, due %s", out.Met, out.Ack, out.Call.Due)
	}
	return out.Call
}

// pass moves the clock to just after the due.
func (l *lab) pass(due time.Time) { l.clock.Advance(due.Sub(l.clock.Now()) + time.Millisecond) }

func (l *lab) judge(t *testing.T, id string) {
	t.Helper()
	row, err := l.app.Store.Ledger.Get(t.Context(), id)
	if err != nil || row.State != call.Placed || l.phones.RingCount() != 1 {
		t.Errorf("the call is %s with %d rings: %v", row.State, l.phones.RingCount(), err)
	}
}

// TestAHeldCallIsWokenFromTheQueue throttles the first dial: the request is acknowledged, its hint comes back from the queue by itself, and rings
// once, however often it is delivered.
func TestAHeldCallIsWokenFromTheQueue(t *testing.T) {
	t.Parallel()
	l := newLab(t, "throttle times=1")
	held := l.place(t)
	var bodies []string
	for range 6 { // the delay is 2 seconds of moto's own clock
		got, err := l.queue.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: &l.queueURL, WaitTimeSeconds: 5, MaxNumberOfMessages: 10})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range got.Messages {
			bodies = append(bodies, *m.Body)
		}
		if len(bodies) > 0 {
			break
		}
	}
	if len(bodies) != 1 || strings.Contains(bodies[0], "202555") || !strings.Contains(bodies[0], held.ID) {
		t.Fatalf("hints in the queue: %q", bodies)
	}
	for n := range 3 { // the delay was rounded up, so the first is not early
		if out := l.handle(t, fmt.Sprint("m-", n), bodies[0]); out.Ack != call.AckDone {
			t.Errorf("hint %d: %s, %s", n, out.Ack, out.Message)
		}
	}
	l.judge(t, held.ID)
}

// TestALongWaitBecomesAScheduleThatDeletesItself loses the first answer under resend: evidence, which waits 41 minutes. moto 5.2.5 keeps
// schedules and never runs them, so the test sends on what the schedule would: its input.
func TestALongWaitBecomesAScheduleThatDeletesItself(t *testing.T) {
	t.Parallel()
	l := newLab(t, "place-then-500 times=1")
	held := l.place(t)
	listed, err := l.schedules.ListSchedules(t.Context(), &scheduler.ListSchedulesInput{})
	if err != nil || len(listed.Schedules) != 1 {
		t.Fatalf("%d schedules, %v", len(listed.Schedules), err)
	}
	got, err := l.schedules.GetSchedule(t.Context(), &scheduler.GetScheduleInput{Name: listed.Schedules[0].Name})
	if err != nil {
		t.Fatal(err)
	}
	want := held.Due.Add(time.Second - 1).UTC().Truncate(time.Second).Format("at(2006-01-02T15:04:05)")
	if !strings.HasPrefix(*got.Name, "ringonce-") || *got.ScheduleExpression != want || got.FlexibleTimeWindow.Mode != types.FlexibleTimeWindowModeOff ||
		got.ActionAfterCompletion != types.ActionAfterCompletionDelete || *got.Target.Arn != "arn:aws:sqs:us-east-1:123456789012:ringonce-wake" ||
		*got.Target.RoleArn != roleARN {
		t.Errorf("the schedule %s at %s (%s), want %s: %+v", *got.Name, *got.ScheduleExpression, got.ActionAfterCompletion, want, *got.Target)
	}
	early := l.handle(t, "m-early", *got.Target.Input) // asks for the same schedule again, which exists
	if listed, err = l.schedules.ListSchedules(t.Context(), &scheduler.ListSchedulesInput{}); err != nil || len(listed.Schedules) != 1 || early.Ack != call.AckDone {
		t.Errorf("after an early hint: %s, %d schedules, %v", early.Ack, len(listed.Schedules), err)
	}
	for metric, n := range l.app.Observer.Counts() {
		if metric.What == "wake-failed" || metric.What == "wake-skipped" {
			t.Errorf("%d x %s", n, metric.What)
		}
	}
	l.pass(held.Due)
	for n := range 3 {
		if out := l.handle(t, fmt.Sprint("m-", n), *got.Target.Input); out.Ack != call.AckDone {
			t.Errorf("hint %d: %s, %s", n, out.Ack, out.Message)
		}
	}
	l.judge(t, held.ID)
}
