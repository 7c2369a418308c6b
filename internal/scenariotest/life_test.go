package scenariotest

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// onCall is a rule that rings once more, whatever became of the first ring.
func onCall(c *app.Config) {
	p := c.Profiles["alert"]
	p.Recall = app.Recall{Budget: 1, Wait: map[string]string{"busy": "5m", "no_answer": "5m"}}
	c.Profiles["alert"] = p
}

// escalating is a request whose list has three more people.
func escalating() object {
	var list []object
	for n := 2; n <= 4; n++ {
		list = append(list, object{"recipientId": wish(n)["recipientId"], "destinationPhoneNumber": number(n)})
	}
	return wish(1).with("escalation", list)
}

// live lets time pass: flows run, contact events arrive unless they are lost, and the sweep looks once a minute.
func (w *world) live(d time.Duration, events bool) {
	w.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); {
		for range 6 {
			time.Sleep(10 * time.Second)
			w.emu.StepFlows(context.Background())
		}
		if events {
			w.tell()
		}
		w.sweep()
	}
}

// rangEach sees how often the phone of each of the first numbers rang.
func (w *world) rangEach(want ...int) {
	w.Helper()
	for i, rings := range want {
		if got := len(w.emu.RingsFor(number(i + 1))); got != rings {
			w.Errorf("phone %d rang %d times, want %d", i+1, got, rings)
		}
	}
}

// One request lives its whole life on the wired program: a line that is busy twice, somebody who does not answer twice, and somebody who
// presses 1. Its source delivers it again and again.
func TestOneRequestIsRungAgainAndEscalatedUntilSomebodyConfirms(t *testing.T) {
	t.Parallel()
	for name, events := range map[string]bool{"with events": true, "every event lost": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, driver := range drivers() {
				f := &flows{}
				network := f.network("")
				network.Keys, network.DescribeRate = map[string]string{number(3): "1"}, connectemu.Unlimited
				play(t, setting{driver: driver, config: onCall, network: network}, func(w *world) {
					f.w = w
					w.fate(1, connectemu.FateBusy)
					w.fate(2, connectemu.FateNoAnswer)
					w.sweep()
					for range 8 {
						w.send(escalating())
						w.live(10*time.Minute, events)
					}
					w.rangEach(2, 2, 1, 0)
					first, confirmed := w.stands(wish(1), call.Placed), w.row(wish(3).with("notificationId", "n-1"), 0)
					if first.Outcome != call.OutcomeBusy || confirmed.Outcome != call.OutcomeConfirmed || confirmed.Acknowledged.IsZero() {
						t.Errorf("%s: the first came to %q, the third to %q, acknowledged %s", driver, first.Outcome, confirmed.Outcome, confirmed.Acknowledged)
					}
					w.live(time.Hour, events)
					w.sweepFor(day)
					w.rang(5)
					w.asked(5)
				})
			}
		})
	}
}

// The acknowledgment comes by message while the second person's phone rings: it is hung up, and nobody after that person is rung.
func TestAnAcknowledgmentEndsTheListWhileItRings(t *testing.T) {
	t.Parallel()
	everywhere(t, setting{config: onCall, network: connectemu.Config{DescribeRate: connectemu.Unlimited}}, func(w *world) {
		w.fate(1, connectemu.FateBusy)
		w.sweep()
		w.send(escalating())
		for range 30 {
			if len(w.emu.RingsFor(number(2))) > 0 {
				break
			}
			time.Sleep(time.Minute)
			w.tell()
			w.sweep()
		}
		w.rangEach(2, 1, 0, 0)
		time.Sleep(3 * time.Second)
		ack := cancel(1, time.Now()).with("action", "acknowledge")
		w.met(w.sendAs("m-ack", ack), call.MetCancelKept, call.AckDone)
		contact, _ := w.emu.Contact(w.emu.RingsFor(number(2))[0].ContactID)
		if rang := contact.DisconnectedAt.Sub(contact.InitiatedAt); contact.State != connectemu.StateDisconnected || rang > 4*time.Second {
			w.Errorf("the contact is %s after %s", contact.State, rang)
		}
		w.live(2*time.Hour, true)
		w.send(escalating())
		w.sweepFor(day)
		w.rangEach(2, 1, 0, 0)
		w.asked(3)
	})
}
