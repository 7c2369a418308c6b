package sim

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// pausing is a pause that an operator was told to be in force.
type pausing struct {
	target       rules.Target
	since, until time.Time // until is zero while it lasts
	forgotten    bool      // until is when a restore forgot it
}

var (
	errTarget = errors.New("what is paused is all, a profile, a producer or a prefix of numbers")
	errList   = errors.New("what is done with the list is add or rm")
)

// targetOf reads what an act pauses: all, a prefix of numbers, the ARN of a producer, or the name of a profile.
func targetOf(a Act) (rules.Target, error) {
	name, err := a.word(0)
	switch {
	case err != nil:
		return rules.Target{}, errTarget
	case name == "all":
		return rules.Target{Kind: rules.TargetAll}, nil
	case strings.HasPrefix(name, "arn:"):
		return rules.Target{Kind: rules.TargetProducer, Name: name}, nil
	case strings.HasPrefix(name, "+"):
		return rules.Target{Kind: rules.TargetPrefix, Name: name}, nil
	}
	return rules.Target{Kind: rules.TargetProfile, Name: name}, nil
}

// pauseCalls is an operator who lets nothing ring: "pause all", "pause alert", or with a prefix of numbers.
func pauseCalls(ctx context.Context, w *World, a Act) error {
	target, err := targetOf(a)
	if err != nil {
		return err
	}
	k, err := w.by(a, 1)
	if err != nil {
		return err
	}
	w.fault(FaultOperator, "")
	w.survive(k, func() {
		_, err := rules.Pause(ctx, k.gate.cells, rules.Switch{Target: target, By: "ann", At: k.Now(), Why: "wrong numbers"})
		if err != nil || k.dead.Load() {
			return
		}
		w.mark("paused " + string(target.Kind))
		w.mu.Lock()
		defer w.mu.Unlock()
		w.truth.life.paused = append(w.truth.life.paused, pausing{target: target, since: time.Now()})
	})
	return nil
}

// resumeCalls ends a pause. From then on nobody knows whether it is in force, until it is answered.
func resumeCalls(ctx context.Context, w *World, a Act) error {
	target, err := targetOf(a)
	if err != nil {
		return err
	}
	k, err := w.by(a, 1)
	if err != nil {
		return err
	}
	w.unpause(target)
	w.survive(k, func() {
		if _, err := rules.Resume(ctx, k.gate.cells, rules.Switch{Target: target, By: "ann", At: k.Now(), Why: "mended"}); err == nil {
			w.mark("resumed")
		}
	})
	return nil
}

func (w *World) unpause(target rules.Target) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if target.Kind == rules.TargetAll {
		w.truth.life.resumed = append(w.truth.life.resumed, time.Now())
	}
	for i := range w.truth.life.paused {
		if p := &w.truth.life.paused[i]; p.target == target && p.until.IsZero() {
			p.until = time.Now()
		}
	}
}

// resumeEverything ends every pause at the end of a life: a call that waits for a person waits for ever otherwise.
func (w *World) resumeEverything(ctx context.Context) {
	cells := w.workers[0].gate.cells
	if cells == nil {
		return
	}
	switches, err := rules.ReadSwitches(ctx, cells)
	if err != nil {
		w.find("read what is paused: %v", err)
		return
	}
	for _, on := range switches.On {
		w.unpause(on.Target)
		if _, err := rules.Resume(ctx, cells, rules.Switch{Target: on.Target, By: "ann", At: time.Now().UTC(), Why: "the day ends"}); err != nil {
			w.find("resume: %v", err)
		}
	}
}

// release is an operator who lets a held call ring now: the newest ring of a key, or the one named.
func release(ctx context.Context, w *World, a Act) error {
	name, err := a.word(0)
	if err != nil {
		return err
	}
	k, err := w.by(a, 1)
	if err != nil {
		return err
	}
	first, known := w.row(w.subject(name).row())
	if !known {
		return nil
	}
	ring := strconv.Itoa(w.asItWas(first).LastRing)
	n, err := strconv.Atoi(cmp.Or(a.value("ring"), ring))
	if err != nil {
		return err
	}
	w.fault(FaultOperator, first.ID)
	w.survive(k, func() {
		out := k.app.Engine.Release(ctx, call.Naming{}.Row(w.subject(name).key(), n), "ann", "the boiler leaks")
		w.trace.add(k.name, "release "+string(out.Met)+" "+string(out.Code), name)
		w.recalls = append(w.recalls, "release of "+name+": "+saidOf(out))
		if !k.dead.Load() && out.Code == "" {
			w.mark("released")
		}
	})
	return nil
}

// doNotCall is an operator who keeps the do-not-call list: "dnc add n1" puts the number of a key on it, "dnc rm n1" takes it away.
func doNotCall(ctx context.Context, w *World, a Act) error {
	what, err := a.word(0)
	if err != nil {
		return err
	}
	name, err := a.word(1)
	if err != nil {
		return err
	}
	k, err := w.by(a, 2)
	if err != nil {
		return err
	}
	number, err := call.ParsePhone(w.subject(name).number)
	switch {
	case err != nil:
		return err
	case what != "add" && what != "rm":
		return errList
	}
	w.fault(FaultOperator, "")
	w.survive(k, func() {
		list := rules.NewDoNotCall(k.gate.cells, k.app.Cells)
		if what == "add" {
			_, err = list.Add(ctx, number, rules.DoNotCallEntry{Reason: "asked", Source: "operator", By: "ann", At: k.Now()})
		} else {
			_, err = list.Remove(ctx, number, rules.Removal{Reason: "changed their mind", By: "ann", At: k.Now()})
		}
		if err == nil {
			w.mark("do-not-call " + what)
		}
	})
	return nil
}
