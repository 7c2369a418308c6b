package call_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// throttledFor answers that the call waits for d.
func throttledFor(d time.Duration) func(call.Send) call.Answer {
	return func(call.Send) call.Answer { return call.Answer{Class: call.ClassThrottled, RetryAfter: d} }
}

// hinting is a ledger that keeps the hints of its writes beside them.
type hinting struct {
	call.Ledger

	clock call.Clock
	given int // for what is not due yet
}

func (l *hinting) Create(ctx context.Context, w call.Write) (call.Written, error) {
	return l.hint(w)(l.Ledger.Create(ctx, w))
}

func (l *hinting) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return l.hint(w)(l.Ledger.Update(ctx, w))
}

func (l *hinting) hint(w call.Write) func(call.Written, error) (call.Written, error) {
	return func(written call.Written, err error) (call.Written, error) {
		if written.Hinted = err == nil && written.Applied && !w.Hint.IsZero(); written.Hinted && w.Hint.After(l.clock.Now()) {
			l.given++
		}
		return written, err
	}
}

// hints lives the same with a ledger that keeps hints and with one that does not, and counts what each way was given. The sweeper of the process hears of
// each wait in both: no hint reaches it otherwise.
func hints(t *testing.T, prepare, act func(w *world)) (with, after int) {
	t.Helper()
	heard := 0
	live := func(change ...func(*call.Config)) int {
		heard = 0
		w := newWorld(t, append(change, func(c *call.Config) { c.Waits = func(time.Time) { heard++ } })...)
		if prepare != nil {
			prepare(w)
		}
		w.place(request("n", start))
		if act != nil {
			act(w)
		}
		return w.wakes.counts()
	}
	var l *hinting
	again := live(func(c *call.Config) {
		l = &hinting{Ledger: c.Ledger, clock: c.Clock}
		c.Ledger = l
	})
	if again != 0 {
		t.Errorf("%d hints were given after writes that carried theirs", again)
	}
	if heard != l.given {
		t.Errorf("%d writes carried a hint, and the sweeper heard of %d", l.given, heard)
	}
	after = live()
	if heard != after {
		t.Errorf("%d hints after writes, and the sweeper heard of %d", after, heard)
	}
	return l.given, after
}

// TestAnAcceptedCallIsWorthAHintWithItsWriteAlone is about the due of a call that is accepted and not dialed: it is now, so nobody asks for a hint
// after the write.
func TestAnAcceptedCallIsWorthAHintWithItsWriteAlone(t *testing.T) {
	t.Parallel()
	e := call.Event{Kind: call.EventAccepted, At: start, Due: start, Opening: &call.Opening{
		Key: call.Key{Kind: call.KindVoice, NotificationID: "n", RecipientID: "r"}, Cause: call.CauseRequest, Destination: "+12025550101",
	}}
	accepted, err := call.Begin("row").Write(e, "op-1")
	if err != nil || !accepted.Hint.Equal(start) {
		t.Errorf("accepted: a hint at %s, %v, want one now", accepted.Hint, err)
	}
	same, err := accepted.Row.Write(call.Event{Kind: call.EventNoted, At: start, Reason: "looking", Actor: "ann"}, "op-2")
	if err != nil || !same.Hint.IsZero() {
		t.Errorf("a note: a hint at %s, %v, want none", same.Hint, err)
	}
	e.Attempt = &call.Attempt{ID: "attempt", Opened: start, LeaseEnd: start.Add(time.Minute)}
	dialed, err := call.Begin("row").Write(e, "op-1")
	if err != nil || !dialed.Hint.IsZero() {
		t.Errorf("dialed at once: a hint at %s, %v, want none", dialed.Hint, err)
	}
}

func TestEachWaitIsHintedOnceAndNothingElse(t *testing.T) {
	t.Parallel()
	paused := func(p *call.Profile) { p.Paused = true }
	for name, tc := range map[string]struct {
		prepare func(w *world)
		act     func(w *world)
		want    int
	}{
		"a straight first call":        {want: 0},
		"its duplicates":               {act: func(w *world) { w.place(request("n", start)); w.place(request("n", start)) }, want: 0},
		"refused for good":             {prepare: func(w *world) { w.phones.always = says(call.ClassRefusedRequest, "x") }, want: 0},
		"canceled before the call":     {act: func(w *world) { w.place(cancel("m", start)) }, want: 0},
		"a re-call":                    {act: func(w *world) { w.recall("n", 0) }, want: 0},
		"throttled":                    {prepare: func(w *world) { w.phones.always = throttledFor(time.Minute) }, want: 1},
		"not sent":                     {prepare: func(w *world) { w.phones.always = says(call.ClassNotSent, "reset") }, want: 1},
		"setup refused":                {prepare: func(w *world) { w.phones.always = says(call.ClassRefusedSetup, "denied") }, want: 1},
		"paused":                       {prepare: func(w *world) { w.profile(paused) }, want: 0},
		"a lost answer that is resent": {prepare: func(w *world) { w.phones.script = append(w.phones.script, w.phones.lost) }, want: 0},
		"two lost answers":             {prepare: func(w *world) { w.phones.script = append(w.phones.script, w.phones.lost, w.phones.lost) }, want: 1},
		"lost under resend: evidence":  {prepare: func(w *world) { resend(call.ResendEvidence)(w); w.phones.always = w.phones.lost }, want: 1},
		"lost under resend: never":     {prepare: func(w *world) { resend(call.ResendNever)(w); w.phones.always = w.phones.lost }, want: 1},
		"a refusal after a lost answer": {prepare: func(w *world) {
			w.phones.script = append(w.phones.script, w.phones.lost, says(call.ClassRefusedRequest, "x"))
		}, want: 1},
		"throttled, and its duplicates": {
			prepare: func(w *world) { w.phones.always = throttledFor(time.Hour) },
			act:     func(w *world) { w.place(request("n", start)); w.place(request("n", start)); w.sweep() }, want: 1,
		},
		"throttled three times": {
			prepare: func(w *world) { w.phones.always = throttledFor(time.Minute) },
			act: func(w *world) {
				for range 2 {
					w.clock.advance(2 * time.Minute)
					w.sweep()
				}
			}, want: 3,
		},
		"a note on a waiting call": {
			prepare: func(w *world) { w.phones.always = throttledFor(time.Hour) },
			act: func(w *world) {
				if _, err := w.engine.Annotate(context.Background(), w.row("n", 0).ID, "looking", "ann"); err != nil {
					w.t.Error(err)
				}
			}, want: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with, after := hints(t, tc.prepare, tc.act)
			if after != tc.want || with != tc.want {
				t.Errorf("%d hints after the writes, %d with them by a ledger that keeps hints, want %d", after, with, tc.want)
			}
		})
	}
}

func TestEachLookForEvidenceIsHinted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resend(call.ResendNever)(w)
	w.phones.hidden, w.phones.always = true, w.phones.lost
	w.place(request("n", start))
	w.settle()
	w.state("n", 0, call.InDoubt, "resend_never")
	if got := w.wakes.counts(); got != 3 { // settled, + 30 min, + 24 h
		t.Errorf("%d hints, want one for each of 3 looks", got)
	}
}

func TestARecallOfADoubtDoesNotHintItsNextLookAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	resend(call.ResendEvidence)(w)
	w.phones.hidden, w.phones.script = true, append(w.phones.script, w.phones.lost)
	d := request("n", start)
	d.Request.NotAfter = start.Add(time.Minute)
	w.place(d)
	w.clock.advance(5 * time.Hour)
	w.sweep()
	w.state("n", 0, call.InDoubt, "not_after")
	w.recall("n", 0)
	w.state("n", 1, call.Placed, "")
	if due, given := w.row("n", 0).Due, w.wakes.counts(); due.IsZero() || given != 2 { // the end of the wait, and the look after a day
		t.Errorf("%d hints, and the doubt is due %s", given, due)
	}
}

func TestHintsAloneCarryACallToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, throttledFor(time.Minute), w.phones.lost, w.phones.lost, says(call.ClassNotSent, "reset"))
	w.place(request("n", start))
	for range 10 {
		if len(w.wakes.asked) == 0 {
			break
		}
		next := w.wakes.asked[0]
		w.wakes.asked = w.wakes.asked[1:]
		w.clock.advance(max(next.due.Sub(w.clock.Now()), 0))
		if met := w.woken(next.id, next.due); met != call.WokeMoved {
			t.Errorf("a hint at its due met %s", met)
		}
	}
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}

func TestAHintThatFailsChangesNothing(t *testing.T) {
	t.Parallel()
	var plain call.Call
	for _, broken := range []bool{false, true} {
		w := newWorld(t)
		w.phones.script = append(w.phones.script, throttledFor(time.Minute))
		if broken {
			w.wakes.err = errors.New("queue gone")
		}
		w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, "")
		row := w.row("n", 0)
		if !broken {
			plain = row
			continue
		}
		if row.Version != plain.Version || !row.Due.Equal(plain.Due) || row.State != plain.State {
			t.Errorf("with a hint %+v, without %+v", plain, row)
		}
		if w.heard("wake-failed") != 1 {
			t.Error("a hint that failed left no line")
		}
		w.settle()
		w.clean(1)
	}
}

func TestAWakerThatFailsIsLeftAloneAndAlarmsAfterAWhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.wakes.err = errors.New("queue gone")
	w.phones.always = throttledFor(time.Hour)
	alarms := func() (n int) {
		for _, d := range w.told {
			if d.What == "wake-failed" && d.Alarm {
				n++
			}
		}
		return n
	}
	for _, name := range []string{"a", "b", "c", "d"} {
		w.place(request(name, start))
	}
	if w.wakes.tries != 1 || w.heard("wake-failed") != 1 || w.heard("wake-skipped") != 3 || alarms() != 0 {
		t.Errorf("%d tries, %d failed, %d skipped, %d alarms", w.wakes.tries, w.heard("wake-failed"), w.heard("wake-skipped"), alarms())
	}
	w.clock.advance(call.HeartbeatTime)
	w.place(request("e", start))
	if w.wakes.tries != 2 || alarms() != 1 {
		t.Errorf("%d tries and %d alarms after 5 minutes of failures", w.wakes.tries, alarms())
	}
	w.clock.advance(time.Minute)
	w.wakes.err = nil
	w.place(request("f", start))
	w.wakes.err = errors.New("queue gone again")
	w.place(request("g", start))
	if w.wakes.tries != 4 || alarms() != 1 {
		t.Errorf("%d tries and %d alarms: a hint that worked must end the count", w.wakes.tries, alarms())
	}
}

func TestWithoutTimeLeftNoHintIsGiven(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	w.phones.always = func(call.Send) call.Answer {
		cancel() // the function's time ends while the dial is answered
		return call.Answer{Class: call.ClassThrottled, RetryAfter: time.Minute}
	}
	w.engine.Place(ctx, request("n", start))
	if w.wakes.tries != 0 || w.heard("wake-skipped") != 1 {
		t.Errorf("%d hints, %d skipped", w.wakes.tries, w.heard("wake-skipped"))
	}
	w.state("n", 0, call.Received, "")
}

// The answer to the write of a result is lost, and another worker writes to the row before this one learns that its own write is in.
func TestTheWriterOfADueHintsItAlsoWhenTheRowHasMovedOn(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		other func(w *world, second *call.Engine)
		want  int
	}{
		"and waits as before": {func(w *world, second *call.Engine) {
			if _, err := second.Annotate(context.Background(), w.row("n", 0).ID, "looking", "ann"); err != nil {
				w.t.Error(err)
			}
		}, 1},
		"and waits no more": {func(w *world, _ *call.Engine) {
			w.engine.Place(context.Background(), cancel("n", start.Add(time.Second)))
		}, 0},
	} {
		w := newWorld(t)
		second := w.start()
		w.phones.always = throttledFor(time.Hour)
		w.faults.names, w.faults.mode = nil, lostAfter
		w.faults.fail = 4 // get, create, dial, update result
		w.faults.at = map[int]func(){5: func() { tc.other(w, second) }}
		w.place(request("n", start))
		if got := w.wakes.counts(); got != tc.want || w.faults.fired != 1 {
			t.Errorf("%s: %d hints, want %d (%v, %d)", name, got, tc.want, w.faults.names, w.faults.fired)
		}
	}
}

func TestAHintIsTrustedForNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.script = append(w.phones.script, throttledFor(50*time.Minute))
	w.place(request("n", start))
	row := w.row("n", 0)
	dials := len(w.phones.dials)
	for i := range 500 { // a flood of forged hints, before the due
		due := []time.Time{{}, start, row.Due.Add(-time.Second), row.Due.Add(time.Hour), w.clock.Now()}[i%5]
		if met := w.woken(row.ID, due); met != call.WokeEarly {
			t.Fatalf("a forged hint met %s", met)
		}
	}
	if got := w.row("n", 0); len(w.phones.dials) != dials || got.Version != row.Version || w.wakes.tries != 1 {
		t.Errorf("forged hints: %d dials, version %d after %d, %d hints", len(w.phones.dials), got.Version, row.Version, w.wakes.tries)
	}
	if met := w.woken("no such row", row.Due); met != call.WokeUnknown {
		t.Errorf("an unknown row met %s", met)
	}
	w.clock.advance(50 * time.Minute)
	for i := range 500 { // after it: late, doubled, forged
		want := call.WokeIdle
		if i == 0 {
			want = call.WokeMoved
		}
		if met := w.woken(row.ID, []time.Time{{}, row.Due}[i%2]); met != want {
			t.Fatalf("hint %d met %s", i, met)
		}
	}
	w.state("n", 0, call.Placed, "")
	w.clean(1)
}

func TestForgedHintsOfADialThatIsOnItsWayDoNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.onDial = func(s call.Send) {
		w.phones.onDial = nil
		lease := w.row("n", 0).DueAt()
		for _, due := range []time.Time{{}, lease, w.clock.Now()} {
			if met := w.woken(s.CallID, due); met != call.WokeEarly {
				t.Errorf("met %s", met)
			}
		}
	}
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, "")
	if w.row("n", 0).AttemptCount != 1 || w.wakes.tries != 0 {
		t.Errorf("%d attempts, %d hints", w.row("n", 0).AttemptCount, w.wakes.tries)
	}
	w.clean(1)
}

func TestAnEarlyHintIsGivenAgainForTheSameDueOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.always = throttledFor(50 * time.Minute)
	w.place(request("n", start))
	row := w.row("n", 0)
	w.clock.advance(15 * time.Minute) // the longest delay of the queue is over
	w.woken(row.ID, row.Due)
	w.woken(row.ID, row.Due.Add(-10*time.Minute)) // of a due that was moved
	if n := len(w.wakes.asked); n != 2 || w.wakes.asked[1] != (asked{row.ID, row.Due}) {
		t.Errorf("%d hints: %v", n, w.wakes.asked)
	}
}

func TestAHintWhoseRowCannotBeReadIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.always = throttledFor(time.Minute)
	w.place(request("n", start))
	row := w.row("n", 0)
	w.clock.advance(2 * time.Minute)
	w.faults.names, w.faults.fail, w.faults.mode = nil, 1, lostBefore
	if met, err := w.engine.Woken(context.Background(), row.ID, row.Due); err == nil {
		t.Errorf("met %s", met)
	}
}
