package rules

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// nights lets nobody ring before the next day.
func nights(call.Call, time.Time) (time.Time, bool, error) {
	return noon.Add(24 * time.Hour), true, nil
}

func TestWhatAnUrgentCallPassesAndWhatNot(t *testing.T) {
	t.Parallel()
	urgentIn := func(p Policy) func(*GateConfig) { p.Urgent = true; return ruled(p) }
	for name, c := range map[string]struct {
		change []func(*GateConfig)
		pause  Target
		before bool // a ring of the number came before
		over   string
		kept   string
	}{
		"hours":             {change: []func(*GateConfig){urgentIn(Policy{Hours: nights})}, over: call.HeldQuietHours},
		"its profile":       {change: []func(*GateConfig){urgentIn(Policy{})}, pause: Target{TargetProfile, "alert"}, over: call.HeldPausedProfile},
		"caps":              {change: []func(*GateConfig){urgentIn(Policy{}), capped(Cap{1, time.Hour})}, before: true, over: call.HeldCap},
		"the kill switch":   {change: []func(*GateConfig){urgentIn(Policy{})}, pause: Target{TargetAll, ""}, kept: call.HeldPausedAll},
		"its producer":      {change: []func(*GateConfig){urgentIn(Policy{})}, pause: Target{TargetProducer, "queue"}, kept: call.HeldPausedProducer},
		"its prefix":        {change: []func(*GateConfig){urgentIn(Policy{})}, pause: Target{TargetPrefix, "+8190"}, kept: call.HeldPausedPrefix},
		"velocity":          {change: []func(*GateConfig){urgentIn(Policy{}), limited(Velocity{Most: 1, Per: time.Hour})}, before: true, kept: call.HeldVelocity},
		"concurrency":       {change: []func(*GateConfig){urgentIn(Policy{}), slotted(1)}, before: true, kept: call.HeldConcurrency},
		"without a word":    {change: []func(*GateConfig){urgentIn(Policy{})}},
		"an unruled urgent": {change: []func(*GateConfig){ruled(Policy{Hours: nights})}, kept: call.HeldQuietHours},
	} {
		cells := newShelf()
		g := gateOn(t, cells, c.change...)
		if c.before {
			mustPass(t, g, aCall("before", ada), noon)
		}
		if c.pause.Kind != "" {
			if _, err := Pause(t.Context(), cells, Switch{Target: c.pause, By: "a", At: noon, Why: "w"}); err != nil {
				t.Fatal(err)
			}
		}
		asks := aCall("urgent", ada)
		asks.Urgent, asks.Producer = true, "queue"
		v := pass(t, g, asks, noon.Add(time.Second))
		if v.Why != c.kept || v.Passes() != (c.kept == "") || strings.Join(v.Over, " ") != c.over {
			t.Errorf("%s: %+v", name, v)
		}
		if c.over != "" { // the same without the word is kept
			asks.Urgent = false
			mustKeep(t, g, asks, noon.Add(time.Second), c.over)
		}
	}
}

func TestAReleasedCallNeedsNoPermissionOfItsProfile(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), ruled(Policy{Hours: nights}))
	c := aCall("n", ada)
	c.Urgent, c.Released = true, "ada"
	if v := pass(t, g, c, noon); !v.Passes() || !slices.Equal(v.Over, []string{call.HeldQuietHours}) {
		t.Errorf("%+v", v)
	}
}

func TestTheHoursAreAskedForTheInstantOfTheDial(t *testing.T) {
	t.Parallel()
	evening := noon.Add(9 * time.Hour)
	g := gateOn(t, newShelf(), ruled(Policy{Hours: func(_ call.Call, now time.Time) (time.Time, bool, error) {
		if now.Before(evening) {
			return now, true, nil
		}
		return evening.Add(12 * time.Hour), true, nil
	}}))
	mustPass(t, g, aCall("a", ada), evening.Add(-1))
	if until := mustKeep(t, g, aCall("b", bob), evening, call.HeldQuietHours); !until.Equal(evening.Add(12 * time.Hour)) {
		t.Errorf("kept until %s", until)
	}
}

func TestAnUncappedProfileIsCountedAndNotKept(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, capped(Cap{1, time.Hour}), ruled(Policy{Uncapped: true}))
	for _, id := range []string{"a", "b", "c"} {
		mustPass(t, g, aCall(id, ada), noon)
	}
	mustKeep(t, gateOn(t, cells, capped(Cap{1, time.Hour})), aCall("d", ada), noon, call.HeldCap)
}

func TestWhatIsGivenUpOnTheWayIsGivenBackWhole(t *testing.T) {
	t.Parallel()
	for write := 1; write <= 3; write++ {
		for _, unanswered := range []bool{false, true} {
			cells := newShelf()
			all := []func(*GateConfig){slotted(1), limited(Velocity{Most: 1, Per: time.Hour}), capped(Cap{1, time.Hour})}
			g := gateOn(t, cells, all...)
			broken := true
			cells.fault = func(n int) (bool, bool) {
				return broken && n >= write && !unanswered, broken && n >= write && unanswered
			}
			v, err := g.Pass(t.Context(), aCall("a", ada), plainProfile, noon)
			broken = false
			if err != nil {
				g.Return(t.Context(), aCall("a", ada), "", noon) // as when the row ends
			} else {
				g.Return(t.Context(), aCall("a", ada), v.Ticket, noon)
			}
			mustPass(t, gateOn(t, cells, all...), aCall("b", ada), noon.Add(time.Second))
		}
	}
}

func TestARehearsalTakesNothingAndRemembersItself(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, capped(Cap{1, time.Hour}))
	before := cells.dump()
	twin := g.Rehearse()
	for i, passes := range []bool{true, false} {
		v, err := twin.Pass(t.Context(), aCall(string(rune('a'+i)), ada), plainProfile, noon)
		if err != nil || v.Passes() != passes {
			t.Errorf("ask %d: %+v, %v", i, v, err)
		}
	}
	if cells.dump() != before {
		t.Error("a rehearsal changed a cell")
	}
	mustPass(t, g, aCall("real", ada), noon)
}

// Where nothing is limited the gate costs a read of the switches now and then, and nothing else.
func TestAGateWithoutLimitsTakesAndReadsNothing(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, func(c *GateConfig) { c.Random = nil })
	c := aCall("n", ada)
	if ticket := mustPass(t, g, c, noon); ticket != "" {
		t.Errorf("the ticket %q", ticket)
	}
	g.Return(t.Context(), c, "", noon)
	g.Free(t.Context(), c, noon)
	if cells.reads != 1 || cells.sets != 0 {
		t.Errorf("%d reads, %d writes", cells.reads, cells.sets)
	}
}
