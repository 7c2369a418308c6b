package envelope_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/envelope"
)

// emulatedEvents places one call with an emulator that has this plan and returns what it tells, and what is true.
func emulatedEvents(t *testing.T, plan string) ([]connectemu.Event, connectemu.Contact) {
	t.Helper()
	faults, err := connectemu.ParsePlan(plan)
	if err != nil {
		t.Fatal(err)
	}
	clock := connectemu.NewManualClock(time.Now())
	emulator, err := connectemu.New(connectemu.Config{Clock: clock, Faults: faults, Phones: map[string]connectemu.Fate{"+819000000001": connectemu.FateBarged}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(emulator.Close)
	client := connect.New(connect.Options{
		Region: connectemu.DefaultRegion, BaseEndpoint: aws.String("http://connect.test"), HTTPClient: &http.Client{Transport: emulator.RoundTripper()},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: connectemu.DefaultAccessKey, SecretAccessKey: connectemu.DefaultSecretKey}, nil
		}),
	})
	out, err := client.StartOutboundVoiceContact(t.Context(), &connect.StartOutboundVoiceContactInput{
		InstanceId: aws.String(connectemu.DefaultInstance), ContactFlowId: aws.String(connectemu.DefaultFlow),
		QueueId: aws.String("99999999-8888-4777-8666-555555555555"), DestinationPhoneNumber: aws.String("+819000000001"),
	})
	if err != nil {
		t.Fatal(err)
	}
	clock.Advance(time.Hour)
	contact, _ := emulator.Contact(*out.ContactId)
	return emulator.TakeEvents(), contact
}

func TestEventsOfTheEmulatorAreRecognized(t *testing.T) {
	t.Parallel()
	for _, plan := range []string{
		"", "mixed-keys", "unset-1970", "mixed-keys; unset-1970; seed=2", "mixed-keys; seed=5", "replay-event", "repeat-event; delay-event(1m) event=INITIATED",
		"unknown-event", "hide-reason", "other-reason(TELECOM_WEATHER)",
	} {
		events, truth := emulatedEvents(t, plan)
		if len(events) < 6 {
			t.Errorf("%q: %d events", plan, len(events))
		}
		for _, event := range events {
			d := envelope.Decode(event.Document, envelope.Options{Now: truth.DisconnectedAt})
			if len(d.Records) != 1 || d.Records[0].Contact == nil || d.Records[0].Reason != envelope.ReasonContactEvent {
				t.Fatalf("%q: %s is read as %+v", plan, event.Document, d.Records)
			}
			got := *d.Records[0].Contact
			if got.EventType != string(event.Type) || got.ContactID != truth.ID || got.InitiationMethod != "API" ||
				!got.InitiationTimestamp.Equal(truth.InitiatedAt.Truncate(time.Millisecond)) || got.InstanceARN == "" {
				t.Errorf("%q: %s is read as %+v", plan, event.Document, got)
			}
			want := ""
			if event.Type == connectemu.EventDisconnected || event.Type == connectemu.EventCompleted {
				want = "BARGED"
				if other, ok := map[string]string{"hide-reason": "", "other-reason(TELECOM_WEATHER)": "TELECOM_WEATHER"}[plan]; ok {
					want = other
				}
			}
			if event.Type == "CONTACT_REIMAGINED" {
				continue // it says what the event beside it says
			}
			if got.DisconnectReason != want {
				t.Errorf("%q: %s has the reason %q, want %q", plan, event.Type, got.DisconnectReason, want)
			}
		}
	}
}
