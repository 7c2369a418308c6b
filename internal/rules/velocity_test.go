package rules

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestALimitThatIsReachedPausesUntilAPersonResumes(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	limit := Velocity{Prefix: "8190", Most: 3, Per: 24 * time.Hour, Stops: true}
	g, other := gateOn(t, cells, limited(limit)), gateOn(t, cells, limited(limit))
	for i := range 3 {
		mustPass(t, g, aCall(fmt.Sprint("n", i), ada), noon)
	}
	v := pass(t, g, aCall("n3", ada), noon.Add(time.Second))
	if v.Why != call.HeldPausedPrefix || v.Alarm == "" {
		t.Fatalf("%+v", v)
	}
	if v = pass(t, other, aCall("n4", ada), noon.Add(2*time.Second)); v.Why != call.HeldPausedPrefix || v.Alarm != "" {
		t.Fatalf("another process: %+v, want it kept and no second alarm", v)
	}
	mustPass(t, g, aCall("other", bob), noon.Add(2*time.Second))
	mustKeep(t, g, aCall("n3", ada), noon.Add(100*24*time.Hour), call.HeldPausedPrefix) // no time ends it
	resumed := noon.Add(time.Minute)
	if changed, err := Resume(t.Context(), cells, Switch{Target: limit.target(), By: "ada", At: resumed, Why: "it was meant"}); err != nil || !changed {
		t.Fatal(changed, err)
	}
	for i := range 3 { // what was dialed before does not count any more
		mustPass(t, g, aCall(fmt.Sprint("again", i), ada), resumed.Add(time.Second))
	}
	mustKeep(t, g, aCall("too many", ada), resumed.Add(2*time.Second), call.HeldPausedPrefix)
}

// A leaked key, or a bug in a producer: fresh keys and fresh numbers of one prefix, at two processes at once.
func TestABurstOfTenThousandStopsExactlyAtTheLimit(t *testing.T) {
	t.Parallel()
	const burst, most, lanes = 10_000, 500, 8
	cells := newShelf()
	limit := Velocity{Prefix: "8190", Most: most, Per: 24 * time.Hour, Stops: true}
	gates := []*Gate{gateOn(t, cells, limited(limit)), gateOn(t, cells, limited(limit))}
	var passed, alarms atomic.Int64
	var wg sync.WaitGroup
	for lane := range lanes {
		wg.Go(func() {
			for n := lane; n < burst; n += lanes {
				c := aCall(fmt.Sprint("burst-", n), fmt.Sprintf("+81900000%04d", n))
				v, err := gates[n%2].Pass(t.Context(), c, plainProfile, noon.Add(time.Duration(n)*time.Millisecond))
				switch {
				case err != nil:
					t.Error(err)
				case v.Passes():
					passed.Add(1)
				case v.Alarm != "":
					alarms.Add(1)
				}
			}
		})
	}
	wg.Wait()
	if passed.Load() != most || alarms.Load() != 1 {
		t.Errorf("%d of %d pass, want %d; %d alarms, want 1", passed.Load(), burst, most, alarms.Load())
	}
}

func TestALimitThatOnlyHoldsLetsGoByTime(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), limited(Velocity{Producer: "queue", Most: 2, Per: time.Hour}))
	of := func(id string) call.Call {
		c := aCall(id, ada)
		c.Producer = "queue"
		return c
	}
	mustPass(t, g, of("a"), noon)
	mustPass(t, g, of("b"), noon.Add(time.Minute))
	v := pass(t, g, of("c"), noon.Add(2*time.Minute))
	if v.Why != call.HeldVelocity || v.Alarm == "" || v.Until.Before(noon.Add(time.Hour)) || v.Until.After(noon.Add(65*time.Minute)) {
		t.Fatalf("%+v", v)
	}
	if again := pass(t, g, of("d"), noon.Add(3*time.Minute)); again.Alarm != "" {
		t.Errorf("it alarms again: %s", again.Alarm)
	}
	mustPass(t, g, aCall("of nobody", ada), noon.Add(3*time.Minute))
	mustPass(t, g, of("c"), v.Until)
}

func TestADialThatIsGivenBackDoesNotCount(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), limited(Velocity{Most: 1, Per: time.Hour}))
	for i := range 10 { // each was refused by Amazon Connect
		c := aCall(fmt.Sprint("n", i), ada)
		g.Return(t.Context(), c, mustPass(t, g, c, noon), noon)
	}
	c := aCall("rings", ada)
	mustPass(t, g, c, noon)
	mustPass(t, g, c, noon) // a crash behind the first pass
	mustKeep(t, g, aCall("second", ada), noon, call.HeldVelocity)
	c.Open = []call.Attempt{{ID: "lost"}}
	mustPass(t, g, c, noon.Add(time.Minute)) // a lost answer was counted
}

// TestWhatAProcessCountedBeforeItDiedCountsWhenTheCallIsDialed: whoever took it rang nobody, so the call counts from the dial on.
func TestWhatAProcessCountedBeforeItDiedCountsWhenTheCallIsDialed(t *testing.T) {
	t.Parallel()
	for _, later := range []time.Duration{50 * time.Minute, 2 * time.Hour} { // in the stretch, and behind it
		g := gateOn(t, newShelf(), limited(Velocity{Most: 1, Per: time.Hour}))
		dies := aCall("dies", ada)
		mustPass(t, g, dies, noon)
		mustPass(t, g, dies, noon.Add(later))
		mustKeep(t, g, aCall("next", ada), noon.Add(later+30*time.Minute), call.HeldVelocity)
		mustPass(t, g, aCall("next", ada), noon.Add(later+63*time.Minute))
	}
	g := gateOn(t, newShelf(), limited(Velocity{Most: 1, Per: time.Hour}))
	mustPass(t, g, aCall("dies", ada), noon)
	mustPass(t, g, aCall("other", ada), noon.Add(2*time.Hour))
	mustKeep(t, g, aCall("dies", ada), noon.Add(2*time.Hour+time.Minute), call.HeldVelocity) // it is not counted any more
}

// TestAPlaceThatIsTakenAgainAndGivenBackMovesNoCount is a request that comes again: it takes a place before the ledger says that the call rang long ago.
func TestAPlaceThatIsTakenAgainAndGivenBackMovesNoCount(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), limited(Velocity{Most: 1, Per: time.Hour}))
	rang := aCall("rang", ada)
	mustPass(t, g, rang, noon)
	for later := time.Duration(0); later < time.Hour; later += 6 * time.Minute {
		at := noon.Add(later)
		g.Return(t.Context(), rang, mustPass(t, g, rang, at), at)
	}
	mustKeep(t, g, aCall("next", ada), noon.Add(time.Hour), call.HeldVelocity)
	mustPass(t, g, aCall("next", ada), noon.Add(63*time.Minute))
}

func TestAPlaceThatIsGivenBackLateTakesNoOtherWithIt(t *testing.T) {
	t.Parallel()
	limit, now := Velocity{Most: 1000, Per: time.Hour}, noon
	var s speed
	s.add(limit, take{Row: "rang", Ticket: "first"}, 1, time.Time{}, now)
	s.add(limit, take{Row: "rang", Ticket: "again"}, 1, time.Time{}, now.Add(10*time.Minute))
	for i := range recentTakes - 1 { // the first is remembered no more
		s.add(limit, take{Row: fmt.Sprint("other", i), Ticket: "t"}, 1, time.Time{}, now.Add(20*time.Minute))
	}
	s.drop("rang", "again", now.Add(21*time.Minute))
	if n, _ := s.count(limit, time.Time{}, now.Add(21*time.Minute)); n != recentTakes {
		t.Errorf("%d calls are counted, and %d rang", n, recentTakes)
	}
}

// TestALimitHoldsAfterAResumeByAClockThatIsAhead: what is dialed since counts, whatever the clock of who resumed; one far ahead restarts no count.
func TestALimitHoldsAfterAResumeByAClockThatIsAhead(t *testing.T) {
	t.Parallel()
	for ahead, again := range map[time.Duration]int{0: 2, 5 * time.Minute: 2, 26 * time.Hour: 0} {
		cells := newShelf()
		limit := Velocity{Prefix: "8190", Most: 2, Per: time.Hour, Stops: true}
		g := gateOn(t, cells, limited(limit))
		for i := range 2 {
			mustPass(t, g, aCall(fmt.Sprint("n", i), ada), noon)
		}
		mustKeep(t, g, aCall("reaches", ada), noon.Add(time.Second), call.HeldPausedPrefix)
		if _, err := Resume(t.Context(), cells, Switch{Target: limit.target(), By: "ada", At: noon.Add(time.Minute + ahead), Why: "it was meant"}); err != nil {
			t.Fatal(err)
		}
		passed := 0
		for i := range 50 {
			if pass(t, g, aCall(fmt.Sprint("again", i), ada), noon.Add(time.Minute+time.Duration(i)*time.Second)).Passes() {
				passed++
			}
		}
		if passed != again {
			t.Errorf("resumed by a clock %s ahead: %d pass, want %d", ahead, passed, again)
		}
	}
}

// TestAClockThatIsAheadErasesNoCount lets it take once, and give back what Amazon Connect refused.
func TestAClockThatIsAheadErasesNoCount(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{15 * time.Minute, 2 * time.Hour, 20 * time.Hour} {
		per := min(ahead, time.Hour)
		g := gateOn(t, newShelf(), limited(Velocity{Most: 5, Per: per}), slotted(8), capped(Cap{5, per}))
		for i := range 5 {
			mustPass(t, g, aCall(fmt.Sprint("n", i), ada), noon)
		}
		c := aCall("ahead", bob)
		if v := pass(t, g, c, noon.Add(ahead+per)); v.Passes() {
			g.Return(t.Context(), c, v.Ticket, noon.Add(ahead+per))
		}
		for number, why := range map[string]string{bob: call.HeldVelocity, ada: call.HeldCap} {
			mustKeep(t, g, aCall("more", number), noon.Add(time.Minute), why)
		}
	}
}

func TestAWeightThatGrowsIsAskedForAgain(t *testing.T) {
	t.Parallel()
	limit, now := Velocity{Most: 100, Per: time.Hour}, noon
	var s speed
	s.add(limit, take{Row: "a", Ticket: "1"}, 10, time.Time{}, now)
	s.add(limit, take{Row: "b", Ticket: "1"}, 90, time.Time{}, now)
	if _, full := s.full(limit, "a", 60, time.Time{}, now); !full {
		t.Error("a call that was counted with 10 passes with 60")
	}
	if _, full := s.full(limit, "a", 10, time.Time{}, now); full {
		t.Error("a call that was counted is kept by itself")
	}
	s.drop("b", "", now)
	s.add(limit, take{Row: "a", Ticket: "2"}, 60, time.Time{}, now)
	if n, _ := s.count(limit, time.Time{}, now); n != 60 {
		t.Errorf("%d are counted, and its latest weight is 60", n)
	}
}

func TestAVelocityCellStaysSmall(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, limited(Velocity{Most: 1_000_000, Per: 24 * time.Hour}), capped(Cap{MostOfCap, 24 * time.Hour}), slotted(MostSlots))
	for i := range 700 {
		c := aCall(fmt.Sprint("n", i), fmt.Sprintf("+81900000%04d", i%3))
		if v := pass(t, g, c, noon.Add(time.Duration(i)*30*time.Second)); v.Passes() {
			g.Free(t.Context(), c, noon)
		}
	}
	for name, c := range cells.cells {
		if len(c.Data) > call.MaxCellBytes/2 {
			t.Errorf("%s holds %d bytes", name, len(c.Data))
		}
	}
}

func TestAnAttemptThatStandsForForgottenOnesIsNoRepetition(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), limited(Velocity{Most: 1, Per: time.Hour}))
	restored := func(id string) call.Call {
		c := aCall(id, ada)
		c.Open = []call.Attempt{{ID: "phantom-" + id, Phantom: true}}
		return c
	}
	mustPass(t, g, restored("a"), noon)
	mustKeep(t, g, restored("b"), noon.Add(time.Minute), call.HeldVelocity)
	again := restored("b")
	again.Open = append(again.Open, call.Attempt{ID: "of its own"})
	mustPass(t, g, again, noon.Add(2*time.Minute)) // it was counted when that one was sent
}
