package call_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// sees writes what became known of a placed call's contact, as a worker does that dies before it does anything else.
func (w *world) sees(c call.Call, s call.Sight) {
	w.t.Helper()
	event := call.Event{Kind: call.EventSeen, At: w.clock.Now(), ContactID: c.ContactID, Sight: &s, Outcome: c.Outcome, Due: c.Due, Reason: c.DueReason}
	write, err := c.Write(event, fmt.Sprintf("sees-%s-%d", c.ID, c.Version))
	if err == nil {
		_, err = w.raw().Update(context.Background(), write)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// heldSecond has a request of user-1 with a list, and one of user-2 of its own whose profile is paused, so that the list meets it.
func heldSecond(t *testing.T, change func(*call.Config)) *world {
	t.Helper()
	w := newWorld(t, followed(rules.RecallRule{}), change)
	w.pausedProfile("p")
	own := to("user-2", request("n", start))
	own.Request.Profile = "p"
	w.place(own)
	w.deliver(escalating("n", start, "user-2", "user-3"))
	w.hangUp(always(call.OutcomeNoAnswer))
	w.sweep()
	w.sweep()
	if c := w.rowFor("n", "user-2", 0); c.State != call.Received || c.EscalatedFrom == "" || len(c.Escalation) != 1 {
		t.Fatalf("the list did not meet the call: %+v", c)
	}
	return w
}

func TestAListGoesOnFromACallThatItsOwnProducerWithdrew(t *testing.T) {
	t.Parallel()
	w := heldSecond(t, func(*call.Config) {})
	w.deliver(to("user-2", cancel("n", start)))
	if c := w.rowFor("n", "user-2", 0); c.State != call.Canceled {
		t.Fatalf("the second recipient's call is %s", c.State)
	}
	w.live(always(call.OutcomeNoAnswer))
	if c := w.rowFor("n", "user-3", 0); c.State != call.Placed {
		t.Errorf("the third recipient's call is %q: nobody was reached", c.State)
	}
	w.clean(2)
}

func TestAListGoesPastARecipientWhoseCallWasWithdrawnBefore(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*world){
		"its request": func(w *world) {
			w.pausedProfile("p")
			own := to("user-2", request("n", start))
			own.Request.Profile = "p"
			w.place(own)
			w.deliver(to("user-2", cancel("n", start)))
		},
		"and no request came": func(w *world) { w.deliver(to("user-2", cancel("n", start))) },
	} {
		w := newFollowed(t, rules.RecallRule{})
		prepare(w)
		d := escalating("n", start, "user-2", "user-3")
		d.Request.Attributes = map[string]string{"text": "fire"}
		w.deliver(d)
		w.live(always(call.OutcomeNoAnswer))
		if c := w.rowFor("n", "user-3", 0); c.State != call.Placed || c.Attributes["text"] != "fire" || c.Profile != "" {
			t.Errorf("%s: the third recipient's call is %q, about %v", name, c.State, c.Attributes)
		}
		w.clean(2)
	}
}

func TestACancelOfTheListReachesWhomItNamedBehindACallOfItsOwn(t *testing.T) {
	t.Parallel()
	w := heldSecond(t, func(*call.Config) {})
	w.deliver(to("user-2", cancel("n", start)))
	w.deliver(cancel("n", start))
	w.live(always(call.OutcomeNoAnswer))
	if c := w.rowFor("n", "user-3", 0); c.ID != "" && c.State != call.Canceled {
		t.Errorf("the third recipient's call is %q", c.State)
	}
	w.clean(1)
}

func TestAListGoesOnFromACallWhoseProfileTracksNothing(t *testing.T) {
	t.Parallel()
	w := heldSecond(t, func(c *call.Config) {
		c.Tracks = func(p call.Profile) (bool, bool) { return p.Name != "p", false }
	})
	p := w.profiles["p"]
	p.Paused = false
	w.profiles["p"] = p
	w.restart()
	w.sweep()
	w.live(always(call.OutcomeNoAnswer))
	if c := w.rowFor("n", "user-3", 0); c.State != call.Placed {
		t.Errorf("the third recipient's call is %q: nobody was reached", c.State)
	}
	w.clean(3)
}

func TestNothingFollowsAnOperatorsRingOfTheInstantOfACancel(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]rules.RecallRule{"a rule": patient(), "a list": {}} {
		w := newFollowed(t, rule)
		w.deliver(escalating("n", start, "user-2"))
		w.hangUp(always(call.OutcomeConfirmed))
		w.sweep()
		w.deliver(cancel("n", w.clock.Now()))
		if out := w.engine.Recall(context.Background(), w.row("n", 0).ID, call.Recall{Actor: "ann", Reason: "they asked"}); out.Met != call.MetPlaced {
			t.Fatalf("%s: %+v", name, out)
		}
		w.live(always(call.OutcomeNoAnswer))
		if c := w.row("n", 1); c.Followup != call.FollowedStopped {
			t.Errorf("%s: followed by %q", name, c.Followup)
		}
		w.clean(2)
	}
}

func TestAConfirmationThatIsKnownStopsEveryLaterRing(t *testing.T) {
	t.Parallel()
	t.Run("of the ring before the last", func(t *testing.T) {
		t.Parallel()
		w := newFollowed(t, patient())
		waiting(w)
		w.clock.advance(16 * time.Minute)
		w.sweep()
		w.hangUp(always(call.OutcomeNoAnswer))
		w.sweep()
		w.sweep()
		w.state("n", 2, call.Received, "")
		w.sees(w.row("n", 0), call.Sight{Confirmed: w.clock.Now()})
		w.live(always(call.OutcomeNoAnswer))
		w.state("n", 2, call.Canceled, "acknowledged")
		w.clean(2)
	})
	t.Run("of a re-call of the recipient before", func(t *testing.T) {
		t.Parallel()
		w := newFollowed(t, rules.RecallRule{Budget: 1, Wait: patient().Wait})
		d := escalating("n", start, "user-2")
		w.pausedProfile("p")
		d.Request.Escalation[0].Profile = "p"
		w.deliver(d)
		w.live2(always(call.OutcomeNoAnswer), func() bool { return w.rowFor("n", "user-2", 0).ID != "" })
		w.sees(w.row("n", 1), call.Sight{Confirmed: w.clock.Now()})
		delete(w.profiles, "p")
		w.profiles["p"] = call.Profile{Name: "p", Region: "r", InstanceID: "i", ContactFlowID: "flow"}
		w.restart()
		w.sweep()
		w.sweep()
		if c := w.rowFor("n", "user-2", 0); c.State != call.Canceled {
			t.Errorf("the next recipient's call is %s", c.State)
		}
		w.clean(2)
	})
}

// live2 is live until something has happened.
func (w *world) live2(of func(call.Call) call.ContactOutcome, until func() bool) {
	w.t.Helper()
	for range 200 {
		if until() {
			return
		}
		w.hangUp(of)
		w.clock.advance(time.Minute)
		w.sweep()
	}
	w.t.Fatal("it never happens")
}

func TestAReleaseIsForOneRingAndMakesNoLaterOneUrgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, followed(patient()))
	g := &closing{}
	w.change = append(w.change, func(c *call.Config) { c.Gate = g })
	w.restart()
	g.until = start.Add(24 * time.Hour)
	w.place(escalating("n", start, "user-2"))
	g.until = time.Time{}
	if out := w.engine.Release(context.Background(), w.row("n", 0).ID, "ann", "now"); out.Met != call.MetPlaced {
		t.Fatalf("%+v", out)
	}
	w.live(always(call.OutcomeNoAnswer))
	for _, c := range w.rows() {
		if c.Urgent || (c.Released != "") != (c.Ring == 0 && c.EscalatedFrom == "") {
			t.Errorf("ring %d of %s: urgent %t, released by %q", c.Ring, c.Key.RecipientID, c.Urgent, c.Released)
		}
	}
}

func TestAReleaseOfSomebodyWithoutANameIsOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.profile(pause)
	w.place(request("n", start))
	w.profile(func(p *call.Profile) { p.Paused = false })
	w.restart()
	if out := w.engine.Release(context.Background(), w.row("n", 0).ID, "", "now"); out.Met != call.MetPlaced || out.Call.Released == "" {
		t.Errorf("%+v", out)
	}
	w.clean(1)
}

// closing is a gate that is shut until an instant.
type closing struct {
	call.Gate
	until time.Time
}

func (g *closing) Look(_ context.Context, _ call.Call, _ call.Profile, now time.Time) (v call.Clearance, err error) {
	if g.until.After(now) {
		v.Until, v.Why = g.until, call.HeldQuietHours
	}
	return v, nil
}

func (g *closing) Pass(ctx context.Context, c call.Call, p call.Profile, now time.Time) (call.Clearance, error) {
	return g.Look(ctx, c, p, now)
}

func (g *closing) Return(context.Context, call.Call, string, time.Time) {}
func (g *closing) Free(context.Context, call.Call, time.Time)           {}
func (g *closing) Resumed(context.Context, time.Time) bool              { return false }

func TestAReportThatTellsNothingLeavesAnOutcomeThatWasGivenUp(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{})
	w.deliver(request("n", start))
	w.settle()
	if c := w.row("n", 0); c.Outcome != call.OutcomeUnknown || !c.Due.IsZero() {
		t.Fatalf("%q, due %s (%s)", c.Outcome, c.Due, c.DueReason)
	}
	w.picksUp(0)
	if c := w.row("n", 0); c.Outcome != call.OutcomeUnknown || !c.Due.IsZero() || c.Sight.CheckedIn.IsZero() {
		t.Errorf("%q, due %s (%s)", c.Outcome, c.Due, c.DueReason)
	}
	w.clean(1)
}

func TestAKeyPressAcknowledgesAsAProducerDoes(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, patient())
	waiting(w)
	w.tells(w.presses(0, "1"), true, "", true)
	w.state("n", 1, call.Canceled, "acknowledged")
	// A cancel of what was asked for later is no reason to forget who knows until when.
	other := newFollowed(t, patient())
	waiting(other)
	other.deliver(acknowledgment("n", start))
	other.clock.advance(time.Minute)
	other.deliver(cancel("n", other.clock.Now().Add(4*time.Minute)))
	other.presses(0, "1")
	if c := other.row("n", 0); !c.Acknowledged.After(start) {
		t.Errorf("acknowledged until %s", c.Acknowledged.Sub(start))
	}
	w.clean(1)
	other.clean(1)
}

func TestWhatFollowsIsDecidedByTheRowAsItIs(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, patient())
	w.deliver(request("n", start))
	w.hangUp(always(call.OutcomeNoAnswer))
	w.faults.names = nil
	w.faults.at = map[int]func(){2: func() { // the row was read, and is read again as the first one of its key
		c := w.row("n", 0)
		c.Outcome = call.OutcomeAnswered
		w.sees(c, call.Sight{Connected: c.PlacedAt.Add(time.Second)})
	}}
	w.sweepQuietly()
	w.live(always(call.OutcomeNoAnswer))
	if c := w.row("n", 0); c.LastRing != 0 || c.Followup != call.FollowedNothing || c.Outcome != call.OutcomeAnswered {
		t.Errorf("ring %d after an answered call, followed by %q: %v", c.LastRing, c.Followup, w.faults.names)
	}
	w.clean(1)
}

// TestAListOfUndatedRequestsIsRungForEachOfThem: the second request carries no more time than the first, so the calls that the first one's list made
// once passed for those of the second, and nobody after the first recipient was rung.
func TestAListOfUndatedRequestsIsRungForEachOfThem(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]bool{"": false, "and its process dies at each claim": true} {
		w := newFollowed(t, rules.RecallRule{})
		w.profile(func(p *call.Profile) { p.Window, p.WindowReopenAny = call.Window{For: day}, true })
		for round := range 3 {
			w.deliver(escalating("n", time.Time{}, "user-2", "user-3"))
			if crash {
				w.hangUp(always(call.OutcomeNoAnswer))
				w.restart()
				w.sweep()
				w.restart()
			}
			w.live(always(call.OutcomeNoAnswer))
			for _, recipient := range []string{"user-1", "user-2", "user-3"} {
				if c := w.rowFor("n", recipient, round); c.State != call.Placed {
					t.Errorf("%s: request %d: %s: %q", name, round, recipient, c.State)
				}
			}
			w.deliver(escalating("n", time.Time{}, "user-2", "user-3")) // inside the window
			w.live(always(call.OutcomeNoAnswer))
			w.clean(3 * (round + 1))
			w.clock.advance(2 * day)
			w.sweep()
		}
	}
}

func TestARecipientOfAnUndatedListWhoConfirmedOnceIsAskedAgainByTheNextRequest(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{})
	w.profile(func(p *call.Profile) { p.Window, p.WindowReopenAny = call.Window{For: day}, true })
	w.deliver(escalating("n", time.Time{}, "user-2", "user-3"))
	w.live(always(call.OutcomeNoAnswer))
	w.clock.advance(2 * day)
	w.sweep()
	w.deliver(escalating("n", time.Time{}, "user-2", "user-3"))
	w.live(by("user-2", call.OutcomeConfirmed))
	if c := w.rowFor("n", "user-3", 1); c.ID != "" {
		t.Errorf("the list went on after a confirmation: %s", c.State)
	}
	w.clean(5)
}

// TestARecipientWhoseTokenCannotBeMadeIsPassedOver: the first recipient's key made a token, and a later one's cannot.
func TestARecipientWhoseTokenCannotBeMadeIsPassedOver(t *testing.T) {
	t.Parallel()
	refusing := true
	recipe := func(in call.TokenInput) (string, error) {
		if refusing && in.RecipientID == "user-2" {
			return "", errors.New("the template has no value for it")
		}
		return "token-" + in.RecipientID + fmt.Sprint(in.Ring), nil
	}
	w := newWorld(t, followed(rules.RecallRule{}), func(c *call.Config) { c.Token = recipe })
	d := escalating("n", start, "user-2", "user-3")
	out := w.deliver(d)
	if out.Met != call.MetRefused || out.Code != call.CodeTokenInvalid || !strings.Contains(out.Message, "escalation[0]") {
		t.Errorf("accepted as %s: %s %s", out.Met, out.Code, out.Message)
	}
	refusing = false
	w.outcome(w.deliver(d), call.MetPlaced, call.AckDone, "")
	refusing = true // the recipe was changed under the list
	w.live(always(call.OutcomeNoAnswer))
	if c := w.rowFor("n", "user-3", 0); c.State != call.Placed {
		t.Errorf("the third recipient's call is %q: nobody was reached", c.State)
	}
	if c := w.rowFor("n", "user-2", 0); c.ID != "" {
		t.Errorf("the second recipient has a call: %+v", c)
	}
	entries, err := w.store.History(context.Background(), w.row("n", 0).ID)
	if err != nil {
		t.Fatal(err)
	}
	passed := false
	for _, entry := range entries {
		event, err := entry.Event()
		passed = passed || err == nil && event.Kind == call.EventTurnConfirmed && strings.Contains(event.Reason, "no client token")
	}
	if !passed {
		t.Error("nothing says that the second recipient was passed over for their token")
	}
	w.clean(2)
}

// TestAListGoesOnFromACallThatItsOwnProducerWithdrewTooLate: hanging up the call of one request once ended the list of another, which nobody withdrew.
func TestAListGoesOnFromACallThatItsOwnProducerWithdrewTooLate(t *testing.T) {
	t.Parallel()
	for name, rule := range map[string]rules.RecallRule{"no rule": {}, "a rule": patient()} {
		w := newWorld(t, followed(rule))
		w.profile(func(p *call.Profile) { p.Window = call.Window{For: day} })
		w.deliver(escalating("n", start, "user-2", "user-3"))
		w.hangUp(always(call.OutcomeAnswered)) // no rule rings again after it
		w.place(to("user-2", request("n", start)))
		w.sweep()
		w.sweep()
		if c := w.rowFor("n", "user-2", 0); c.State != call.Placed || !c.Joined {
			t.Fatalf("%s: the list did not meet the call: %+v", name, c)
		}
		w.deliver(to("user-2", cancel("n", w.clock.Now())))
		w.live(by("user-3", call.OutcomeConfirmed))
		if c := w.rowFor("n", "user-3", 0); c.State != call.Placed {
			t.Errorf("%s: the third recipient's call is %q: nobody was reached", name, c.State)
		}
		if c := w.rowFor("n", "user-2", 1); c.ID != "" {
			t.Errorf("%s: the withdrawn call rings again: %s", name, c.State)
		}
		w.clean(3)
	}
}

// TestACancelOfACallWithAListOfItsOwnEndsTheMergedList: whom only the withdrawn request named must not ring after its cancel, and the merged list does
// not tell who that is.
func TestACancelOfACallWithAListOfItsOwnEndsTheMergedList(t *testing.T) {
	t.Parallel()
	w := newFollowed(t, rules.RecallRule{})
	w.deliver(escalating("n", start, "user-2", "user-3"))
	w.hangUp(always(call.OutcomeAnswered))
	own := escalating("n", start, "user-4")
	w.place(to("user-2", own))
	w.sweep()
	w.sweep()
	if c := w.rowFor("n", "user-2", 0); c.EscalatedFrom == "" || c.Joined || len(c.Escalation) != 2 {
		t.Fatalf("the lists were not merged: %+v", c)
	}
	w.deliver(to("user-2", cancel("n", w.clock.Now())))
	w.live(always(call.OutcomeNoAnswer))
	if c := w.rowFor("n", "user-4", 0); c.ID != "" {
		t.Errorf("whom the withdrawn request named is rung: %s", c.State)
	}
	w.clean(2)
}
