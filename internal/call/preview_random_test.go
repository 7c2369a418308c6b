package call_test

import (
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// acted is what Place did, as far as the telephone saw it.
type acted struct {
	outcome call.Outcome
	dials   []call.Send
	stopped int
}

func (x *theater) act(d call.Delivery) acted {
	dials, stopped := len(x.phones.dials), len(x.phones.stopped)
	out := x.engine.Place(context.Background(), d)
	return acted{out, x.phones.dials[dials:], len(x.phones.stopped) - stopped}
}

// differs says how what was done differs from what was previewed; empty when it does not.
func differs(p call.Preview, did acted) string {
	found := p.Looks && did.outcome.Call.ContactID != "" && len(did.dials) == 0 // evidence made the dial needless
	switch {
	case found:
		return ""
	case p.Stops != (did.stopped > 0):
		return fmt.Sprintf("previewed hanging up: %t; hung up %d", p.Stops, did.stopped)
	case p.Verdict.Dials() != (len(did.dials) > 0):
		return fmt.Sprintf("previewed %s (%s); dialed %d times, met %s", p.Verdict, p.Reason, len(did.dials), did.outcome.Met)
	case p.Verdict.Dials():
		row, sent := p.Outcome.Call, did.dials[0]
		if row.ID != sent.CallID || row.Token != sent.Token || row.Pin != string(sent.Body) {
			return fmt.Sprintf("previewed ring %d of %s; dialed %s", row.Ring, row.ID, sent.CallID)
		}
		return ""
	}
	was, is := p.Outcome, did.outcome
	if p.Verdict == call.VerdictRepeat {
		if is.Met != call.MetPlaced || is.By != was.By || is.Suppressed != was.Suppressed {
			return fmt.Sprintf("previewed a repeat of %s; met %s, by %s", was.By, is.Met, is.By)
		}
		return ""
	}
	if was.Met != is.Met || was.Code != is.Code || was.Suppressed != is.Suppressed || was.By != is.By || was.Call.ID != is.Call.ID {
		return fmt.Sprintf("previewed %s: %s %q %q by %q; is %s %q %q by %q", p.Verdict, was.Met, was.Code, was.Suppressed, was.By, is.Met, is.Code, is.Suppressed, is.By)
	}
	return ""
}

func previewEqualsPlace(t *testing.T, open func(testing.TB) ledgertest.Ledger, most int, seen map[call.Verdict]int) {
	t.Helper()
	rapid.Check(t, func(rt *rapid.T) {
		x := newTheater(t, rt, open)
		defer func() { _ = x.ledger.Close() }()
		for range rapid.IntRange(1, most).Draw(rt, "deliveries") {
			x.meanwhile(rt)
			d := x.delivery(rt)
			ledger, outside := x.bytes(), x.outside()
			p := x.engine.Preview(context.Background(), d)
			if after := x.bytes(); after != ledger {
				rt.Fatalf("the preview changed the ledger from\n%sto\n%s", ledger, after)
			}
			if after := x.outside(); after != outside {
				rt.Fatalf("the preview reached outside: rings, dials, searches, hang-ups, slots, log, spool, hints, time were %s and are %s", outside, after)
			}
			seen[p.Verdict]++
			if difference := differs(p, x.act(d)); difference != "" {
				rt.Fatal(difference)
			}
		}
	})
}

func TestWhatIsPreviewedIsWhatPlaceThenDoes(t *testing.T) {
	t.Parallel()
	seen := map[call.Verdict]int{}
	previewEqualsPlace(t, inMemory, 25, seen)
	common := []call.Verdict{call.VerdictRing, call.VerdictPlaced, call.VerdictHeld, call.VerdictRefused, call.VerdictConflict, call.VerdictCancel}
	for _, v := range common { // the property holds nothing about a verdict that no world reaches; the rare ones have stories of their own
		if seen[v] == 0 {
			t.Errorf("verdict %s was never seen: %v", v, seen)
		}
	}
	t.Log(seen)
}

func TestWhatIsPreviewedOnSQLiteIsWhatPlaceThenDoes(t *testing.T) {
	t.Parallel()
	previewEqualsPlace(t, onDisk, 6, map[call.Verdict]int{})
}

// A run is previewed as a whole before its first phone rings: each delivery knows what the earlier ones will have done.
func TestARehearsalTellsTheWholeRun(t *testing.T) {
	t.Parallel()
	repeats := 0
	rapid.Check(t, func(rt *rapid.T) {
		x := newTheater(t, rt, inMemory)
		for range rapid.IntRange(0, 6).Draw(rt, "before") {
			x.meanwhile(rt)
			x.act(x.delivery(rt))
		}
		x.phones.script, x.phones.hidden = nil, true // the run itself meets a telephone that takes every call
		var run []call.Delivery
		var previews []call.Preview
		ledger, outside := x.bytes(), x.outside()
		rehearsal := x.engine.Rehearse()
		for range rapid.IntRange(1, 12).Draw(rt, "run") {
			run = append(run, x.delivery(rt))
			previews = append(previews, rehearsal.Preview(context.Background(), run[len(run)-1]))
		}
		if x.bytes() != ledger || x.outside() != outside {
			rt.Fatal("the rehearsal was not one")
		}
		for i, d := range run {
			if previews[i].Verdict == call.VerdictRepeat {
				repeats++
			}
			if difference := differs(previews[i], x.act(d)); difference != "" {
				rt.Fatalf("delivery %d: %s", i+1, difference)
			}
		}
	})
	t.Log("repeats", repeats)
	if repeats == 0 {
		t.Error("no run repeated itself")
	}
}

// The oracle is seen failing: previews of an empty ledger, of another window, or of a ledger an hour ago are found out.
func TestAPreviewOfTheWrongLedgerOrProfileIsFoundOut(t *testing.T) {
	t.Parallel()
	other := map[string]func(x *theater) func(*call.Config){
		"an empty ledger": func(*theater) func(*call.Config) {
			empty := memory.New(memory.Options{})
			return func(c *call.Config) { c.Ledger, c.Journal = empty, empty }
		},
		"another window": func(x *theater) func(*call.Config) {
			p := x.profiles[""]
			p.Window = call.Window{Forever: !p.Window.Forever, For: day}
			return func(c *call.Config) { c.Profile = func(string) (call.Profile, bool) { return p, true } }
		},
		"a paused profile": func(x *theater) func(*call.Config) {
			p := x.profiles[""]
			p.Paused = true
			return func(c *call.Config) { c.Profile = func(string) (call.Profile, bool) { return p, true } }
		},
	}
	for name, change := range other {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			caught := 0
			rapid.Check(t, func(rt *rapid.T) {
				x := newTheater(t, rt, inMemory)
				wrong := x.start(change(x))
				for range rapid.IntRange(1, 25).Draw(rt, "deliveries") {
					x.meanwhile(rt)
					d := x.delivery(rt)
					p := wrong.Preview(context.Background(), d)
					if differs(p, x.act(d)) != "" {
						caught++
					}
				}
			})
			t.Log("caught", caught)
			if caught == 0 {
				t.Error("no difference was found")
			}
		})
	}
}
