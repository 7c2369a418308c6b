package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// wakeDefects are seen by what hints make visible.
func wakeDefects() map[string]struct {
	defect defect
	sees   string
} {
	type planted = struct {
		defect defect
		sees   string
	}
	return map[string]planted{
		"a hint is trusted for the due": {defect{name: "trust", hinted: func(w *world, l call.Ledger) call.Ledger { return trustingLedger{l, w} }}, "was not due before"},
		"the sweep leaves what was hinted": {
			defect{name: "skip", hinted: func(w *world, l call.Ledger) call.Ledger { return skippingLedger{l, w} }}, "for ever",
		},
		"a hint for a write that is not durable": {defect{name: "unwritten", ledger: func(l call.Ledger) call.Ledger { return unwrittenLedger{l} }}, "no write says so"},
	}
}

func TestEachPlantedDefectOfHintsIsSeen(t *testing.T) {
	t.Parallel()
	for name, d := range wakeDefects() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := ""
			explore(t, plan{wakes: true, defect: d.defect}, 1, defaultWakeSeeds, func(seed uint64, findings []string) bool {
				for _, finding := range findings {
					if seen == "" && strings.Contains(finding, d.sees) {
						seen = fmt.Sprintf("seed %d: %s", seed, finding)
					}
				}
				return seen == ""
			})
			if seen == "" {
				t.Fatalf("%d seeds are blind to it", defaultWakeSeeds)
			}
			t.Log(seen)
		})
	}
}

// trustingLedger shows a waiting row as due when the hint that is being answered says so.
type trustingLedger struct {
	call.Ledger
	w *world
}

// Get implements call.Ledger.
func (l trustingLedger) Get(ctx context.Context, id string) (call.Call, error) {
	c, err := l.Ledger.Get(ctx, id)
	if due, hinted := l.w.hints.pretend[id]; hinted && c.State == call.Received && due.Before(c.Due) {
		c.Due = due
	}
	return c, err
}

// skippingLedger believes that a hint comes for what one was given for.
type skippingLedger struct {
	call.Ledger
	w *world
}

// Due implements call.Ledger.
func (l skippingLedger) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	ids, err := l.Ledger.Due(ctx, now, limit)
	return slices.DeleteFunc(ids, func(id string) bool {
		c, err := l.Ledger.Get(ctx, id)
		return err == nil && l.w.hints.given[fmt.Sprint(id, c.DueAt().UnixNano())] > 0
	}), err
}

// unwrittenLedger answers a hold as durable and does not keep it.
type unwrittenLedger struct{ call.Ledger }

// Update implements call.Ledger.
func (l unwrittenLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Entry.Kind == call.EventHeld {
		return call.Written{Applied: true, Row: w.Row}, nil
	}
	return l.Ledger.Update(ctx, w)
}
