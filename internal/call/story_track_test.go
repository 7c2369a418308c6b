package call_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// placedAndSwept places a call that is tracked, and sweeps every minute for so long. It returns the row and how often the contact was asked for.
func placedAndSwept(w *world, lasts time.Duration) (row call.Call, asked int) {
	fate := w.phones.fate
	w.phones.fate = func(c call.Contact) call.Sight {
		asked++
		return fate(c)
	}
	w.deliver(request("n", start))
	for range int(lasts / time.Minute) {
		w.clock.advance(time.Minute)
		w.sweep()
	}
	return w.row("n", 0), asked
}

func TestWithoutEventsACallIsAskedForUntilItsEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		life   life
		within time.Duration
		want   call.ContactOutcome
		looks  int
	}{
		"answered":           {answeredLife, 4 * time.Minute, call.OutcomeAnswered, 1},
		"busy":               {life{end: time.Second, reason: "TELECOM_BUSY"}, 4 * time.Minute, call.OutcomeBusy, 1},
		"no reason at all":   {life{end: time.Second}, 4 * time.Minute, call.OutcomeUnknown, 1},
		"a talk of 20 min":   {life{connect: time.Second, end: 20 * time.Minute, reason: "AGENT_DISCONNECT"}, 30 * time.Minute, call.OutcomeAnswered, 4},
		"a talk without end": {life{connect: time.Second, end: 1000 * time.Hour}, 9 * time.Hour, call.OutcomeAnswered, 9},
		"rings without end":  {life{end: 1000 * time.Hour}, 9 * time.Hour, call.OutcomeUnknown, 9},
		"a voicemail":        {life{connect: time.Second, end: time.Minute, machine: "VOICEMAIL_NO_BEEP"}, 4 * time.Minute, call.OutcomeVoicemail, 1},
	} {
		w := newWorld(t, tracked)
		w.lives(c.life)
		row, asked := placedAndSwept(w, c.within)
		if row.Outcome != c.want || !row.DueAt().IsZero() || asked > c.looks {
			t.Errorf("%s: %q, due %s (%s), after %d looks", name, row.Outcome, row.DueAt(), row.DueReason, asked)
		}
		w.clean(1)
	}
}

func TestALookThatFailsIsRepeatedAndGivenUpOnlyAfterTheLongestCall(t *testing.T) {
	t.Parallel()
	for name, failure := range map[string]error{
		"throttled": &call.Error{Code: "throttling", Message: "Too many requests."}, "gone": call.ErrNotFound, "no answer": errors.New("reset"),
	} {
		w := newWorld(t, tracked)
		w.lives(answeredLife)
		w.phones.mute = func() error { return failure }
		row, _ := placedAndSwept(w, 7*time.Hour)
		if row.Outcome != "" || row.DueAt().IsZero() || w.heard("describe-failed") < 3 || w.heard("describe-failed") > 9 {
			t.Errorf("%s: %q, due %s, after %d failed looks", name, row.Outcome, row.DueAt(), w.heard("describe-failed"))
		}
		w.phones.mute = nil
		w.settle()
		if row = w.row("n", 0); row.Outcome != call.OutcomeAnswered {
			t.Errorf("%s: repaired, and the outcome is %q", name, row.Outcome)
		}
		w.clean(1)

		w = newWorld(t, tracked)
		w.phones.mute = func() error { return failure }
		w.deliver(request("n", start))
		w.settle()
		row = w.row("n", 0)
		if age := w.clock.Now().Sub(start); row.Outcome != call.OutcomeUnknown || age < 8*time.Hour || age > 25*time.Hour {
			t.Errorf("%s: given up as %q after %s", name, row.Outcome, age)
		}
		if row = w.tell("contact-1", life{connect: 1, end: 2}.upTo(w.phones.contacts[0], 3)); row.Outcome != call.OutcomeAnswered || !row.DueAt().IsZero() {
			t.Errorf("%s: a late event leads to %q, due %s", name, row.Outcome, row.DueAt())
		}
		w.clean(1)
	}
}

// TestAfterALongSilenceOneFailedLookGivesNothingUp lets no sweeper run for a week.
func TestAfterALongSilenceOneFailedLookGivesNothingUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tracked)
	w.lives(answeredLife)
	w.deliver(request("n", start))
	w.clock.advance(7 * day)
	w.phones.mute = func() error { return errors.New("reset") }
	w.sweep()
	w.phones.mute = nil
	if row := w.row("n", 0); row.Outcome != "" || row.DueAt().IsZero() {
		t.Fatalf("given up as %q", row.Outcome)
	}
	w.settle()
	if row := w.row("n", 0); row.Outcome != call.OutcomeAnswered {
		t.Errorf("the outcome is %q", row.Outcome)
	}
	w.clean(1)
}

// fullPace has no slot.
type fullPace struct{ asked int }

func (p *fullPace) Reserve(string, time.Time, time.Duration) (time.Duration, bool) {
	p.asked++
	return time.Minute, false
}

func (*fullPace) Return(string, call.PaceSlot, time.Time) {}

func TestALookWithoutItsTurnIsNoLookAndNoWrite(t *testing.T) {
	t.Parallel()
	pace := &fullPace{}
	w := newWorld(t, tracked, func(c *call.Config) { c.Describes = pace })
	w.lives(answeredLife)
	w.deliver(request("n", start))
	w.clock.advance(time.Hour)
	w.sweepQuietly()
	if row := w.row("n", 0); row.Version != 2 || pace.asked != 1 || row.DueAt().IsZero() {
		t.Errorf("version %d after %d waits, due %s", row.Version, pace.asked, row.DueAt())
	}
	_, err := w.engine.SawContactEvent(context.Background(), call.Target{}, "contact-9", call.Sight{Connected: start})
	if call.CodeOf(err) != "describe_pacing" {
		t.Errorf("an event of an unknown contact, without a turn to ask for it: %v", err)
	}
}

func TestAnUntrackedCallIsNeverAskedForAndItsEventsAreNotKept(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*call.Config){
		"nothing is tracked": func(*call.Config) {},
		"this profile is not": func(c *call.Config) {
			tracked(c)
			c.Tracks = func(call.Profile) (bool, bool) { return false, false }
		},
	} {
		w := newWorld(t, change)
		w.deliver(request("n", start))
		w.tell("contact-1", answeredLife.upTo(w.phones.contacts[0], time.Hour))
		if row := w.row("n", 0); row.Version != 2 || !row.DueAt().IsZero() || row.Sight != nil {
			t.Errorf("%s: %+v", name, row)
		}
	}
}

func TestALaterRingIsTrackedAsTheFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tracked)
	w.lives(answeredLife)
	w.deliver(request("n", start))
	w.recall("n", 0)
	w.settle()
	if row := w.row("n", 1); !row.Tracked || row.Outcome != call.OutcomeAnswered {
		t.Errorf("ring 1 is tracked %t, and its outcome %q", row.Tracked, row.Outcome)
	}
	w.clean(2)
}

func TestADoubtThatAnEventEndsHasItsOutcomeInTheSameWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tracked)
	ambiguousAnswer(call.ResendNever)(w)
	w.lives(life{end: time.Second, reason: "TELECOM_BUSY"})
	w.deliver(request("n", start))
	w.settle()
	before := w.state("n", 0, call.InDoubt, w.row("n", 0).Code)
	row := w.tell("contact-1", call.Sight{Initiated: start}) // nothing but that it was initiated
	if row.State != call.Placed || row.Outcome != call.OutcomeBusy || !row.DueAt().IsZero() || row.Version != before.Version+1 {
		t.Errorf("%s, outcome %q, due %s, %d writes", row.State, row.Outcome, row.DueAt(), row.Version-before.Version)
	}
	w.clean(1)
}

func TestOfAForgottenCallNothingMoreIsKeptOrAsked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tracked)
	w.lives(answeredLife)
	w.deliver(request("n", start))
	w.forget()
	rows := w.rows()
	if len(rows) != 1 || !rows[0].DueAt().IsZero() {
		t.Fatalf("%+v", rows)
	}
	w.tell("contact-1", answeredLife.upTo(w.phones.contacts[0], time.Hour))
	if after := w.rows()[0]; after.Version != rows[0].Version {
		t.Errorf("an event moved a forgotten row: %+v", after)
	}
	w.clean(1)
}

func TestAnEventOfAnotherInstanceSaysNothingOfOurContact(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tracked)
	w.deliver(request("n", start))
	w.phones.contacts[0].CallID = "" // nor does DescribeContact there
	_, err := w.engine.SawContactEvent(context.Background(), call.Target{Region: "r", InstanceID: "other"}, "contact-1", call.Sight{Confirmed: start})
	if row := w.row("n", 0); !errors.Is(err, call.ErrNotFound) || row.Version != 2 {
		t.Errorf("%v, version %d", err, row.Version)
	}
}

// TestALookWhoseAnswerIsOldIsNotTheLastOne lets a process stand still between the answer, which says that the contact still lasts, and its write.
func TestALookWhoseAnswerIsOldIsNotTheLastOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tracked)
	w.lives(answeredLife)
	stands, fate := 9*day, w.phones.fate
	w.phones.fate = func(c call.Contact) call.Sight {
		if stands > 0 {
			w.clock.advance(stands)
			stands = 0
			return call.Sight{Initiated: c.Initiated}
		}
		return fate(c)
	}
	w.deliver(request("n", start))
	w.clock.advance(time.Hour)
	w.sweepQuietly()
	if row := w.row("n", 0); row.Outcome != "" || row.DueAt().IsZero() {
		t.Fatalf("given up as %q", row.Outcome)
	}
	w.settle()
	if row := w.row("n", 0); row.Outcome != call.OutcomeAnswered {
		t.Errorf("the outcome is %q", row.Outcome)
	}
	w.clean(1)
}
