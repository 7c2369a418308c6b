package app_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	defaultWakeSeeds = 160
	defaultLostSeeds = 60
)

// gotDue returns how often a durable write gave the row this due. Workers whose clocks disagree may move it away and back.
func (w *world) gotDue(id string, due time.Time, version int64) (times int) {
	was := call.Call{}
	for _, write := range w.truth.writes {
		row := write.Row
		if row.ID != id || row.Version > version {
			continue
		}
		if row.DueAt().Equal(due) && !was.Due.Equal(due) && (was.Next == nil || !was.Next.Due.Equal(due)) {
			times++
		}
		was = row
	}
	return times
}

// hinted sees that a hint comes after the write that it is about, and once for each due that the row gets.
func (w *world) hinted(id string, due time.Time) {
	w.mark("hint given")
	if w.hints.taken {
		w.mark("hint given while one was answered")
	}
	row, _ := w.row(context.Background(), id)
	w.mu.Lock()
	times, name := w.gotDue(id, due, row.Version), fmt.Sprint(id, due.UnixNano())
	if !w.hints.taken && !w.interfering {
		w.hints.given[name]++
	}
	given := w.hints.given[name]
	w.mu.Unlock()
	inLedger := row.Due.Equal(due) || (row.Next != nil && row.Next.Due.Equal(due)) // perhaps by a write whose answer nobody got
	if times == 0 && !inLedger {
		w.find("a hint that %s is due at %s, and no write says so", id, due)
	}
	if given > times && !w.truth.restored { // a restored ledger may come to the same due again
		w.find("%d hints that %s is due at %s, which it got %d times", given, id, due, times)
	}
}

// countHints keeps what the life of a worker has told about hints.
func (w *world) countHints(k *worker) {
	for metric, n := range k.app.Observer.Counts() {
		if strings.HasPrefix(metric.What, "wake") || metric.What == string(call.WokeMoved) {
			w.mu.Lock()
			w.coverage["hint "+metric.What] += int(n)
			w.mu.Unlock()
		}
	}
}

// judgeDues sees in a row's history that no attempt was opened before the row was due, whatever a hint said. A parked row waits for a person.
func (w *world) judgeDues(c call.Call, entries []call.Entry) {
	row := call.Begin(c.ID)
	for _, entry := range entries {
		event, err := entry.Event()
		if err != nil {
			return // CheckHistory reports it
		}
		if event.Kind == call.EventIntent && event.At.Before(row.Due) && !row.Parked() {
			w.find("%s ring %d is dialed at %s and was not due before %s (%s)", c.Key.NotificationID, c.Ring, event.At, row.Due, row.DueReason)
		}
		row = row.Apply(event)
	}
}

// passHints lets time pass from hint to hint.
func (w *world) passHints(ctx context.Context, target time.Time) {
	if !w.wakes || w.hints.chance(0.5) {
		return
	}
	for range 40 {
		next := target
		for _, o := range w.hints.way {
			if o.at.Before(next) {
				next = o.at
			}
		}
		if !next.Before(target) {
			return
		}
		time.Sleep(max(time.Until(next), 0))
		w.wake(ctx)
	}
}

// lateHints delivers each hint once more when everything has its end: nothing may ring.
func (w *world) lateHints(ctx context.Context) {
	if !w.wakes {
		return
	}
	before := w.emu.RingCount()
	for _, o := range w.hints.way {
		o.at = time.Now()
	}
	for _, c := range w.rows(ctx) {
		w.hints.way = append(w.hints.way, &onItsWay{id: c.ID, due: c.AcceptedAt, at: time.Now()})
	}
	for len(w.hints.way) > 0 {
		w.wake(ctx)
		time.Sleep(time.Minute)
		if w.hints.lot == "forged" {
			w.hints.lot = "all come"
		}
	}
	if now := w.emu.RingCount(); now != before {
		w.find("%d rings by hints after everything had ended", now-before)
	}
}

// TestTheSweepFindsEverythingWhenAllHintsAreLost lives seeds in which no hint ever comes, so that the oracle's every question is answered by
// sweeps and redeliveries.
func TestTheSweepFindsEverythingWhenAllHintsAreLost(t *testing.T) {
	t.Parallel()
	first, count := seeds(t, defaultLostSeeds)
	reached := explore(t, plan{wakes: true, lot: "all lost"}, first, count, complain(t, t.Name()))
	if count >= defaultLostSeeds && (reached["hint given"] == 0 || reached["hint woken"] > 0) {
		t.Errorf("%d hints were given, %d came", reached["hint given"], reached["hint woken"])
	}
}

func TestNoSeedDoesSoWhateverBecomesOfItsHints(t *testing.T) {
	t.Parallel()
	first, count := seeds(t, defaultWakeSeeds)
	reached := explore(t, plan{wakes: true}, first, count, complain(t, t.Name()))
	if count >= defaultWakeSeeds {
		names := []string{
			"hint given", "hint given while one was answered", "hint failed", "hint forged", "crash before wake", "crash after wake",
			"hint woken", "hint wake-idle", "hint wake-early", "hint wake-unknown", "hint wake-failed", "hint wake-skipped", "hint wake-returned",
		}
		for _, lot := range lots() {
			names = append(names, "hints: "+lot)
		}
		for _, name := range names {
			if reached[name] == 0 {
				t.Errorf("no seed reached: %s", name)
			}
		}
	}
	t.Log(reached)
}
