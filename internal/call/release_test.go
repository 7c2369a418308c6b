package call_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// held is a world with a call that waits for 50 minutes.
func held(t *testing.T, change ...func(*call.Config)) *world {
	t.Helper()
	w := newWorld(t, change...)
	answers(waitsLong)(w)
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, "")
	w.clean(0)
	return w
}

func (w *world) releases(actor, reason string) call.Outcome {
	w.t.Helper()
	return w.engine.Release(context.Background(), w.row("n", 0).ID, actor, reason)
}

// interloper lets somebody else write before an update arrives, once for each act.
type interloper struct {
	call.Ledger

	acts []func()
}

func (l *interloper) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if len(l.acts) > 0 {
		act := l.acts[0]
		l.acts = l.acts[1:]
		act()
	}
	return l.Ledger.Update(ctx, w)
}

func TestAReleasedCallRingsAtOnceAndSaysWhoAsked(t *testing.T) {
	t.Parallel()
	w := held(t)
	w.clock.advance(time.Minute)
	if out := w.releases("ann", "the boiler leaks"); out.Met != call.MetPlaced {
		t.Errorf("%+v", out)
	}
	c := w.state("n", 0, call.Placed, "")
	if c.Urgent || c.Released != "ann" {
		t.Errorf("urgent %t, released by %q", c.Urgent, c.Released)
	}
	entries, err := w.store.History(context.Background(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	for _, entry := range entries {
		if event, err := entry.Event(); err == nil && event.Kind == call.EventReleased && event.Actor == "ann" && event.Reason == "the boiler leaks" {
			told++
		}
	}
	if told != 1 || w.heard("released") != 1 {
		t.Errorf("%d lines in the history, %d decisions told", told, w.heard("released"))
	}
	if out := w.releases("bob", "me too"); out.Met != call.MetRefused || out.Code != call.CodeNotHeld || out.Fix == "" {
		t.Errorf("a second release: %+v", out)
	}
	w.clean(1)
}

func TestWhatAReleaseDoesNotOverride(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		prepare func(*world)
		want    call.Code
	}{
		"a time limit that passed": {func(w *world) { w.clock.advance(49 * time.Minute) }, call.CodeNotHeld},
		"a cancel":                 {func(w *world) { w.place(cancel("n", start.Add(time.Second))) }, call.CodeNotHeld},
		"a pause of the configuration": {func(w *world) {
			w.profile(func(p *call.Profile) { p.Paused = true })
			w.restart()
		}, call.CodeNotHeld},
		"an erasure": {func(w *world) { w.forget() }, call.CodeForgotten},
	}
	for name, c := range cases {
		w := newWorld(t)
		answers(waitsLong)(w)
		d := request("n", start)
		d.Request.NotAfter = start.Add(40 * time.Minute)
		w.place(d)
		c.prepare(w)
		if out := w.releases("ann", "now"); out.Met != call.MetRefused || out.Code != c.want || out.Message == "" || out.Fix == "" {
			t.Errorf("%s: %+v", name, out)
		}
		w.clean(0)
	}
}

func TestAReleaseNeedsAReasonAndACall(t *testing.T) {
	t.Parallel()
	w := held(t)
	if out := w.releases("ann", ""); out.Code != call.CodeReasonMissing {
		t.Errorf("%+v", out)
	}
	if out := w.engine.Release(context.Background(), "nobody", "ann", "now"); out.Met != call.MetRefused || out.Code != call.CodeNotFound {
		t.Errorf("%+v", out)
	}
	w.clean(0)
}

func TestAReleasedCallStillWaitsForThePaceAndIsThenDialed(t *testing.T) {
	t.Parallel()
	w := held(t, func(c *call.Config) { c.Pacer = call.NewPace(0.001, 1) })
	w.clock.advance(time.Minute)
	if out := w.releases("ann", "now"); out.Met != call.MetReceived || out.Call.DueReason != "pacing" || out.Call.Released != "ann" {
		t.Errorf("%+v", out)
	}
	w.settle()
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}

func TestAReleaseThatLostItsCompareIsDecidedAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		act  func(w *world)
		want call.Code
		ends call.State
	}{
		"a note came":    {func(w *world) { w.annotate() }, "", call.Placed},
		"a cancel came":  {func(w *world) { w.place(cancel("n", start.Add(time.Second))) }, call.CodeNotHeld, call.Canceled},
		"it was dialed":  {func(w *world) { w.clock.advance(time.Hour); w.sweepQuietly() }, call.CodeNotHeld, call.Placed},
		"it never rests": {nil, call.CodeRingMoved, call.Received},
	} {
		w := held(t)
		second := w.start()
		ledger := &interloper{Ledger: w.store}
		act := c.act
		times := 1
		if act == nil {
			act, times = func(w *world) { w.annotate() }, 100
		}
		for range times {
			ledger.acts = append(ledger.acts, func() { act(w) })
		}
		w.engine = second
		first := w.start(func(c *call.Config) { c.Ledger = ledger })
		if out := first.Release(context.Background(), w.row("n", 0).ID, "ann", "now"); out.Code != c.want {
			t.Errorf("%s: %+v", name, out)
		}
		if row := w.row("n", 0); row.State != c.ends {
			t.Errorf("%s: it is %s, not %s", name, row.State, c.ends)
		}
	}
}

func (w *world) annotate() {
	if _, err := w.engine.Annotate(context.Background(), w.row("n", 0).ID, "looking", "bob"); err != nil {
		w.t.Error(err)
	}
}

func TestADroppedCallStaysDroppedForEveryDeliveryOfItsRequest(t *testing.T) {
	t.Parallel()
	w := held(t)
	w.clock.advance(time.Minute)
	c, err := w.engine.Drop(context.Background(), w.row("n", 0).ID, "ann", "they called back")
	if err != nil || c.State != call.Canceled || !strings.Contains(c.Message, "they called back") {
		t.Errorf("%+v, %v", c, err)
	}
	w.outcome(w.place(request("n", start)), call.MetCanceled, call.AckDone, call.ReasonCanceled)
	w.outcome(w.place(undated("n")), call.MetCanceled, call.AckDone, call.ReasonCanceled)
	w.settle()
	w.clean(0)
	if _, err := w.engine.Drop(context.Background(), c.ID, "ann", "again"); call.CodeOf(err) != call.CodeNotHeld {
		t.Errorf("a second drop: %v", err)
	}
	if _, err := w.engine.Drop(context.Background(), c.ID, "ann", ""); call.CodeOf(err) != call.CodeReasonMissing {
		t.Errorf("without a reason: %v", err)
	}
	w.clock.advance(time.Minute)
	w.outcome(w.place(request("n", w.clock.Now())), call.MetPlaced, call.AckDone, "") // a new wish
	w.clean(1)
}

// A request may be dated up to five minutes ahead of this clock, and the person has seen what it asked for.
func TestADropReachesARequestOfAClockThatRunsAhead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answers(waitsLong)(w)
	ahead := request("n", start.Add(4*time.Minute))
	w.place(ahead)
	if c, err := w.engine.Drop(context.Background(), w.row("n", 0).ID, "ann", "no"); err != nil || c.State != call.Canceled {
		t.Errorf("%+v, %v", c, err)
	}
	w.outcome(w.place(ahead), call.MetCanceled, call.AckDone, call.ReasonCanceled)
	w.clean(0)
}

func TestADropThatComesTooLateStopsTheContactAndSaysSo(t *testing.T) {
	t.Parallel()
	w := held(t)
	w.clock.advance(time.Hour)
	ledger := &interloper{Ledger: w.store, acts: []func(){w.sweepQuietly}}
	first := w.start(func(c *call.Config) { c.Ledger = ledger })
	c, err := first.Drop(context.Background(), w.row("n", 0).ID, "ann", "no")
	if call.CodeOf(err) != call.CodeRingMoved || c.State != call.Placed {
		t.Errorf("%+v, %v", c, err)
	}
	if len(w.phones.stopped) != 1 {
		t.Errorf("%d contacts were stopped", len(w.phones.stopped))
	}
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
	w.clean(1)
}

// The gate decides what a release passes: here it lets one through, and the kill switch keeps it, as package rules does.
func TestAReleasedCallPassesWhatItsGateLetsAPersonPassAndNotTheKillSwitch(t *testing.T) {
	t.Parallel()
	w, g := gated(t)
	quiet := keepsUntil(start.Add(9*time.Hour), call.HeldQuietHours)
	g.answer = quiet
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, "")
	g.answer = pausing
	if out := w.releases("ann", "now"); out.Met != call.MetReceived || out.Call.DueReason != call.HeldPausedAll || out.Call.Released != "ann" {
		t.Errorf("under the kill switch: %+v", out)
	}
	w.clean(0)
	g.answer = func(c call.Call, now time.Time) (call.Clearance, error) {
		if c.Released != "" {
			return call.Clearance{Over: []string{call.HeldQuietHours}}, nil
		}
		return quiet(c, now)
	}
	if out := w.releases("ann", "now"); out.Met != call.MetPlaced {
		t.Errorf("%+v", out)
	}
	if len(g.holds) != 1 {
		t.Errorf("the gate holds %v", g.holds)
	}
	w.clean(1)
}
