package sim_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
)

const (
	hintSeeds        = 300
	lostSeeds        = 100
	plantedHintSeeds = 600
)

// TestTheSweepFindsEverythingWhenAllHintsAreLost lives seeds in which no hint ever comes, so that the oracle's every question is answered by
// sweeps and redeliveries.
func TestTheSweepFindsEverythingWhenAllHintsAreLost(t *testing.T) {
	first, count := seeds(t, lostSeeds)
	tally := explore(t, sim.Plan{World: sim.Light, Days: 60, Hints: sim.HintsAllLost}, first, count)
	given, late := tally.Counts["hint given"], tally.Counts["hint woken"]
	if count >= lostSeeds && (given == 0 || late > 0) {
		t.Errorf("%d hints were given, %d came", given, late)
	}
}

func TestNoSeedDoesSoWhateverBecomesOfItsHints(t *testing.T) {
	first, count := seeds(t, hintSeeds)
	tally := explore(t, sim.Plan{World: sim.Light, Days: 60, Hints: sim.HintsEach}, first, count)
	if count < hintSeeds {
		return
	}
	for _, name := range []string{
		"hint given", "hint given while one was answered", "hint failed", "hint forged", "strike crash before wake", "strike crash after wake",
		"strike fail wake", "strike lose wake",
		"hint woken", "hint wake-idle", "hint wake-early", "hint wake-unknown", "hint wake-failed", "hint wake-skipped", "hint wake-returned",
	} {
		if tally.Counts[name] == 0 {
			t.Errorf("no seed reached: %s", name)
		}
	}
	t.Logf("%d hints were given, %d moved a call on", tally.Counts["hint given"], tally.Counts["hint woken"])
}

// plantedHints are defects that hints make visible.
func plantedHints() []planted {
	hinted := func(wrap func(*sim.Hints, call.Ledger) call.Ledger) func() sim.Plant {
		return func() sim.Plant { return sim.Plant{Hinted: wrap} }
	}
	return []planted{
		{"a hint is trusted for the due", hinted(func(h *sim.Hints, l call.Ledger) call.Ledger { return trustingLedger{l, h} }), "was not due before", false},
		{"the sweep leaves what was hinted", hinted(func(h *sim.Hints, l call.Ledger) call.Ledger { return skippingLedger{l, h} }), "is due for ever", false},
		{"a hint for a write that is not durable", func() sim.Plant {
			return sim.Plant{Ledger: func(l call.Ledger) call.Ledger { return unwrittenLedger{l} }}
		}, "no write says so", false},
	}
}

func TestEachPlantedDefectOfHintsIsSeen(t *testing.T) {
	for _, d := range plantedHints() {
		t.Run(d.name, func(t *testing.T) {
			seed, finding := firstSight(t, sim.Plan{World: sim.Light, Days: 60, Hints: sim.HintsEach}, d, plantedHintSeeds)
			if finding == "" {
				t.Fatalf("%d seeds do not see %q", plantedHintSeeds, d.sees)
			}
			t.Logf("seed %d: %s", seed, finding)
		})
	}
}

// trustingLedger shows a waiting row as due when the hint that is being answered says so.
type trustingLedger struct {
	call.Ledger
	hints *sim.Hints
}

// Get implements call.Ledger.
func (l trustingLedger) Get(ctx context.Context, id string) (call.Call, error) {
	c, err := l.Ledger.Get(ctx, id)
	if due, hinted := l.hints.Answered(id); hinted && c.State == call.Received && due.Before(c.Due) {
		c.Due = due
	}
	return c, err
}

// skippingLedger believes that a hint comes for what one was given for.
type skippingLedger struct {
	call.Ledger
	hints *sim.Hints
}

// Due implements call.Ledger.
func (l skippingLedger) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	ids, err := l.Ledger.Due(ctx, now, limit)
	return slices.DeleteFunc(ids, func(id string) bool {
		c, err := l.Ledger.Get(ctx, id)
		return err == nil && l.hints.Given(id, c.DueAt())
	}), err
}
