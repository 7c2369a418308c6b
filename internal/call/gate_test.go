package call_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// guard is a gate that a test opens and shuts. It counts what is taken by row and ticket, as the real one does.
type guard struct {
	w       *world
	answer  func(c call.Call, now time.Time) (call.Clearance, error)
	holds   map[string]map[string]bool // by row: tickets
	freed   []string
	asked   int
	looked  int
	resumed bool
}

func (g *guard) ask(c call.Call, now time.Time) (call.Clearance, error) {
	if c.Target.Region == "" {
		g.w.t.Error("the gate is not told where the call is dialed")
	}
	if g.answer == nil {
		return call.Clearance{}, nil
	}
	return g.answer(c, now)
}

func (g *guard) Pass(_ context.Context, c call.Call, _ call.Profile, now time.Time) (call.Clearance, error) {
	g.asked++
	v, err := g.ask(c, now)
	if err == nil && v.Passes() {
		v.Ticket = fmt.Sprint("ticket ", g.asked)
		if g.holds[c.ID] == nil {
			g.holds[c.ID] = map[string]bool{}
		}
		g.holds[c.ID][v.Ticket] = true
	}
	return v, err
}

func (g *guard) Look(_ context.Context, c call.Call, _ call.Profile, now time.Time) (call.Clearance, error) {
	g.looked++
	return g.ask(c, now)
}

func (g *guard) Return(_ context.Context, c call.Call, ticket string, _ time.Time) {
	delete(g.holds[c.ID], ticket)
	if ticket == "" || len(g.holds[c.ID]) == 0 {
		delete(g.holds, c.ID)
	}
}

func (g *guard) Free(_ context.Context, c call.Call, _ time.Time) { g.freed = append(g.freed, c.ID) }

func (g *guard) Resumed(context.Context, time.Time) bool {
	was := g.resumed
	g.resumed = false
	return was
}

func keepsUntil(until time.Time, why string) func(call.Call, time.Time) (call.Clearance, error) {
	return func(_ call.Call, now time.Time) (call.Clearance, error) {
		if now.Before(until) {
			return call.Clearance{Until: until, Why: why}, nil
		}
		return call.Clearance{}, nil
	}
}

func pausing(_ call.Call, now time.Time) (call.Clearance, error) {
	return call.Clearance{Until: now, Why: call.HeldPausedAll}, nil
}

func gated(t *testing.T, change ...func(*call.Config)) (*world, *guard) {
	t.Helper()
	g := &guard{holds: map[string]map[string]bool{}}
	w := newWorld(t, append([]func(*call.Config){func(c *call.Config) { c.Gate = g }}, change...)...)
	g.w = w
	return w, g
}

func TestAHeldCallRingsWhenItsTimeHasCome(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	g.answer = keepsUntil(start.Add(9*time.Hour), call.HeldQuietHours)
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, "")
	for range 17 { // redeliveries and sweeps write nothing while it waits
		w.clock.advance(30 * time.Minute)
		w.place(request("n", start))
		w.sweep()
	}
	if c := w.row("n", 0); c.Version != 1 || c.DueReason != call.HeldQuietHours || !c.Due.Equal(start.Add(9*time.Hour)) {
		t.Errorf("version %d, due %s: %s", c.Version, c.Due, c.DueReason)
	}
	w.clock.advance(30 * time.Minute)
	w.sweep()
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}

func TestACallIsNotHeldBeyondItsTimeLimit(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	g.answer = keepsUntil(start.Add(9*time.Hour), call.HeldQuietHours)
	d := request("n", start)
	d.Request.NotAfter = start.Add(time.Hour)
	w.place(d)
	if c := w.row("n", 0); !c.Due.Equal(start.Add(time.Hour + 1)) {
		t.Errorf("due %s", c.Due)
	}
	w.clock.advance(time.Hour + time.Second)
	w.sweep()
	if c := w.state("n", 0, call.Expired, "not_after"); !strings.Contains(c.Message, "while the call was held: quiet_hours") {
		t.Errorf("it says %q", c.Message)
	}
	w.clean(0)
}

func TestARefusalOfTheGateIsARefusedRequest(t *testing.T) {
	t.Parallel()
	refusal := &call.Error{Code: call.CodeDoNotCall, Message: "The number is on the do-not-call list: opted out."}
	for _, readFirst := range []bool{true, false} {
		w, g := gated(t, func(c *call.Config) { c.ReadFirst = readFirst })
		g.answer = func(call.Call, time.Time) (call.Clearance, error) { return call.Clearance{Refuse: refusal}, nil }
		if out := w.place(request("n", start)); out.Met != call.MetRefused || out.Code != call.CodeDoNotCall || len(w.rows()) != 0 {
			t.Errorf("%+v, %d rows", out, len(w.rows()))
		}
		w.clean(0)
	}
}

func TestACallThatWaitedIsNotDialedOnceTheGateRefusesIt(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	g.answer = keepsUntil(start.Add(time.Hour), call.HeldCap)
	w.place(request("n", start))
	g.answer = func(call.Call, time.Time) (call.Clearance, error) {
		return call.Clearance{Refuse: &call.Error{Code: call.CodeDoNotCall, Message: "Do not call."}}, nil
	}
	w.clock.advance(2 * time.Hour)
	w.sweep()
	w.state("n", 0, call.Failed, call.CodeDoNotCall)
	w.clean(0)
}

// A lost answer that the gate refuses is neither sent again nor called failed: it may have rung.
func TestALostAnswerIsNotSentAgainOnceTheGateRefusesIt(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, w.phones.lost, w.phones.lost)
	w.place(request("n", start))
	g.answer = func(call.Call, time.Time) (call.Clearance, error) {
		return call.Clearance{Refuse: &call.Error{Code: call.CodeDoNotCall, Message: "Do not call."}}, nil
	}
	dials := len(w.phones.dials)
	for range 10 {
		w.clock.advance(day)
		w.sweep()
	}
	if w.state("n", 0, call.InDoubt, "send_rule_end"); len(w.phones.dials) != dials {
		t.Errorf("%d dials after the refusal", len(w.phones.dials)-dials)
	}
	w.clean(1)
}

func TestNothingIsDialedThatTheGateCannotCheck(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	g.answer = func(call.Call, time.Time) (call.Clearance, error) { return call.Clearance{}, errors.New("no answer") }
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, "")
	if c := w.row("n", 0); c.DueReason != call.HeldGate || w.heard("gate-failed") == 0 {
		t.Errorf("held for %s, %d alarms", c.DueReason, w.heard("gate-failed"))
	}
	for range 40 {
		w.clock.advance(30 * time.Minute)
		w.sweep()
	}
	if n := w.entries("n"); n > 45 {
		t.Errorf("%d entries after a day without an answer", n)
	}
	g.answer = nil
	w.clock.advance(time.Hour)
	w.sweep()
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}

func TestWhatWasTakenIsGivenBackWhenNothingRang(t *testing.T) {
	t.Parallel()
	for name, class := range map[string]call.Class{
		"refused": call.ClassRefusedRequest, "throttled": call.ClassThrottled, "not sent": call.ClassNotSent, "setup": call.ClassRefusedSetup,
	} {
		w, g := gated(t)
		w.phones.script = append(w.phones.script, says(class, "said"))
		w.place(request("n", start))
		if len(g.holds) != 0 {
			t.Errorf("%s: %v is held for a call that did not ring", name, g.holds)
		}
	}
	for name, script := range map[string]func(w *world) func(call.Send) call.Answer{
		"placed":     func(w *world) func(call.Send) call.Answer { return w.phones.ring },
		"lost":       func(w *world) func(call.Send) call.Answer { return w.phones.lost },
		"unanswered": func(*world) func(call.Send) call.Answer { return says(call.ClassAmbiguous, "timeout") },
	} {
		w, g := gated(t)
		w.phones.script = append(w.phones.script, script(w), script(w))
		w.phones.hidden = true
		w.place(request("n", start))
		if len(g.holds) != 1 {
			t.Errorf("%s: %v is held for a call that may have rung", name, g.holds)
		}
	}
}

// deafLedger applies the writes that open an attempt, and loses every answer of them.
type deafLedger struct{ call.Ledger }

func (l deafLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	return l.deaf(w)(l.Ledger.Create(ctx, w))
}

func (l deafLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return l.deaf(w)(l.Ledger.Update(ctx, w))
}

func (l deafLedger) deaf(w call.Write) func(call.Written, error) (call.Written, error) {
	return func(written call.Written, err error) (call.Written, error) {
		if len(w.Row.Open) > 0 {
			return call.Written{}, errors.New("reset")
		}
		return written, err
	}
}

// TestWhatWasTakenStaysTakenWhenTheAttemptMayBeInTheLedger: a dial that repeats the attempt takes nothing, so it would not count.
func TestWhatWasTakenStaysTakenWhenTheAttemptMayBeInTheLedger(t *testing.T) {
	t.Parallel()
	for _, first := range []bool{true, false} { // the attempt that makes the row, and a later one
		w, g := gated(t)
		hears := w.faults.Ledger
		if !first {
			w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
			w.place(request("n", start))
			w.clock.advance(time.Hour)
		}
		w.faults.Ledger = deafLedger{hears}
		w.place(request("n", start))
		w.faults.Ledger = hears
		if c := w.row("n", 0); len(c.Open) != 1 || len(g.holds[c.ID]) != 1 {
			t.Errorf("first %t: %d attempts are open, and taken is %v", first, len(c.Open), g.holds)
		}
		w.settle()
		w.clean(1)
	}
}

// lateCreate loses the first answer of a create that it applies, and lets another process act before the next try.
type lateCreate struct {
	call.Ledger
	meanwhile func()
}

func (l *lateCreate) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Create(ctx, w)
	if act := l.meanwhile; act != nil {
		l.meanwhile = nil
		act()
		return call.Written{}, errors.New("reset")
	}
	return written, err
}

// TestWhatWasTakenStaysTakenWhenTheRowHasMovedBeforeItsAnswer: the retry hears that the row was made and is another by now, so nothing is dialed at once.
func TestWhatWasTakenStaysTakenWhenTheRowHasMovedBeforeItsAnswer(t *testing.T) {
	t.Parallel()
	w, g := gated(t, func(c *call.Config) { c.ReadFirst = false })
	w.faults.Ledger = &lateCreate{Ledger: w.store, meanwhile: func() { w.start().Place(context.Background(), cancel("n", start.Add(-time.Hour))) }}
	w.place(request("n", start))
	if c := w.row("n", 0); c.Version < 2 || len(c.Open) != 1 || len(g.holds[c.ID]) != 1 {
		t.Errorf("version %d, %d attempts are open, and taken is %v", c.Version, len(c.Open), g.holds)
	}
}

func TestAPassWithoutASlotIsGivenBack(t *testing.T) {
	t.Parallel()
	pace := call.NewPace(0.01, 1)
	w, g := gated(t, func(c *call.Config) { c.Pacer = pace })
	w.place(request("first", start))
	asked := g.asked
	w.place(request("second", start)) // no slot within its patience: the gate is not even asked
	if c := w.row("second", 0); c.DueReason != "pacing" || g.asked != asked || len(g.holds) != 1 {
		t.Errorf("held for %s, asked %d times more, %v", c.DueReason, g.asked-asked, g.holds)
	}
}

func TestTheGateIsAskedAgainAfterTheWaitForASlot(t *testing.T) {
	t.Parallel()
	evening := start.Add(8 * time.Second)
	w, g := gated(t, func(c *call.Config) { c.Pacer, c.Patience = call.NewPace(0.1, 1), 30*time.Second })
	g.answer = func(_ call.Call, now time.Time) (call.Clearance, error) {
		if now.Before(evening) {
			return call.Clearance{}, nil
		}
		return call.Clearance{Until: start.Add(10 * time.Hour), Why: call.HeldQuietHours}, nil
	}
	w.place(request("first", start))
	w.place(request("second", start)) // its slot comes after 10 seconds
	w.state("first", 0, call.Placed, "")
	if c := w.state("second", 0, call.Received, ""); c.DueReason != call.HeldQuietHours || len(g.holds) != 1 {
		t.Errorf("held for %s, %v", c.DueReason, g.holds)
	}
	w.clean(1)
}

func TestALostRaceGivesBackItsOwnPassOnly(t *testing.T) {
	t.Parallel()
	w, g := gated(t, func(c *call.Config) { c.ReadFirst = false })
	w.faults.at = map[int]func(){2: func() { w.start().Place(context.Background(), request("n", start)) }} // before our write
	w.place(request("n", start))
	if w.phones.total() != 1 || len(g.holds) != 1 || len(g.holds[w.row("n", 0).ID]) != 1 {
		t.Errorf("%d rings, held: %v", w.phones.total(), g.holds)
	}
	w.clean(1)
}

func TestACallThatEndsWithoutARingLeavesNothingTaken(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	w.place(request("other", start))
	g.answer = keepsUntil(start.Add(time.Hour), call.HeldCap)
	w.place(request("n", start))
	g.holds[w.row("n", 0).ID] = map[string]bool{"of a process that died behind its pass": true}
	w.place(cancel("n", start.Add(time.Minute)))
	w.state("n", 0, call.Canceled, "canceled")
	if len(g.holds) != 1 {
		t.Errorf("held: %v", g.holds)
	}
}

func TestAPauseOfTheGateParksAndResumingLetsGoAtTheNextSweep(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	g.answer = pausing
	for i := range 50 {
		w.place(request(fmt.Sprint("n", i), start))
	}
	for range 100 { // two days
		w.clock.advance(30 * time.Minute)
		w.sweep()
	}
	if n := w.entries("n7"); n > 5 {
		t.Errorf("%d entries after two days", n)
	}
	g.answer, g.resumed = nil, true
	w.sweep()
	for i := range 50 {
		w.state(fmt.Sprint("n", i), 0, call.Placed, "")
	}
	w.clean(50)
}

func TestAnOverrideLeavesItsLines(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	g.answer = func(call.Call, time.Time) (call.Clearance, error) {
		return call.Clearance{Over: []string{call.HeldQuietHours, call.HeldCap}}, nil
	}
	w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
	w.place(request("n", start))
	w.clock.advance(time.Minute)
	w.sweep()
	w.state("n", 0, call.Placed, "")
	if n := w.heard("override"); n != 4 {
		t.Errorf("%d lines in the log, want 2 for each of 2 dials", n)
	}
	entries, err := w.store.History(t.Context(), w.row("n", 0).ID)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, e := range entries {
		event, err := e.Event()
		if err != nil {
			t.Fatal(err)
		}
		if event.Attempt != nil && strings.Contains(event.Reason, "override: quiet_hours, cap_recipient") {
			told++
		}
	}
	if told != 2 {
		t.Errorf("%d of 2 dials tell it in the timeline", told)
	}
	w.clean(1)
}

func TestAnAlarmOfTheGateIsTold(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	g.answer = func(_ call.Call, now time.Time) (call.Clearance, error) {
		return call.Clearance{Until: now, Why: call.HeldPausedPrefix, Alarm: "Limit reached."}, nil
	}
	w.place(request("n", start))
	if w.heard("limit-reached") == 0 {
		t.Error("it is not told")
	}
}

func TestAPreviewTakesNothingOfTheGate(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	if p := w.engine.Preview(t.Context(), request("n", start)); p.Verdict != call.VerdictRing || g.asked != 0 || g.looked == 0 {
		t.Errorf("%+v, asked %d, looked %d", p, g.asked, g.looked)
	}
	g.answer = keepsUntil(start.Add(time.Hour), call.HeldQuietHours)
	if p := w.engine.Preview(t.Context(), request("n", start)); p.Verdict != call.VerdictHeld || p.Outcome.Call.DueReason != call.HeldQuietHours {
		t.Errorf("%+v", p)
	}
}

func TestWhoAsksIsKeptInTheRow(t *testing.T) {
	t.Parallel()
	w, _ := gated(t)
	d := request("n", start)
	d.Producer, d.Request.TimeZone, d.Request.Urgent = "arn:queue", "Asia/Tokyo", true
	w.place(d)
	if c := w.row("n", 0); c.Producer != "arn:queue" || c.Zone != "Asia/Tokyo" || !c.Urgent {
		t.Errorf("%+v", c)
	}
	w.engine.Recall(t.Context(), w.row("n", 0).ID, call.Recall{Actor: "ada", Reason: "again"})
	if c := w.row("n", 1); c.Producer != "arn:queue" || c.Zone != "Asia/Tokyo" || !c.Urgent {
		t.Errorf("the next ring: %+v", c)
	}
}

func TestWithoutALedgerThereIsNoGate(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	var config call.Config
	w.start(func(c *call.Config) { config = *c })
	config.Gate = g
	if _, err := call.NewDirect(config, nil); call.CodeOf(err) != call.CodeNeedsLedger {
		t.Error(err)
	}
}

// Thousands of parked calls behind thousands that wait for a time: a resumption reaches them all within a few sweeps, and nothing was written
// for them meanwhile.
func TestAResumptionReachesThousandsOfParkedCallsSoon(t *testing.T) {
	t.Parallel()
	const many = 600
	w, g := gated(t)
	g.answer = keepsUntil(start.Add(9*time.Hour), call.HeldQuietHours)
	for i := range many {
		w.place(request(fmt.Sprint("night", i), start))
	}
	g.answer = pausing
	for i := range many {
		w.place(request(fmt.Sprint("paused", i), start))
	}
	for range 20 {
		w.clock.advance(time.Minute)
		w.sweepOf(100)
	}
	if n := w.entries("paused7"); n > 2 {
		t.Errorf("%d entries", n)
	}
	g.answer, g.resumed = func(c call.Call, now time.Time) (call.Clearance, error) {
		if strings.HasPrefix(c.Key.NotificationID, "night") {
			return call.Clearance{Until: start.Add(9 * time.Hour), Why: call.HeldQuietHours}, nil
		}
		return call.Clearance{}, nil
	}, true
	for range many/100 + 2 { // each sweep moves 100
		w.sweepOf(100)
	}
	w.clean(many)
}
