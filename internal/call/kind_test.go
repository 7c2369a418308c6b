package call_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// otherKinds adds the profiles chat and task to the voice profile that is the default.
func otherKinds(w *world) {
	w.profiles["chat"] = call.Profile{Name: "chat", Kind: call.KindChat, Region: "r", InstanceID: "i", ContactFlowID: "flow", DisplayName: "Customer"}
	w.profiles["task"] = call.Profile{Name: "task", Kind: call.KindTask, Region: "r", InstanceID: "i", ContactFlowID: "flow"}
}

// kindWorld is a world in which every kind has a profile.
func kindWorld(t *testing.T, change ...func(*call.Config)) *world {
	t.Helper()
	w := newWorld(t, append([]func(*call.Config){func(c *call.Config) {
		c.Kinds = call.Kinds()
		c.KindToken = func(k call.Kind, token string) string { return string(k) + " " + token }
	}}, change...)...)
	otherKinds(w)
	return w
}

// of returns the delivery for another profile.
func of(profile string, d call.Delivery) call.Delivery {
	d.Request.Profile = profile
	return d
}

func (w *world) rowOf(kind call.Kind, notification string) call.Call {
	w.t.Helper()
	c, err := w.store.Get(context.Background(), call.Naming{}.Row(call.Key{Kind: kind, NotificationID: notification, RecipientID: "user-1"}, 0))
	if err != nil {
		w.t.Fatalf("%s of %s: %v", kind, notification, err)
	}
	return c
}

func TestTheSameIDsMakeOneContactOfEachKind(t *testing.T) {
	t.Parallel()
	w := kindWorld(t)
	for range 3 {
		for _, profile := range []string{"", "chat", "task"} {
			if out := w.place(of(profile, request("n", start))); out.Met != call.MetPlaced {
				t.Errorf("%q: %+v", profile, out)
			}
		}
	}
	tokens, bodies := map[string]bool{}, map[call.Kind]bool{}
	for _, s := range w.phones.dials {
		tokens[s.Token], bodies[s.Kind] = true, true
	}
	if len(w.phones.dials) != 3 || len(tokens) != 3 || len(bodies) != 3 {
		t.Errorf("%d dials, %d tokens, %d kinds", len(w.phones.dials), len(tokens), len(bodies))
	}
	w.clean(3)
}

func TestWithoutTokensOfTheirOwnTwoKindsClashAndNothingIsLostSilently(t *testing.T) {
	t.Parallel()
	w := kindWorld(t, func(c *call.Config) { c.KindToken = func(_ call.Kind, token string) string { return token } })
	w.place(request("n", start))
	out := w.place(of("chat", request("n", start)))
	if out.Met != call.MetRefused || out.Code != call.CodeTokenTaken {
		t.Errorf("a ledger that keeps tokens unique lets two kinds share one: %+v", out)
	}
}

func TestOnlyVoiceNeedsANumber(t *testing.T) {
	t.Parallel()
	w := kindWorld(t)
	for _, profile := range []string{"", "chat", "task"} {
		d := of(profile, request("n", start))
		d.Request.Destination = call.Phone{}
		out := w.place(d)
		if refused := out.Met == call.MetRefused && out.Code == call.CodeFieldMissing; refused != (profile == "") {
			t.Errorf("%q without a number: %+v", profile, out)
		}
	}
	w.clean(2)
}

func TestACancelWithdrawsTheKindOfItsProfileAndNeverGuesses(t *testing.T) {
	t.Parallel()
	w := kindWorld(t)
	w.profiles["chat"] = paused(w.profiles["chat"])
	w.place(of("chat", request("n", start)))
	w.outcome(w.place(of("chat", cancel("n", start.Add(time.Minute)))), call.MetCancelKept, call.AckDone, "")
	if c := w.rowOf(call.KindChat, "n"); c.State != call.Canceled {
		t.Errorf("the chat is %s", c.State)
	}
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, "") // the call is another request
	if out := w.place(of("gone", cancel("n", start.Add(time.Minute)))); out.Met != call.MetRefused || out.Code != call.CodeProfileUnknown {
		t.Errorf("a cancel whose kind nobody knows: %+v", out)
	}
	w.clean(1)
}

func paused(p call.Profile) call.Profile {
	p.Paused = true
	return p
}

func TestALostAnswerOfAChatIsNeverSentAgain(t *testing.T) {
	t.Parallel()
	for _, policy := range []call.Resend{"", call.ResendToken, call.ResendEvidence, call.ResendNever} {
		w := kindWorld(t)
		chat := w.profiles["chat"]
		chat.Resend = policy
		w.profiles["chat"] = chat
		w.phones.script = append(w.phones.script, w.phones.lost)
		w.place(of("chat", request("n", start)))
		w.settle()
		c := w.rowOf(call.KindChat, "n")
		if c.State != call.InDoubt || len(w.phones.dials) != 1 || w.phones.searches != 0 || c.Message == "" {
			t.Errorf("%q: %s after %d dials and %d searches: %s", policy, c.State, len(w.phones.dials), w.phones.searches, c.Message)
		}
		if policy != call.ResendNever && c.Code != "not_searchable" {
			t.Errorf("%q: %s", policy, c.Code)
		}
		if waited := c.FinalAt.Sub(start); waited > time.Hour {
			t.Errorf("%q: in doubt only after %s", policy, waited)
		}
		// The contact event comes late and still closes the doubt.
		if _, err := w.engine.SawContact(context.Background(), call.Target{Region: "r", InstanceID: "i"}, "contact-1"); err != nil {
			t.Fatal(err)
		}
		if c := w.rowOf(call.KindChat, "n"); c.State != call.Placed {
			t.Errorf("%q: %s after its contact was seen", policy, c.State)
		}
		w.clean(1)
	}
}

func TestALostAnswerOfATaskIsSentAgainOnlyAfterASearchOfEndedContacts(t *testing.T) {
	t.Parallel()
	for _, found := range []bool{true, false} {
		w := kindWorld(t)
		task := w.profiles["task"]
		task.ContactDuration = 2 * time.Hour
		w.profiles["task"] = task
		answer := w.phones.lost
		if !found {
			answer = func(call.Send) call.Answer { return call.Answer{Class: call.ClassAmbiguous, Code: "connection_lost"} }
		}
		w.phones.script = append(w.phones.script, answer)
		w.place(of("task", request("n", start)))
		w.settle()
		c, dials := w.rowOf(call.KindTask, "n"), w.phones.dials
		if c.State != call.Placed || w.phones.searches != 1 || len(dials) != map[bool]int{true: 1, false: 2}[found] {
			t.Errorf("found %v: %s after %d dials and %d searches", found, c.State, len(dials), w.phones.searches)
		}
		if found && c.ContactFrom != "search" {
			t.Errorf("placed by %s", c.ContactFrom)
		}
		if !found && c.PlacedAt.Before(start.Add(call.SettleTime+2*time.Hour)) {
			t.Errorf("sent again %s after the first attempt, while a task could last", c.PlacedAt.Sub(start))
		}
		w.clean(1)
	}
}

func TestATaskThatMayOutlastTheSendRuleIsSearchedForAndNeverSentAgain(t *testing.T) {
	t.Parallel()
	w := kindWorld(t)
	w.phones.blind = true
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.place(of("task", request("n", start)))
	w.settle()
	c := w.rowOf(call.KindTask, "n")
	if c.State != call.InDoubt || c.Code != "outlasts_send_rule" || len(w.phones.dials) != 1 || w.phones.searches != 3 {
		t.Errorf("%s (%s) after %d dials and %d searches", c.State, c.Code, len(w.phones.dials), w.phones.searches)
	}
	w.clean(1)
}

func TestAProfileThatChangedItsKindPausesTheCallsItHas(t *testing.T) {
	t.Parallel()
	w := kindWorld(t)
	w.profiles["task"] = paused(w.profiles["task"])
	w.place(of("task", request("n", start)))
	chat := w.profiles["chat"]
	chat.Name = "task"
	w.profiles["task"] = chat
	for range 3 {
		w.clock.advance(10 * time.Minute)
		w.sweepQuietly()
	}
	if c := w.rowOf(call.KindTask, "n"); c.State != call.Received || c.DueReason != "paused" {
		t.Errorf("the task is %s (%s)", c.State, c.DueReason)
	}
	w.clean(0)
}

func TestEachKindHasAPacingBucketOfItsOwn(t *testing.T) {
	t.Parallel()
	w := kindWorld(t, func(c *call.Config) { c.Pacer, c.Patience = call.NewPace(0.001, 1), 0 })
	for _, profile := range []string{"", "chat", "task"} {
		w.outcome(w.place(of(profile, request("n", start))), call.MetPlaced, call.AckDone, "")
	}
	if out := w.place(of("chat", request("m", start))); out.Met != call.MetReceived {
		t.Errorf("a second chat at once: %+v", out)
	}
	w.clean(3)
}

func TestWithoutALedgerOnlyVoiceIsTaken(t *testing.T) {
	t.Parallel()
	w := kindWorld(t)
	for _, kind := range []call.Kind{call.KindChat, call.KindTask} {
		p := w.profiles[string(kind)]
		c := call.Config{
			Dialer: w.phones, Clock: w.clock, Pacer: call.NewPace(0, 0), Observer: w, Random: w.random,
			Profile: func(string) (call.Profile, bool) { return p, true },
			Token:   func(call.TokenInput) (string, error) { return "token", nil },
		}
		_, err := call.NewDirect(c, []call.Profile{p})
		if call.CodeOf(err) != call.CodeNeedsLedger || !strings.Contains(err.Error(), string(kind)) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestEveryStateHasASentenceOfItsKind(t *testing.T) {
	t.Parallel()
	for _, kind := range call.Kinds() {
		said := map[string]bool{}
		for _, state := range call.States() {
			sentence := call.Call{Key: call.Key{Kind: kind}, State: state}.Sentence()
			if sentence == "" || said[sentence] || strings.Contains(sentence, "phone") != (kind == call.KindVoice && state != call.Dialing) {
				t.Errorf("%s, %s: %q", kind, state, sentence)
			}
			said[sentence] = true
		}
	}
	if (call.Call{Key: call.Key{Kind: call.KindTask}, State: "lost"}).Sentence() == "" {
		t.Error("an unknown state has no sentence")
	}
}
