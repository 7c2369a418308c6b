package main

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/connect"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/examples/idempotency/record"
)

var (
	key = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}
	to  = call{
		instance: connectemu.DefaultInstance, flow: "22222222-2222-4333-8444-555555555555",
		queue: "33333333-2222-4333-8444-555555555555", number: "+819000000001",
	}
)

// emulator is the Amazon Connect of this repository, which is ours and says so: connectemu documents what AWS does not.
func emulator(t *testing.T, reading connectemu.Reading) (*connectemu.Server, *connect.Client, *connectemu.ManualClock) {
	t.Helper()
	clock := connectemu.NewManualClock(time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC))
	server, err := connectemu.New(connectemu.Config{Clock: clock, Reading: reading, SignatureWindow: connectemu.Off})
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(server)
	t.Cleanup(front.Close)
	return server, connect.NewFromConfig(local.Config(front.URL)), clock
}

// twice places the call of the key, lets time pass, and places it again, without a record.
func twice(t *testing.T, reading connectemu.Reading, pause time.Duration) (rings int) {
	t.Helper()
	server, client, clock := emulator(t, reading)
	for range 2 {
		_, token, err := tokenOf(key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := place(t.Context(), client, token, to); err != nil {
			t.Fatal(err)
		}
		clock.Advance(pause)
	}
	return server.RingCount()
}

func TestARepeatRingsOnceWhileTheTokenAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		reading connectemu.Reading
		pause   time.Duration
		rings   int
	}{
		{connectemu.A1, 0, 1},
		{connectemu.A1, 6 * 24 * time.Hour, 1},
		{connectemu.A1, 8 * 24 * time.Hour, 2},  // the token is valid for 7 days
		{connectemu.A1Prime, 0, 1},              // the phone still rings
		{connectemu.A1Prime, 10 * time.Hour, 2}, // the contact has ended: until 2021 the reference said that a new one is started
	} {
		if rings := twice(t, c.reading, c.pause); rings != c.rings {
			t.Errorf("reading %v, repeated after %v: %d rings, want %d", c.reading, c.pause, rings, c.rings)
		}
	}
}

func TestWithoutTheDerivedTokenThePhoneRingsTwice(t *testing.T) {
	t.Parallel()
	server, client, _ := emulator(t, connectemu.A1)
	for range 2 {
		in := connect.StartOutboundVoiceContactInput{InstanceId: &to.instance, ContactFlowId: &to.flow, QueueId: &to.queue, DestinationPhoneNumber: &to.number}
		if _, err := client.StartOutboundVoiceContact(t.Context(), &in); err != nil { // the SDK fills a random token
			t.Fatal(err)
		}
	}
	if rings := server.RingCount(); rings != 2 {
		t.Errorf("%d rings, want 2", rings)
	}
}

// What a repeat with another number does is not documented; the emulator has a switch for it. Either way it rings once, and whoever asked for
// the other number is not rung.
func TestAnotherNumberUnderTheTokenIsNotRung(t *testing.T) {
	t.Parallel()
	for _, mode := range []connectemu.SameToken{connectemu.ReturnExisting, connectemu.RefuseMismatch} {
		server, client, _ := emulator(t, connectemu.A1)
		if err := server.Update(func(c *connectemu.Config) { c.TokenSameOtherParams = mode }); err != nil {
			t.Fatal(err)
		}
		_, token, err := tokenOf(key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := place(t.Context(), client, token, to); err != nil {
			t.Fatal(err)
		}
		other := to
		other.number = "+819000000002"
		_, err = place(t.Context(), client, token, other)
		if refused := err != nil; refused != (mode == connectemu.RefuseMismatch) || server.RingCount() != 1 || len(server.RingsFor(other.number)) != 0 {
			t.Errorf("%v: %d rings, %v", mode, server.RingCount(), err)
		}
	}
}

func TestTheRecordAnswersAfterTheTokenHasEnded(t *testing.T) {
	t.Parallel()
	for _, reading := range []connectemu.Reading{connectemu.A1, connectemu.A1Prime} {
		server, client, clock := emulator(t, reading)
		remembered := record.Record{Dir: t.TempDir(), Now: clock.Now}
		first, err := placeOnce(t.Context(), client, key, to, remembered)
		if err != nil {
			t.Fatal(err)
		}
		clock.Advance(30 * 24 * time.Hour)
		again, err := placeOnce(t.Context(), client, key, to, remembered)
		if err != nil || again != first || server.RingCount() != 1 {
			t.Errorf("%v: %d rings, contacts %q and %q, %v", reading, server.RingCount(), first, again, err)
		}
	}
}
