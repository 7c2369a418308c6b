package measure_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/doctor/measure"
)

func readings() []position {
	var two []position
	for _, reading := range []connectemu.Reading{connectemu.A1, connectemu.A1Prime} {
		two = append(two, position{reading: reading, validity: 7 * 24 * time.Hour, window: 5 * time.Minute}.wanting())
	}
	return two
}

// TestAMeasurementThatIsInterruptedAnywhereGoesOn ends the process at every write of its state: before the write, and right after it.
func TestAMeasurementThatIsInterruptedAnywhereGoesOn(t *testing.T) {
	t.Parallel()
	for _, p := range readings() {
		whole := p.world(t)
		whole.finish()
		for at := 1; at <= whole.keeps; at++ {
			for _, after := range []int{0, 1000} {
				t.Run(fmt.Sprintf("%s, write %d, %d", p.reading, at, after), func(t *testing.T) {
					t.Parallel()
					w := p.world(t)
					w.dieAt = at + after
					p.check(t, w, w.finish())
				})
			}
		}
	}
}

// TestALostAnswerNeverFakesAVerdict loses the answer of each request in turn: after it rang, before it arrived, and in the other ways.
func TestALostAnswerNeverFakesAVerdict(t *testing.T) {
	t.Parallel()
	for _, p := range readings() {
		whole := p.world(t)
		whole.finish()
		starts := 0
		for _, q := range whole.emulator.Requests() {
			if q.Operation == connectemu.OpStart {
				starts++
			}
		}
		for nth := 1; nth <= starts; nth++ {
			for _, fault := range []string{"place-then-reset", "place-then-{}", "reset-before", "fail-500", "throttle"} {
				t.Run(fmt.Sprintf("%s, %s of request %d", p.reading, fault, nth), func(t *testing.T) {
					t.Parallel()
					w := p.world(t)
					w.plan(fmt.Sprintf("%s nth=%d", fault, nth))
					p.check(t, w, w.finish())
				})
			}
		}
	}
}

func (w *world) plan(text string) {
	w.t.Helper()
	plan, err := connectemu.ParsePlan(text)
	if err != nil {
		w.t.Fatal(err)
	}
	if err := w.emulator.SetPlan(plan); err != nil {
		w.t.Fatal(err)
	}
}

// TestARefusedRepeatIsNoReading: neither reading says that a repeat is refused.
func TestARefusedRepeatIsNoReading(t *testing.T) {
	t.Parallel()
	for nth := range 20 {
		w := newWorld(t, nil)
		w.plan(fmt.Sprintf("refuse nth=%d", nth+1))
		for range 20 {
			report, err := w.run()
			if err != nil {
				break // a first call that is refused ends the run
			}
			if v := report.Verdict; v.Reading == "A1'" || v.Reading == "A1" && len(report.State.Chain.Repeats) < 3 {
				t.Fatalf("request %d: %+v", nth+1, v)
			}
			if report.ComeBack.IsZero() {
				break
			}
			w.clock.Set(report.ComeBack)
		}
	}
}

func TestNothingRingsWithoutConsent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.person.consents = 0
	if _, err := w.run(); call.CodeOf(err) != measure.CodeNoConsent {
		t.Errorf("run: %v", err)
	}
	if rings := w.emulator.RingCount(); rings != 0 {
		t.Errorf("%d rings", rings)
	}
	w.person.consents = 1 // and a budget is not exceeded without asking again
	w.plan("place-then-reset")
	if _, err := w.run(); err == nil {
		t.Error("a measurement without any answer came to an end")
	}
	if rings := w.emulator.RingCount(); rings > w.person.rings {
		t.Errorf("%d rings, %d agreed to", rings, w.person.rings)
	}
}

// TestWhoComesBackTooLateBeginsAnew: after 7 days a repeat rings under both readings.
func TestWhoComesBackTooLateBeginsAnew(t *testing.T) {
	t.Parallel()
	for _, p := range readings()[:1] {
		w := p.world(t)
		for range 2 { // to the first hour
			report, err := w.run()
			if err != nil {
				t.Fatal(err)
			}
			w.clock.Set(report.ComeBack)
		}
		w.clock.Advance(2 * 24 * time.Hour)
		r := w.finish()
		p.check(t, w, r)
		if len(r.State.Lost) != 1 || w.person.rings <= 7 && r.State.Rings > 7 {
			t.Errorf("lost %+v, %d rings, %d agreed to", r.State.Lost, r.State.Rings, w.person.rings)
		}
	}
}

func TestAStateOfAnotherNumberOrFlowIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	if _, err := w.run(); err != nil {
		t.Fatal(err)
	}
	changes := map[string]func(*measure.Runner){
		"number":   func(r *measure.Runner) { r.To, _ = call.ParsePhone("+819000000002") },
		"flow":     func(r *measure.Runner) { r.Profile.ContactFlowID = other },
		"instance": func(r *measure.Runner) { r.Profile.InstanceID = second },
		"caller":   func(r *measure.Runner) { r.Profile.SourcePhone = "+12025550101" },
	}
	for name, change := range changes {
		w.change = change
		if _, err := w.run(); call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("another %s: %v", name, err)
		}
	}
	w.change = nil
	if _, err := w.run(); err != nil {
		t.Errorf("the same again: %v", err)
	}
}

// TestACallThatDoesNotEndIsWaitedFor: a repeat while the first contact lasts would prove nothing.
func TestACallThatDoesNotEndIsWaitedFor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) { c.TalkTime = 2 * time.Hour })
	_, err := w.run()
	if e, ok := errors.AsType[*call.Error](err); !ok || e.Code != call.CodeNotFinal {
		t.Fatalf("run: %v", err)
	}
	w.clock.Advance(3 * time.Hour)
	w.must(w.emulator.Update(func(c *connectemu.Config) { c.TalkTime = 0 }))
	if r := w.finish(); r.Verdict.Reading != "A1" {
		t.Errorf("the verdict is %+v", r.Verdict)
	}
}

func (w *world) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestALookThatFailsIsRepeated fails each DescribeContact in turn, and then all of them, after which nothing may be decided by ids alone.
func TestALookThatFailsIsRepeated(t *testing.T) {
	t.Parallel()
	for _, p := range readings() {
		whole := p.world(t)
		whole.finish()
		looks := 0
		for _, q := range whole.emulator.Requests() {
			if q.Operation == connectemu.OpDescribe {
				looks++
			}
		}
		for nth := 1; nth <= looks; nth += 3 {
			w := p.world(t)
			w.plan(fmt.Sprintf("fail-500 op=DescribeContact nth=%d", nth))
			r := w.finish()
			p.check(t, w, r)
			if len(r.State.Lost) > 0 {
				t.Errorf("%s, look %d: %+v was lost", p.reading, nth, r.State.Lost)
			}
		}
		w := p.world(t)
		w.plan("refuse(AccessDeniedException) op=DescribeContact")
		for range 3 {
			report, err := w.run()
			if err == nil || report.Verdict.Reading != "" || w.emulator.RingCount() != 1 {
				t.Errorf("%s: without a look %v after %d rings: %+v", p.reading, err, w.emulator.RingCount(), report.Verdict)
			}
		}
	}
}

// TestACallThatEndsTooSoonDoesNotShowHowTokensCompare: a contact that has ended says under A1' nothing about other parameters.
func TestACallThatEndsTooSoonDoesNotShowHowTokensCompare(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *connectemu.Config) {
		c.Reading, c.Phones = connectemu.A1Prime, map[string]connectemu.Fate{number: connectemu.FateBusy}
	})
	report, err := w.run()
	if call.CodeOf(err) != call.CodeNotFinal || report.State.Params != nil || len(report.State.Lost) != 3 {
		t.Errorf("a telephone that is busy: %v, %+v, lost %+v", err, report.State.Params, report.State.Lost)
	}
}
