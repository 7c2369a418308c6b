package scenariotest

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// rang sees that the telephone network rang as often as the story says.
func (w *world) rang(want int) {
	w.Helper()
	if got := w.emu.RingCount(); got != want {
		w.Errorf("%d rings, want %d", got, want)
	}
}

// asked sees how many wire requests for a ring were sent.
func (w *world) asked(want int) {
	w.Helper()
	if got := len(w.starts()); got != want {
		w.Errorf("%d wire requests for a ring, want %d", got, want)
	}
}

// met sees what a delivery met, and what its source was told.
func (w *world) met(out call.Outcome, situation call.Situation, ack call.Ack) {
	w.Helper()
	if out.Met != situation || out.Ack != ack {
		w.Errorf("met %q, told to %q (%s %s), want %q and %q", out.Met, out.Ack, out.Code, out.Message, situation, ack)
	}
}

// suppressed sees that a delivery was answered by a call that an earlier one made, and names it.
func (w *world) suppressed(out call.Outcome, reason string, request object) {
	w.Helper()
	if row := w.row(request, 0); !out.Replayed || out.Suppressed != reason || out.By == "" || out.By != row.ID {
		w.Errorf("met %s, suppressed %q by %q, want %q by %q", out.Met, out.Suppressed, out.By, reason, row.ID)
	}
}

// stands sees the state of a request's first ring.
func (w *world) stands(request object, state call.State) call.Call {
	w.Helper()
	c := w.row(request, 0)
	if c.State != state {
		w.Errorf("%v is %q (%s %s), want %q", request["notificationId"], c.State, c.Code, c.Message, state)
	}
	return c
}

// judge compares ledger and telephone network at the end of every story.
func (w *world) judge() {
	w.Helper()
	w.judgeWire()
	if w.app.Store == nil {
		return
	}
	rings := map[string][]string{}
	for _, r := range w.emu.Rings() {
		id := r.Attributes["ringonceCallId"]
		rings[id] = append(rings[id], r.ContactID)
	}
	for _, c := range w.silent() {
		id := c.Attributes["ringonceCallId"]
		rings[id] = append(rings[id], c.ID)
	}
	var rows []call.Call
	var breaches []call.Breach
	err := w.app.Store.Admin.Each(context.Background(), func(c call.Call, entries []call.Entry) error {
		rows = append(rows, c)
		breaches = append(breaches, call.CheckHistory(c, entries)...)
		return nil
	})
	if err != nil {
		w.Error(err)
	}
	breaches = append(breaches, call.CheckLedger(rows, time.Now(), 0)...)
	breaches = append(breaches, call.CheckTruth(rows, rings)...)
	for _, wrong := range misplaced(rows, w.emu.Contacts()) {
		w.Error(wrong)
	}
	expected := w.breach == ""
	for _, b := range breaches {
		if b.Invariant == w.breach {
			expected = true
			continue
		}
		w.Errorf("breach: %s", b)
	}
	if !expected {
		w.Errorf("the breach of %s was not seen", w.breach)
	}
}

// judgeWire sees that one token carries one body, and that each wire request is the only one of its attempt.
func (w *world) judgeWire() {
	w.Helper()
	bodies := map[string]string{}
	for _, r := range w.starts() {
		if body := bodies[r.Token]; r.Token == "" || (body != "" && body != r.BodyHash) {
			w.Errorf("the token %q carried two bodies", r.Token)
		}
		bodies[r.Token] = r.BodyHash
		if r.Attempt > 1 || r.MaxAttempts > 1 {
			w.Errorf("the SDK sent attempt %d of %d", r.Attempt, r.MaxAttempts)
		}
	}
}

// faults replaces the faults of the telephone network.
func (w *world) faults(text string) {
	w.Helper()
	plan, err := connectemu.ParsePlan(text)
	if err == nil {
		err = w.emu.SetPlan(plan)
	}
	if err != nil {
		w.Fatal(err)
	}
}
