package call_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/connect"
)

// still is the clock of the world for a dialer: no time passes while it waits, so that its time limit ends no dial.
type still struct{ *clock }

func (still) Sleep(ctx context.Context, _ time.Duration) error {
	<-ctx.Done()
	return ctx.Err()
}

// emulated is a world on a real SQLite ledger whose telephone network is the emulator, reached through the AWS SDK.
func emulated(t *testing.T, change ...func(*call.Config)) (*world, *connectemu.Server) {
	t.Helper()
	c := &clock{now: start}
	l := onSQLite()(t, c)
	t.Cleanup(func() { _ = l.Close() })
	w := newWorldOn(t, l, change...)
	emu, err := connectemu.New(connectemu.Config{
		Clock: w.clock, StartRate: connectemu.Unlimited, DescribeRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off,
	})
	if err != nil {
		t.Fatal(err)
	}
	dialer, err := connect.New(connect.Options{
		Clock: still{w.clock}, Endpoint: "http://127.0.0.1:7465", NonProduction: true, HTTPClient: &http.Client{Transport: emu.RoundTripper()},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.profile(func(p *call.Profile) {
		p.Region, p.InstanceID = "us-east-1", connectemu.DefaultInstance
		p.ContactFlowID, p.QueueID = "22222222-2222-4222-8222-222222222222", "33333333-3333-4333-8333-333333333333"
	})
	w.change = append(w.change, func(c *call.Config) { c.Dialer = dialer })
	w.engine = w.start()
	return w, emu
}

// rang compares the emulator's ring count, and asks the oracles that look at the ledger alone.
func (w *world) rang(emu *connectemu.Server, want int) {
	w.t.Helper()
	if got := emu.RingCount(); got != want {
		w.t.Errorf("%d rings, want %d", got, want)
	}
	err := w.store.Each(context.Background(), func(c call.Call, entries []call.Entry) error {
		for _, b := range call.CheckHistory(c, entries) {
			w.t.Error(b)
		}
		return nil
	})
	if err != nil {
		w.t.Error(err)
	}
	for _, b := range call.CheckLedger(w.rows(), w.clock.Now(), call.HeartbeatTime) {
		w.t.Error(b)
	}
}

func TestScenarioV50TheEmulatorCountsOneBudgetAndOneListOnSQLite(t *testing.T) {
	t.Parallel()
	w, emu := emulated(t, followed(patient()))
	w.deliver(escalating("n", start, "user-2"))
	w.deliver(escalating("n", start, "user-2")) // its source delivers again
	w.live(func(c call.Call) call.ContactOutcome {
		return []call.ContactOutcome{call.OutcomeBusy, call.OutcomeNoAnswer, call.OutcomeVoicemail}[c.Ring]
	})
	w.rang(emu, 6) // three of each recipient, whose request has a budget of its own
	w.deliver(escalating("n", start, "user-2"))
	w.rang(emu, 6)
}

func TestScenarioV46TheEmulatorHangsUpWhatIsAcknowledgedAndRingsNobodyElse(t *testing.T) {
	t.Parallel()
	w, emu := emulated(t, followed(patient()))
	out := w.deliver(escalating("n", start, "user-2"))
	w.clock.advance(call.LeaseTime / 20)
	w.deliver(acknowledgment("n", w.clock.Now()))
	if contact, known := emu.Contact(out.ContactID); !known || contact.State != connectemu.StateDisconnected {
		t.Errorf("the contact is %s", contact.State)
	}
	w.live(always(call.OutcomeNoAnswer))
	w.rang(emu, 1)
}

func TestScenarioV55AnAnswerWithoutAKeyPressIsNoConfirmation(t *testing.T) {
	t.Parallel()
	for outcome, want := range map[call.ContactOutcome]int{call.OutcomeAnswered: 2, call.OutcomeConfirmed: 1} {
		w, emu := emulated(t, followed(patient())) // its rule does not list answered
		w.deliver(escalating("n", start, "user-2"))
		w.live(inTurn(outcome))
		w.rang(emu, want)
	}
	again := patient()
	again.Wait[call.OutcomeAnswered] = again.Wait[call.OutcomeVoicemail]
	w, emu := emulated(t, followed(again))
	w.deliver(request("n", start))
	w.live(always(call.OutcomeAnswered))
	w.rang(emu, 3)
}

func TestScenarioV26ACallNeverFollowsItself(t *testing.T) {
	t.Parallel()
	w, emu := emulated(t, followed(patient()))
	d := escalating("n", start, "user-2")
	w.phones.script = nil
	w.deliver(d)
	w.deliver(to("user-2", escalating("n", start, "user-1"))) // two lists that name each other
	w.live(always(call.OutcomeNoAnswer))
	w.deliver(acknowledgment("n", w.clock.Now())) // ends although the lists form a ring
	w.live(always(call.OutcomeNoAnswer))
	w.rang(emu, 6)
	own := escalating("self", start, "user-1")
	if out := w.place(own); out.Met != call.MetRefused || out.Code != call.CodeFieldValue {
		t.Errorf("a list that names its own recipient: %+v", out)
	}
}

func TestScenarioV47AnAcknowledgedKeyOfAnOldBacklogRingsNothing(t *testing.T) {
	t.Parallel()
	w, emu := emulated(t, followed(patient()))
	w.deliver(escalating("n", start, "user-2"))
	w.hangUp(always(call.OutcomeNoAnswer))
	w.sweep()
	w.deliver(acknowledgment("n", w.clock.Now()))
	w.clock.advance(60 * day) // a backlog is delivered again
	w.sweep()
	w.deliver(escalating("n", start, "user-2"))
	w.live(always(call.OutcomeNoAnswer))
	w.rang(emu, 1)
}
