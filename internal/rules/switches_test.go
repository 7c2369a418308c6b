package rules

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func sw(kind TargetKind, name string) Switch {
	return Switch{Target: Target{kind, name}, By: "ada", At: noon, Why: "a test"}
}

func TestAPauseActsWithinASecondInEveryProcess(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	processes := []*Gate{gateOn(t, cells), gateOn(t, cells)}
	for i, g := range processes {
		mustPass(t, g, aCall("n", ada), noon.Add(time.Duration(i)*time.Millisecond))
	}
	if changed, err := Pause(t.Context(), cells, sw(TargetAll, "")); err != nil || !changed {
		t.Fatal(changed, err)
	}
	for _, g := range processes {
		mustKeep(t, g, aCall("n", ada), noon.Add(switchesAge+10*time.Millisecond), call.HeldPausedAll)
	}
	if cells.reads > 8 {
		t.Errorf("%d reads for four dials", cells.reads)
	}
}

func TestTheSwitchesAreNotReadForEachDial(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells)
	for i := range 100 {
		mustPass(t, g, aCall("n", ada), noon.Add(time.Duration(i)*10*time.Millisecond))
	}
	if cells.reads > 3 {
		t.Errorf("%d reads within a second", cells.reads)
	}
}

func TestASwitchPausesWhatItNames(t *testing.T) {
	t.Parallel()
	for why, c := range map[string]struct {
		target Target
		other  func(*call.Call)
	}{
		call.HeldPausedProducer: {Target{TargetProducer, "queue"}, func(c *call.Call) { c.Producer = "another" }},
		call.HeldPausedPrefix:   {Target{TargetPrefix, "+8190"}, func(c *call.Call) { c.Destination = bob }},
		call.HeldPausedProfile:  {Target{TargetProfile, "alert"}, nil},
	} {
		cells := newShelf()
		g := gateOn(t, cells)
		if _, err := Pause(t.Context(), cells, Switch{Target: c.target, By: "ada", At: noon, Why: "a test"}); err != nil {
			t.Fatal(err)
		}
		held := aCall("n", ada)
		held.Producer = "queue"
		mustKeep(t, g, held, noon, why)
		if c.other != nil {
			c.other(&held)
			mustPass(t, g, held, noon)
		} else if v, err := g.Pass(t.Context(), held, call.Profile{Name: "another"}, noon); err != nil || !v.Passes() {
			t.Errorf("%s keeps another: %+v, %v", why, v, err)
		}
	}
}

func TestWhoPausedFirstStaysAndAResumptionSaysWho(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	first := sw(TargetProfile, "alert")
	second := first
	second.By = "bob"
	for _, c := range []struct {
		s       Switch
		changed bool
	}{{first, true}, {second, false}} {
		if changed, err := Pause(t.Context(), cells, c.s); err != nil || changed != c.changed {
			t.Fatal(changed, err)
		}
	}
	s, err := ReadSwitches(t.Context(), cells)
	if err != nil || len(s.On) != 1 || s.On[0].By != "ada" {
		t.Fatal(s, err)
	}
	off := Switch{Target: first.Target, By: "bob", At: noon.Add(time.Hour), Why: "repaired"}
	for _, want := range []bool{true, true} { // the second one is our own, asked for again
		if changed, err := Resume(t.Context(), cells, off); err != nil || changed != want {
			t.Fatal(changed, err)
		}
	}
	if s, err = ReadSwitches(t.Context(), cells); err != nil || len(s.On) != 0 || len(s.Off) != 1 || s.Off[0] != off || s.Resumes != 1 {
		t.Fatal(s, err)
	}
	if changed, err := Resume(t.Context(), cells, Switch{Target: Target{TargetAll, ""}, At: noon}); err != nil || changed {
		t.Fatal(changed, err)
	}
}

func TestASwitchIsThrownThoughItsAnswerIsLost(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(int) (bool, bool){
		"lost":       func(write int) (bool, bool) { return write == 1, false },
		"unanswered": func(write int) (bool, bool) { return false, write == 1 },
	} {
		cells := newShelf()
		cells.fault = fault
		if changed, err := Pause(t.Context(), cells, sw(TargetAll, "")); err != nil || !changed {
			t.Errorf("%s: %t, %v", name, changed, err)
		}
		if s, err := ReadSwitches(t.Context(), cells); err != nil || len(s.On) != 1 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
}

func TestAResumptionIsSeenOnce(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells)
	if g.Resumed(t.Context(), noon) {
		t.Error("a process begins with a resumption")
	}
	if _, err := Pause(t.Context(), cells, sw(TargetAll, "")); err != nil {
		t.Fatal(err)
	}
	if g.Resumed(t.Context(), noon.Add(time.Minute)) {
		t.Error("a pause counts as a resumption")
	}
	if _, err := Resume(t.Context(), cells, sw(TargetAll, "")); err != nil {
		t.Fatal(err)
	}
	if !g.Resumed(t.Context(), noon.Add(2*time.Minute)) || g.Resumed(t.Context(), noon.Add(3*time.Minute)) {
		t.Error("a resumption is not seen once")
	}
}

func TestNothingPassesWhileTheCellsDoNotAnswer(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, capped(Cap{1, time.Hour}))
	cells.die(true)
	if v, err := g.Pass(t.Context(), aCall("n", ada), plainProfile, noon); err == nil {
		t.Errorf("%+v", v)
	}
	cells.die(false)
	mustPass(t, g, aCall("n", ada), noon)
}
