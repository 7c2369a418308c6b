package sim

import (
	"context"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// gotDue returns how often a durable write gave the row this due. Workers whose clocks disagree may move it away and back.
func (t *truth) gotDue(row string, due time.Time, version int64) (times int) {
	was := &call.Call{}
	for _, write := range t.writes {
		now := &write.Row
		if now.ID != row || now.Version > version {
			continue
		}
		if now.DueAt().Equal(due) && !was.Due.Equal(due) && (was.Next == nil || !was.Next.Due.Equal(due)) {
			times++
		}
		was = now
	}
	return times
}

// truly returns a row as the ledger has it, and not as it said; of SQLite, which has no handle of the world's own, it is what was said.
func (w *World) truly(id string) call.Call {
	if w.store == nil {
		c, _ := w.row(id)
		return c
	}
	c, err := w.store.Get(context.Background(), id)
	if err != nil {
		return call.Call{}
	}
	return c
}

// hinted sees that a hint comes after the write that it is about, and once for each due that the row gets.
func (w *World) hinted(id string, due time.Time) {
	taken := len(w.hints.answered) > 0
	w.mark("hint given")
	if taken {
		w.mark("hint given while one was answered")
	}
	row := w.truly(id)
	name := hintName{id, due.UnixNano()}
	w.mu.Lock()
	times := w.truth.gotDue(id, due, row.Version)
	if !taken && len(w.armed) <= 1 { // not in the middle of another act
		w.hints.given[name]++
	}
	given := w.hints.given[name]
	w.mu.Unlock()
	inLedger := row.Due.Equal(due) || (row.Next != nil && row.Next.Due.Equal(due)) // perhaps by a write whose answer nobody got
	if times == 0 && !inLedger {
		w.find("a hint that %s is due at %s, and no write says so", w.nameOf(id), short(due))
	}
	if given > times { // a restored ledger may come to the same due again
		w.find("%d hints that %s is due at %s, which it got %d times", given, w.nameOf(id), short(due), times)
	}
}

// countHints keeps what the life of a worker has told about hints.
func (w *World) countHints(what string, n int) {
	if strings.HasPrefix(what, "wake") || what == string(call.WokeMoved) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.counts["hint "+what] += n
	}
}

// takeHints delivers the hints that arrive until then, or have arrived, and lets the time pass.
func (w *World) takeHints(ctx context.Context, until time.Time) {
	for {
		at, more := w.hints.next()
		if !more || at.After(until) {
			return
		}
		if wait := time.Until(at); wait > 0 {
			time.Sleep(wait)
		}
		w.act(ctx, do("wake", "to="+w.turn().name))
	}
}

// lateHints delivers the hints that are left, and one more for every row, when everything has its end: nothing may ring.
func (w *World) lateHints(ctx context.Context) {
	if w.Setting.Hints == HintsNone {
		return
	}
	before := len(w.phone.rings())
	for _, o := range w.hints.way {
		o.at = time.Now()
	}
	for _, c := range w.rows() {
		w.hints.way = append(w.hints.way, &onItsWay{row: c.ID, due: c.AcceptedAt, at: time.Now()})
	}
	w.takeHints(ctx, time.Now().Add(time.Hour))
	if now := len(w.phone.rings()); now != before {
		w.find("%d rings by hints after everything had ended", now-before)
	}
}
