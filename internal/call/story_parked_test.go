package call_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func pause(p *call.Profile) { p.Paused = true }

// pausedProfile adds a profile that is paused.
func (w *world) pausedProfile(name string) {
	p := w.profiles[""]
	p.Name, p.Paused = name, true
	w.profiles[name] = p
}

// restart is a new process, with the configuration of now.
func (w *world) restart() { w.engine = w.start() }

// placeAs places a request under a profile.
func (w *world) placeAs(profile, notification string) {
	d := request(notification, start)
	d.Request.Profile = profile
	w.place(d)
}

func (w *world) entries(notification string) int {
	w.t.Helper()
	entries, err := w.store.History(context.Background(), w.row(notification, 0).ID)
	if err != nil {
		w.t.Fatal(err)
	}
	return len(entries)
}

func (w *world) sweepOf(limit int) call.Swept {
	w.t.Helper()
	swept, err := w.engine.Sweep(context.Background(), limit)
	if err != nil {
		w.t.Fatal(err)
	}
	return swept
}

// denyAfterALostAnswer leaves a call with an open attempt whose number may no longer be rung.
func denyAfterALostAnswer(w *world, g *gatekeeper) {
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, says(call.ClassAmbiguous, "timeout"), says(call.ClassAmbiguous, "timeout"))
	w.place(request("n", start))
	g.shut = true
}

func TestACallThatWaitsForAPersonNeitherFillsItsHistoryNorWakesItself(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		prepare func(w *world, g *gatekeeper)
		days    int
		most    int // history entries
	}{
		"paused":  {func(w *world, _ *gatekeeper) { w.profile(pause); w.place(request("n", start)) }, 365, 20},
		"removed": {func(w *world, _ *gatekeeper) { w.pausedProfile("p"); w.placeAs("p", "n"); delete(w.profiles, "p") }, 365, 20},
		"paused while its answer is open": {func(w *world, _ *gatekeeper) {
			w.phones.hidden = true
			w.phones.script = append(w.phones.script, says(call.ClassAmbiguous, "timeout"), says(call.ClassAmbiguous, "timeout"))
			w.place(request("n", start))
			w.profile(pause)
		}, 5, 12},
		"a broken configuration": {func(w *world, _ *gatekeeper) {
			w.phones.prepare = func(call.Order) error { return &call.Error{Code: call.CodeConfiguration, Message: "No flow."} }
			w.place(request("n", start))
		}, 365, 20},
		"denied": {denyAfterALostAnswer, 5, 16},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, g := guarded(t)
			tc.prepare(w, g)
			before := w.entries("n")
			for range tc.days * 24 {
				w.clock.advance(time.Hour)
				w.sweepOf(100)
				w.place(request("n", start)) // its source delivers it again and again
			}
			if n, hints := w.entries("n"), w.wakes.counts(); n > tc.most || hints > 1 { // a hint of before it was paused
				t.Errorf("%d history entries after %d, %d hints in %d days", n, before, hints, tc.days)
			}
		})
	}
}

func TestBehindOneThatProbesASetupTheOthersKeepStill(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.always = says(call.ClassRefusedSetup, "denied")
	const many = 50
	for n := range many {
		w.place(request(fmt.Sprint("n-", n), start))
	}
	for range 2 * 24 * 60 {
		w.clock.advance(time.Minute)
		w.sweepOf(100)
	}
	all, quiet := 0, 0
	for n := range many {
		entries := w.entries(fmt.Sprint("n-", n))
		if all += entries; entries <= 3 {
			quiet++
		}
	}
	if probes := len(w.phones.dials); quiet < many/2 || all > 3*probes+3*many || probes > 2*24*60/15*3 {
		t.Errorf("%d dials, %d entries in all, %d of %d calls kept still", probes, all, quiet, many)
	}
	w.phones.always = nil
	for range 40 {
		w.clock.advance(time.Minute)
		w.sweepOf(100)
	}
	w.clean(many)
}

// The limit of a sweep is a hundredth of the calls that are parked, and these are the earlier ones.
func TestTenThousandPausedCallsStarveNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.pausedProfile("paused")
	const many = 10_000
	for n := range many {
		w.placeAs("paused", fmt.Sprint("p-", n))
	}
	w.phones.always = throttledFor(6 * time.Minute)
	for n := range 50 {
		w.place(request(fmt.Sprint("n-", n), start))
	}
	w.phones.always = nil
	for range 5 {
		w.clock.advance(time.Minute)
		w.sweepOf(100)
	}
	w.clock.advance(2 * time.Minute)
	w.sweepOf(100)
	if n := w.phones.total(); n != 50 {
		t.Errorf("%d of 50 calls were dialed at their due", n)
	}
	w.clock.advance(day - 30*time.Minute)
	for step := range 7 * 4 { // also when the parked ones are looked at again
		w.phones.always = throttledFor(time.Minute)
		w.place(request(fmt.Sprint("later-", step), start))
		w.phones.always = nil
		w.clock.advance(15 * time.Minute)
		w.sweepOf(500) // what five of fifteen sweeps may do
		if w.row(fmt.Sprint("later-", step), 0).State != call.Placed {
			t.Fatalf("a call that was due after %d quarters of an hour is late", step)
		}
	}
	total := 0
	for n := range many {
		total += w.entries(fmt.Sprint("p-", n))
	}
	if total > 3*many || w.wakes.counts() > 50+28 {
		t.Errorf("%d history entries for %d paused calls in a day, %d hints", total, many, w.wakes.counts())
	}
}

func TestPausedCallsGoOnWithTheFirstSweepOfTheNextProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(pause)
	w.pausedProfile("stays")
	for n := range 30 {
		w.placeAs("stays", fmt.Sprint("s-", n))
		w.place(request(fmt.Sprint("n-", n), start))
	}
	w.clock.advance(time.Hour)
	w.profile(func(p *call.Profile) { p.Paused = false })
	w.restart()
	if swept := w.sweepOf(20); swept.Due != 20 || swept.Moved != 20 || w.phones.total() != 20 {
		t.Errorf("%+v, %d rings", swept, w.phones.total())
	}
	if swept := w.sweepOf(20); swept.Due != 10 || w.phones.total() != 30 {
		t.Errorf("%+v, %d rings", swept, w.phones.total())
	}
	w.clean(30)
}

// Where no sweeper runs, redelivery alone drives a call.
func TestAPausedCallGoesOnWhenItIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(pause)
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, "")
	w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, call.ReasonInProgress)
	w.profile(func(p *call.Profile) { p.Paused = false })
	w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonInProgress)
	w.clean(1)
}

// An older configuration may be at work beside a newer one for a while.
func TestWhatAnotherProcessParksLaterIsFoundToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sweep()
	w.profile(pause)
	old := w.start()
	d := request("n", start)
	d.ReceivedAt = w.clock.Now()
	old.Place(context.Background(), d)
	w.profile(func(p *call.Profile) { p.Paused = false })
	for range 16 {
		w.clock.advance(time.Minute)
		w.sweep()
	}
	w.clean(1)
}

func TestAPausedCallExpiresWhenItsTimeLimitPasses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(pause)
	d := request("n", start)
	d.Request.NotAfter = start.Add(10 * time.Minute)
	w.place(d)
	w.clock.advance(11 * time.Minute)
	w.sweep()
	w.state("n", 0, call.Expired, "not_after")
	w.clean(0)
}

func TestALookAheadThatFailsIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(pause)
	w.place(request("n", start))
	w.profile(func(p *call.Profile) { p.Paused = false })
	blind := &blinded{Ledger: w.store, now: w.clock.Now}
	w.engine = w.start(func(c *call.Config) { c.Ledger = blind })
	for _, rings := range []int{0, 1} {
		w.sweepOf(10)
		if w.phones.total() != rings || blind.looks != rings+1 {
			t.Errorf("%d rings after %d looks ahead, want %d", w.phones.total(), blind.looks, rings)
		}
	}
}

// blinded is a ledger whose first look ahead fails.
type blinded struct {
	call.Ledger
	now   func() time.Time
	looks int
}

// Due implements call.Ledger.
func (b *blinded) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	if now.After(b.now()) {
		if b.looks++; b.looks == 1 {
			return nil, errors.New("connection reset")
		}
	}
	return b.Ledger.Due(ctx, now, limit)
}

// The look ahead of the process was over before, and the next one is a quarter of an hour away.
func TestWhenASetupIsAcceptedTheOthersGoOnAtOnce(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"in the process that paused it": false, "in another one, where a sweep had nothing to do": true} {
		w := newWorld(t)
		prober, others := w.engine, w.start()
		if restart {
			if _, err := others.Sweep(context.Background(), 10); err != nil { // before anything is parked
				t.Fatal(err)
			}
		}
		w.phones.always = says(call.ClassRefusedSetup, "denied")
		for n := range 5 {
			d := request(fmt.Sprint("n-", n), start)
			d.ReceivedAt = w.clock.Now()
			prober.Place(context.Background(), d)
		}
		w.phones.always = nil
		if restart {
			w.engine = others
		}
		w.clock.advance(75 * time.Second) // the due of the one that was refused
		if w.sweepOf(10); w.phones.total() != 5 {
			t.Errorf("%s: %d of 5 calls rang", name, w.phones.total())
		}
		w.clean(5)
	}
}

// slowly is a ledger whose reads take time.
type slowly struct {
	call.Ledger

	clock *clock
}

func (l slowly) Get(ctx context.Context, id string) (call.Call, error) {
	l.clock.advance(10 * time.Millisecond)
	return l.Ledger.Get(ctx, id)
}

// Where each sweep is a process of its own, a pass over what waits never gets beyond its first part.
func TestAParkedCallBehindManyThatWaitGoesOnThoughEachSweepIsAnotherProcess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, followed(patient()))
	const many = 1000
	for n := range many {
		w.place(request(fmt.Sprint("n-", n), start)) // each waits for its outcome
	}
	w.pausedProfile("paused")
	w.placeAs("paused", "parked")
	delete(w.profiles, "paused")
	w.profiles["paused"] = w.profiles[""]
	w.change = append(w.change, func(c *call.Config) { c.Ledger = slowly{c.Ledger, w.clock} })
	for range 35 {
		w.clock.advance(3 * time.Second)
		w.restart()
		w.sweepOf(100)
		if w.row("parked", 0).State == call.Placed {
			return
		}
	}
	t.Errorf("still parked: %+v", w.row("parked", 0))
}
