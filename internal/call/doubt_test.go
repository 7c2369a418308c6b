package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// doubted is a world with a call in doubt that rang.
func doubted(t *testing.T, change ...func(*call.Config)) *world {
	t.Helper()
	w := newWorld(t, change...)
	ambiguousAnswer(call.ResendNever)(w)
	w.place(request("n", start))
	w.settle()
	w.state("n", 0, call.InDoubt, "resend_never")
	return w
}

func TestEveryKindOfEvidenceClosesADoubt(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for from, evidence := range map[string]func(*world){
		"event": func(w *world) {
			if _, err := w.engine.SawContact(ctx, call.Target{}, "contact-1"); err != nil {
				w.t.Error(err)
			}
		},
		"person": func(w *world) {
			if _, err := w.engine.CloseDoubt(ctx, w.row("n", 0).ID, "contact-1", "ann", "it is in the list"); err != nil {
				w.t.Error(err)
			}
		},
		"answer": func(w *world) { // a worker that slept with the answer in its hands left it in the spool
			c := w.row("n", 0)
			w.spool.facts = append(w.spool.facts, call.Fact{RowID: c.ID, Op: "late", Event: call.Event{
				Kind: call.EventResult, At: w.clock.Now(), AttemptID: c.Open[0].ID, Class: call.ClassOK, ContactID: "contact-1",
			}})
			w.sweep()
		},
	} {
		w := doubted(t)
		evidence(w)
		if c := w.state("n", 0, call.Placed, ""); c.ContactFrom != from {
			t.Errorf("by %s: known from %q", from, c.ContactFrom)
		}
		w.outcome(w.place(request("n", start)), call.MetPlaced, call.AckDone, call.ReasonDuplicate)
		w.clean(1)
	}
}

// A call that was cut off is in doubt after its first look; the others of the schedule follow.
func TestADoubtIsSearchedForUntilItsScheduleIsDone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, w.phones.lost)
	d := request("n", start)
	d.Request.NotAfter = start.Add(time.Millisecond)
	resend(call.ResendNever)(w)
	w.place(d)
	settled := w.row("n", 0).SettledAt()
	w.clock.advance(settled.Sub(w.clock.Now()) + time.Second)
	w.sweep()
	c := w.state("n", 0, call.InDoubt, "not_after")
	if c.Looks != 1 || !c.Due.After(settled.Add(30*time.Minute)) || c.Due.After(settled.Add(31*time.Minute)) {
		t.Errorf("%d looks, the next at %s after it settled", c.Looks, c.Due.Sub(settled))
	}
	w.clock.advance(31 * time.Minute)
	w.sweep()
	if c = w.state("n", 0, call.InDoubt, "not_after"); c.Looks != 2 || c.Due.Sub(settled) < day {
		t.Errorf("%d looks, the next at %s after it settled", c.Looks, c.Due.Sub(settled))
	}
	w.phones.hidden = false // a contact may show late
	w.settle()
	if c = w.state("n", 0, call.Placed, ""); c.ContactFrom != "search" {
		t.Errorf("known from %q", c.ContactFrom)
	}
	w.clean(1)
}

// SearchContacts is allowed 0.5 times a second. Forty calls of one outage are looked for at that rate, and none of them uses up its schedule
// by waiting.
func TestLooksForManyDoubtsKeepTheRateOfSearches(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) { c.Searches = call.NewPace(0.5, 1) })
	resend(call.ResendNever)(w)
	w.phones.hidden = true
	const calls = 40
	names := []string{}
	for i := range calls {
		names = append(names, string(rune('A'+i)))
		w.phones.script = append(w.phones.script, w.phones.lost)
	}
	for _, name := range names {
		w.place(request(name, start))
	}
	var asked []time.Time
	w.phones.onSearch = func() { asked = append(asked, w.clock.Now()) }
	w.settle()
	for _, name := range names {
		if c := w.state(name, 0, call.InDoubt, "resend_never"); c.Looks != 3 {
			t.Errorf("%d looks", c.Looks)
		}
	}
	if len(asked) != 3*calls {
		t.Errorf("%d searches for %d calls", len(asked), calls)
	}
	for i := 1; i < len(asked); i++ {
		if gap := asked[i].Sub(asked[i-1]); gap < 2*time.Second {
			t.Errorf("search %d came %s after the one before", i, gap)
		}
	}
	w.clean(calls)
}

func TestAPersonsWordsAreKeptBesideTheContactAndInNoSecondWrite(t *testing.T) {
	t.Parallel()
	w := doubted(t)
	before := w.row("n", 0).Version
	c, err := w.engine.CloseDoubt(context.Background(), w.row("n", 0).ID, "contact-1", "ann", "it is in the list")
	if err != nil || c.Version != before+1 {
		t.Fatalf("version %d after %d, %v", c.Version, before, err)
	}
	entries, err := w.store.History(context.Background(), c.ID)
	if err != nil {
		t.Fatal(err)
	}
	event, err := entries[len(entries)-1].Event()
	if err != nil || event.Kind != call.EventContact || event.Actor != "ann" || event.Message != "it is in the list" || event.From != "person" {
		t.Errorf("%+v, %v", event, err)
	}
	again, err := w.engine.CloseDoubt(context.Background(), c.ID, "contact-1", "bob", "me too")
	if err != nil || again.Version != c.Version {
		t.Errorf("a second person wrote version %d, %v", again.Version, err)
	}
	if _, err := w.engine.CloseDoubt(context.Background(), "nobody", "contact-1", "ann", ""); call.CodeOf(err) != call.CodeNotFound {
		t.Errorf("%v", err)
	}
}

func TestARecallThatSparesDoubtsRefusesOneAndNoOtherCall(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	w := doubted(t)
	id := w.row("n", 0).ID
	if out := w.engine.Recall(ctx, id, call.Recall{Reason: "they wait", SparesDoubt: true}); out.Met != call.MetRefused || out.Code != call.CodeMayHaveRung {
		t.Errorf("%+v", out)
	}
	w.clean(1)
	if out := w.engine.Recall(ctx, id, call.Recall{Reason: "they wait"}); out.Met != call.MetPlaced || out.Call.Ring != 1 {
		t.Errorf("%+v", out)
	}
	w.outcome(w.place(request("m", w.clock.Now())), call.MetPlaced, call.AckDone, "")
	if out := w.engine.Recall(ctx, w.row("m", 0).ID, call.Recall{Reason: "they wait", SparesDoubt: true}); out.Met != call.MetPlaced {
		t.Errorf("%+v", out)
	}
}

func TestADoubtThatIsNotSettledIsRefusedWithTheTimeFromWhenItMayBeCalledAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := request("n", start)
	d.Request.NotAfter = start.Add(time.Millisecond)
	resend(call.ResendNever)(w)
	w.phones.hidden = true
	w.phones.script = append(w.phones.script, w.phones.lost)
	w.place(d)
	w.settle()
	c := w.state("n", 0, call.InDoubt, "not_after")
	early := w.start(func(cfg *call.Config) {
		cfg.Clock = skewed{w.clock, c.SettledAt().Add(-time.Minute).Sub(w.clock.Now())}
	})
	out := early.Recall(context.Background(), c.ID, call.Recall{Reason: "they wait", SparesDoubt: true})
	if out.Code != call.CodeNotSettled || out.Fix != "Wait until "+c.SettledAt().Format(time.RFC3339)+"." {
		t.Errorf("%+v", out)
	}
}
