package scenariotest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// flows are a telephone network whose flows invoke the process that runs when they do.
type flows struct{ w *world }

func (f *flows) network(keys string) connectemu.Config {
	return connectemu.Config{
		Keys: map[string]string{number(1): keys}, FlowTwice: true,
		FlowFunction: func(ctx context.Context, document []byte) ([]byte, error) {
			if f.w == nil {
				return nil, errors.New("no process")
			}
			return f.w.app.Handler.Invoke(ctx, document)
		},
	}
}

// picksUp lets somebody pick up, and the keys be pressed that the network knows of.
func (f *flows) picksUp() []connectemu.FlowReport {
	f.w.Helper()
	time.Sleep(connectemu.DefaultRingTime)
	f.w.emu.StepFlows(context.Background())
	time.Sleep(20 * time.Second)
	f.w.emu.StepFlows(context.Background())
	return f.w.emu.FlowReports()
}

func TestScenarioV37TheFlowOfACallThatNobodyRecordedAdoptsItAndPlaysItsMessage(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"token", "evidence", "never"} {
		f := &flows{}
		play(t, setting{resend: policy, network: f.network("1")}, func(w *world) {
			f.w = w
			w.killedAt("after dial", wish(1))
			contact := w.emu.Rings()[0].ContactID
			w.stands(wish(1), call.Dialing)
			reports := f.picksUp()
			if len(reports) != 2 || !reports[0].Played || reports[0].Answer["state"] != "placed" || reports[0].Answer["confirmed"] != "no" ||
				reports[1].Answer["confirmed"] != "yes" {
				t.Fatalf("%s: the flow was told %+v", policy, reports)
			}
			c := w.stands(wish(1), call.Placed)
			if c.ContactID != contact || c.ContactFrom != "check-in" || c.Sight.Confirmed.IsZero() || c.Acknowledged.IsZero() {
				t.Errorf("%s: %+v, %+v", policy, c, c.Sight)
			}
			w.suppressed(w.send(wish(1)), call.ReasonDuplicate, wish(1))
			w.sweepFor(day)
			w.rang(1)
			w.asked(1)
		})
	}
}

func TestScenarioV46ACancelThatCameTooLateIsHungUpBeforeTheMessage(t *testing.T) {
	t.Parallel()
	f := &flows{}
	play(t, setting{resend: "never", network: f.network("1")}, func(w *world) {
		f.w = w
		w.killedAt("after dial", wish(1)) // nobody knows the contact, so nobody can stop it
		w.met(w.sendAs("m-ack", cancel(1, time.Now())), call.MetCancelKept, call.AckDone)
		reports := f.picksUp()
		if len(reports) != 1 || reports[0].Played || !reports[0].HungUp || reports[0].Answer["why"] != call.WhyCanceled {
			t.Fatalf("the flow was told %+v", reports)
		}
		contact := w.emu.Contacts()[0]
		if c := w.stands(wish(1), call.Placed); contact.DisconnectReason != "CONTACT_FLOW_DISCONNECT" || c.Sight.Unwanted.IsZero() {
			t.Errorf("ended by %s, %+v", contact.DisconnectReason, c.Sight)
		}
		w.rang(1)
	})
}

// The block is invoked twice for each report, and the ledger is slow or gone on the first try.
func TestScenarioV80AFlowThatAsksTwiceIsAnsweredAlikeAndAtOnce(t *testing.T) {
	t.Parallel()
	f := &flows{}
	play(t, setting{network: f.network("1")}, func(w *world) {
		f.w = w
		w.send(wish(1))
		began := time.Now()
		reports := f.picksUp()
		if took := time.Since(began) - connectemu.DefaultRingTime - 20*time.Second; took >= time.Second {
			t.Errorf("the flow waited %s", took)
		}
		if len(reports) != 2 || reports[0].Invocations != 2 || reports[1].Invocations != 2 || !reports[0].Played {
			t.Fatalf("%+v", reports)
		}
		entries, err := w.app.Store.Index.History(context.Background(), w.row(wish(1), 0).ID)
		var kinds []call.EventKind
		for _, e := range entries {
			kinds = append(kinds, e.Kind)
		}
		want := []call.EventKind{call.EventAccepted, call.EventResult, call.EventSeen, call.EventSeen, call.EventCancelRequested}
		if err != nil || !slices.Equal(kinds, want) {
			t.Errorf("written %v, %v; want %v", kinds, err, want)
		}
		w.rang(1)
	})
	broken := &flows{}
	play(t, setting{network: broken.network("")}, func(w *world) {
		broken.w = w
		w.send(wish(1))
		w.gate.spoil = func(string) write { return notApplied }
		reports := broken.picksUp()
		if len(reports) != 1 || !reports[0].Played || reports[0].Error != "" {
			t.Errorf("without a ledger that writes: %+v", reports)
		}
		w.gate.spoil = nil
		w.sweep()
		if c := w.stands(wish(1), call.Placed); c.Sight == nil || c.Sight.CheckedIn.IsZero() {
			t.Errorf("the report was lost: %+v", c.Sight)
		}
		w.rang(1)
	})
}
