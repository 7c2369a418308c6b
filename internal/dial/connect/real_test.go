//go:build realconnect

package connect

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// consent is what RINGONCE_REAL_CONSENT must hold word for word. This test rings a real telephone and costs money.
const consent = "ring the phone in RINGONCE_REAL_NUMBER"

// setting returns a variable that the test cannot do without.
func setting(t *testing.T, name string) string {
	t.Helper()
	value := os.Getenv(name)
	if value == "" {
		t.Fatalf("set %s", name)
	}
	return value
}

// TestARealPhoneRingsOnce dials once, sends the same bytes again, and expects one contact with our mark.
//
//	go test -tags realconnect -run ARealPhone ./internal/dial/connect
//
// It reads RINGONCE_REAL_CONSENT, _REGION, _INSTANCE, _FLOW, _QUEUE, _NUMBER, and AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
// AWS_SESSION_TOKEN. It never prints the number.
func TestARealPhoneRingsOnce(t *testing.T) {
	if os.Getenv("RINGONCE_REAL_CONSENT") != consent {
		t.Fatalf("this test rings a real phone: set RINGONCE_REAL_CONSENT to %q", consent)
	}
	clock := connectemu.WallClock{}
	d, err := New(Options{
		Clock: clock,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID: setting(t, "AWS_ACCESS_KEY_ID"), SecretAccessKey: setting(t, "AWS_SECRET_ACCESS_KEY"),
				SessionToken: os.Getenv("AWS_SESSION_TOKEN"),
			}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	phone, err := call.ParsePhone(setting(t, "RINGONCE_REAL_NUMBER"))
	if err != nil {
		t.Fatal(err)
	}
	target := call.Target{Region: setting(t, "RINGONCE_REAL_REGION"), InstanceID: setting(t, "RINGONCE_REAL_INSTANCE")}
	now := clock.Now()
	o := call.Order{
		CallID: "real-" + now.Format("20060102T150405"), Token: "ringonce-real-" + now.Format(time.RFC3339Nano), Destination: phone,
		Profile: call.Profile{
			Name: "real", Region: target.Region, InstanceID: target.InstanceID, ContactFlowID: setting(t, "RINGONCE_REAL_FLOW"),
			QueueID: setting(t, "RINGONCE_REAL_QUEUE"), RingTimeout: MinRingTimeout,
		},
	}
	body, err := d.Prepare(o)
	if err != nil {
		t.Fatal(err)
	}
	send := call.Send{
		CallID: o.CallID, AttemptID: "1", Target: target, Token: o.Token, Body: body, NotBefore: now, NotAfter: now.Add(time.Minute),
	}
	first := d.Dial(t.Context(), send)
	if first.Class != call.ClassOK {
		t.Fatalf("the dial: %+v", first)
	}
	second := d.Dial(t.Context(), send)
	if second.ContactID != first.ContactID {
		t.Errorf("the same bytes again: %+v, want contact %s", second, first.ContactID)
	}
	contact, err := d.Describe(t.Context(), target, first.ContactID)
	if err != nil || contact.CallID != o.CallID || contact.Name != NamePrefix+o.CallID {
		t.Errorf("Describe = %+v, %v, want the mark %s", contact, err, o.CallID)
	}
	for range 2 {
		if err := d.Stop(t.Context(), target, first.ContactID); err != nil {
			t.Errorf("Stop: %v", err)
		}
	}
}
