package call_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/outcome"
)

// tracked keeps the outcomes of every call.
func tracked(c *call.Config) {
	c.Outcome = outcome.Of
	c.Tracks = func(call.Profile) (bool, bool) { return true, false }
}

// life is a contact's life as Amazon Connect tells it.
type life struct {
	connect, end time.Duration // after it was initiated; a connect of zero is none
	reason       string
	machine      string
}

// upTo returns what is told of the life by an event of the given age.
func (l life) upTo(c call.Contact, age time.Duration) call.Sight {
	told := outcome.Told{Initiated: c.Initiated}
	if l.connect > 0 && age >= l.connect {
		told.Connected = c.Initiated.Add(l.connect)
	}
	if age >= l.end {
		told.Disconnected, told.Reason, told.Machine = c.Initiated.Add(l.end), l.reason, l.machine
	}
	return told.Sight()
}

// events are what is told at each turn of the life.
func (l life) events(c call.Contact) (told []call.Sight) {
	for _, age := range []time.Duration{0, l.connect, l.end} {
		told = append(told, l.upTo(c, age))
	}
	return told
}

// lives says DescribeContact that every contact has this life.
func (w *world) lives(l life) {
	w.phones.fate = func(c call.Contact) call.Sight { return l.upTo(c, w.clock.Now().Sub(c.Initiated)) }
}

// tell reports an event as its source does: again, until it is taken.
func (w *world) tell(contactID string, told call.Sight) call.Call {
	w.t.Helper()
	var row call.Call
	w.again(func() (err error) {
		row, err = w.engine.SawContactEvent(context.Background(), call.Target{Region: "r", InstanceID: "i"}, contactID, told)
		return err
	})
	return row
}

var answeredLife = life{connect: 8 * time.Second, end: 25 * time.Second, reason: "CUSTOMER_DISCONNECT"}

func TestEachFactOfAContactIsOneWriteAndItsRepeatNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tracked)
	w.deliver(request("n", start))
	row := w.state("n", 0, call.Placed, "")
	if due := row.DueAt(); !due.Equal(start.Add(3*time.Minute)) || row.DueReason != "outcome" {
		t.Errorf("a placed call is due %s (%s)", due, row.DueReason)
	}
	versions := []int64{}
	for _, told := range answeredLife.events(w.phones.contacts[0]) {
		for range 3 {
			w.tell("contact-1", told)
		}
		versions = append(versions, w.row("n", 0).Version)
	}
	if want := []int64{2, 3, 4}; !slices.Equal(versions, want) {
		t.Errorf("the row's versions after INITIATED, CONNECTED_TO_SYSTEM and DISCONNECTED are %v, want %v", versions, want)
	}
	row = w.row("n", 0)
	if row.Outcome != call.OutcomeAnswered || !row.DueAt().IsZero() || row.Sight == nil || !row.Sight.Over() {
		t.Errorf("%s, due %s, %+v", row.Outcome, row.DueAt(), row.Sight)
	}
	w.clock.advance(day)
	w.sweep()
	if w.row("n", 0).Version != 4 || w.heard("seen") != 2 {
		t.Errorf("version %d after %d lines", w.row("n", 0).Version, w.heard("seen"))
	}
	w.clean(1)
}

// mixedUp is a story of one call's events in any order and number, before and after our own record, with a look in between.
func mixedUp(t testing.TB, l life, order []int, policy call.Resend, unmarked bool) call.Call {
	w := newWorld(t, tracked)
	w.profile(func(p *call.Profile) { p.Resend, p.Unmarked = policy, unmarked })
	w.lives(l)
	mark := func(hidden bool) {
		for i := range w.phones.contacts {
			if w.phones.contacts[i].CallID = w.row("n", 0).ID; hidden {
				w.phones.contacts[i].CallID = ""
			}
		}
	}
	var early []int // events that come while the dial is on its way
	if at := slices.Index(order, answerOfDial); at >= 0 {
		early, order = order[:at], order[at+1:]
	}
	order = slices.DeleteFunc(slices.Clone(order), func(i int) bool { return i == answerOfDial }) // it comes once
	step := func(i int) {
		contact := w.phones.contacts[0]
		mark(unmarked)
		if i == lookNow {
			w.clock.advance(4 * time.Minute)
			w.sweepQuietly()
			return
		}
		_, err := w.engine.SawContactEvent(context.Background(), call.Target{Region: "r", InstanceID: "i"}, contact.ID, l.events(contact)[i])
		if nobodys := unmarked && errors.Is(err, call.ErrNotFound); err != nil && !nobodys {
			t.Fatal(err)
		}
	}
	w.phones.script = append(w.phones.script, func(s call.Send) call.Answer {
		answer := w.phones.ring(s)
		for _, i := range early {
			if i != lookNow {
				step(i)
			}
		}
		return answer
	})
	w.deliver(request("n", start))
	for _, i := range order {
		step(i)
	}
	w.settle()
	w.clean(1)
	return w.row("n", 0)
}

const (
	answerOfDial = 3 // our own record of the contact id
	lookNow      = 4 // a sweep, 4 minutes later
)

// sameEnd describes what must not depend on the order. When somebody looked last says nothing of the contact.
func sameEnd(c call.Call) string {
	s := *c.Sight
	s.Described = time.Time{}
	return fmt.Sprintf("%s %s due %t %+v", c.State, c.Outcome, !c.DueAt().IsZero(), s)
}

var severalLives = map[string]life{
	"answered":              answeredLife,
	"voicemail":             {connect: 8 * time.Second, end: 25 * time.Second, reason: "CONTACT_FLOW_DISCONNECT", machine: "VOICEMAIL_BEEP"},
	"no_answer":             {end: 60 * time.Second, reason: "TELECOM_ORIGINATOR_CANCEL"},
	"busy":                  {end: 2 * time.Second, reason: "TELECOM_BUSY"},
	"without reason":        {end: 2 * time.Second},
	"a reason of now":       {end: 2 * time.Second, reason: "TELECOM_WEATHER"},
	"longer than the looks": {connect: 8 * time.Second, end: 3 * time.Hour, reason: "AGENT_DISCONNECT"},
}

// permuted returns every order of a list.
func permuted(list []int) (all [][]int) {
	if len(list) < 2 {
		return [][]int{slices.Clone(list)}
	}
	for i := range list {
		for _, p := range permuted(slices.Delete(slices.Clone(list), i, i+1)) {
			all = append(all, append([]int{list[i]}, p...))
		}
	}
	return all
}

func TestEveryOrderOfACallsEventsComesToOneEnd(t *testing.T) {
	t.Parallel()
	for name, l := range severalLives {
		for _, unmarked := range []bool{false, true} {
			ends := map[string][]int{}
			for _, order := range permuted([]int{0, 1, 2, answerOfDial, lookNow}) {
				ends[sameEnd(mixedUp(t, l, order, call.ResendToken, unmarked))] = order
			}
			if len(ends) != 1 {
				t.Errorf("%s, unmarked %t: %d ends: %v", name, unmarked, len(ends), ends)
			}
		}
	}
}

func TestEventsThatAreDoubledOrMissingComeToTheSameEnd(t *testing.T) {
	t.Parallel()
	for name, l := range severalLives {
		want := sameEnd(mixedUp(t, l, []int{answerOfDial, 0, 1, 2}, call.ResendToken, false))
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(rt *rapid.T) {
				order := rapid.SliceOfN(rapid.IntRange(0, lookNow), 0, 9).Draw(rt, "order")
				policy := rapid.SampledFrom([]call.Resend{call.ResendToken, call.ResendNever}).Draw(rt, "policy")
				unmarked := rapid.Bool().Draw(rt, "unmarked")
				if got := sameEnd(mixedUp(t, l, order, policy, unmarked)); got != want {
					rt.Fatalf("order %v: got %s\nwant %s", order, got, want)
				}
			})
		})
	}
}

// TestAMergeInWhichTheLastWordCountsIsNoticed plants a merge in which the last word counts.
func TestAMergeInWhichTheLastWordCountsIsNoticed(t *testing.T) {
	t.Parallel()
	l := life{connect: 8 * time.Second, end: 25 * time.Second, reason: "CUSTOMER_DISCONNECT"}
	ends := map[string]bool{}
	for _, order := range permuted([]int{0, 1, 2}) {
		w := newWorld(t, tracked, func(c *call.Config) {
			c.Outcome = func(s call.Sight) (call.ContactOutcome, bool) { // by what was told last, as a status is
				if last := s.Key.Text; last != "" {
					return call.ContactOutcome(last), true
				}
				return "", false
			}
		})
		w.deliver(request("n", start))
		for i, n := range order {
			told := l.events(w.phones.contacts[0])[n]
			told.Key = call.Remark{Text: fmt.Sprint(n), At: start.Add(time.Duration(i))}
			w.tell("contact-1", told)
		}
		ends[sameEnd(w.row("n", 0))] = true
	}
	if len(ends) < 2 {
		t.Error("nobody noticed")
	}
}
