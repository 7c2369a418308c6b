package call

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// An old copy of a placed first ring against everything its key can have become: what the copy suppresses, the ledger suppresses. The
// last ring's age and what the request says of its own are drawn around the edges of the window.
func TestWhatAnOldCopySuppressesTheLedgerSuppresses(t *testing.T) {
	t.Parallel()
	suppressed, opened := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		hours := func(label string, low, high int) time.Time {
			return noon.Add(time.Duration(rapid.IntRange(low, high).Draw(t, label)) * time.Hour)
		}
		copied := Call{State: Placed, PlacedAt: noon, FinalAt: noon, Fingerprint: "f"}
		profile := Profile{Window: Window{For: time.Duration(rapid.IntRange(0, 5).Draw(t, "window")) * time.Hour, Forever: rapid.IntRange(0, 4).Draw(t, "forever") == 0}}
		profile.WindowReopenAny = rapid.Bool().Draw(t, "reopen")
		asked := Asked{Fingerprint: "f", ReceivedAt: hours("received", -5, 20), Stamp: Stamp{
			At: hours("stamp", -5, 20), Tier: rapid.SampledFrom([]Tier{TierPayload, TierMessage, TierHop, TierNone}).Draw(t, "tier"),
		}}
		if ReplyTo(copied, copied, asked, profile).Kind != ReplySuppress {
			opened++
			return
		}
		suppressed++
		first, top := copied, copied
		if rapid.Bool().Draw(t, "canceled") {
			first.CanceledBefore = hours("cancel", -5, 20)
			top = first
		}
		if ring := rapid.IntRange(0, 3).Draw(t, "ring"); ring > 0 {
			first.LastRing, first.PlacedThrough = ring, hours("through", 0, 10)
			top = Call{Ring: ring, State: rapid.SampledFrom(States()).Draw(t, "state"), Fingerprint: "f", PlacedAt: hours("placed", 0, 12), FinalAt: hours("final", 0, 12)}
		}
		if got := ReplyTo(first, top, asked, profile); got.Kind != ReplySuppress {
			t.Fatalf("the copy suppresses, the ledger answers %s: ring %d %s", got.Kind, top.Ring, top.State)
		}
	})
	if suppressed == 0 || opened == 0 {
		t.Errorf("%d suppressed, %d opened: one side was never drawn", suppressed, opened)
	}
}

// The same with rows that must not be remembered: each shows that the restriction of memory.keep is needed.
func TestOtherRowsAreNotRemembered(t *testing.T) {
	t.Parallel()
	placed := Call{ID: "a", State: Placed, PlacedAt: noon}
	for name, change := range map[string]func(*Call){
		"in doubt":   func(c *Call) { c.State = InDoubt },
		"failed":     func(c *Call) { c.State = Failed },
		"later ring": func(c *Call) { c.Ring = 1 },
		"with rings": func(c *Call) { c.LastRing = 1 },
		"canceled":   func(c *Call) { c.CanceledBefore = noon },
		"anomalous":  func(c *Call) { c.Anomalies = []string{"contact"} },
	} {
		m, c := memory{most: 1}, placed
		change(&c)
		m.keep(c)
		if _, ok := m.get("a"); ok {
			t.Errorf("a row that is %s is remembered", name)
		}
	}
	m := memory{most: 1}
	if m.keep(placed); len(m.rows) != 1 {
		t.Error("a placed row is not remembered")
	}
}
