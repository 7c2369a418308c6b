package call_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// parkedPages is a ledger that finds its parked calls, page by page and never more than it is asked for. It must not be asked for what is not due.
type parkedPages struct {
	blinded

	t     *testing.T
	rows  func() []call.Call
	asked int
	fails int // of so many questions from now on
}

// Due implements call.Ledger.
func (p *parkedPages) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	if now.After(p.now()) {
		p.t.Error("a look ahead reads what waits for its time")
	}
	return p.Ledger.Due(ctx, now, limit)
}

// ParkedCalls implements call.ParkedCalls.
func (p *parkedPages) ParkedCalls(_ context.Context, after string, limit int) (ids []string, next string, err error) {
	p.asked++
	if p.fails > 0 {
		p.fails--
		return nil, "", errors.New("connection reset")
	}
	at, _ := strconv.Atoi(after)
	rows := p.rows()
	for ; at < len(rows) && len(ids) < limit; at++ {
		if rows[at].Parked() {
			ids = append(ids, rows[at].ID)
		}
	}
	if at < len(rows) {
		next = strconv.Itoa(at)
	}
	return ids, next, nil
}

// ParkedFrom implements call.ParkedCalls.
func (p *parkedPages) ParkedFrom(_ context.Context, share float64) (string, error) {
	return strconv.Itoa(int(share * float64(len(p.rows())))), nil
}

// pagesOf starts an engine on a ledger with parked calls that finds them.
func pagesOf(t *testing.T, calls int) (*world, *parkedPages) {
	t.Helper()
	w := newWorld(t)
	w.profile(pause)
	for n := range calls {
		w.place(request(strconv.Itoa(n), start))
	}
	w.profile(func(p *call.Profile) { p.Paused = false })
	p := &parkedPages{blinded: blinded{Ledger: w.store, now: w.clock.Now}, t: t, rows: w.rows}
	w.engine = w.start(func(c *call.Config) { c.Ledger, c.Parked = p, p })
	return w, p
}

func TestALookAheadGoesThroughThePagesOfALedgerThatFindsItsParkedCalls(t *testing.T) {
	t.Parallel()
	const calls = 700 // more than a page
	w, p := pagesOf(t, calls)
	for range 30 {
		w.sweepOf(100)
	}
	if w.phones.total() != calls {
		t.Errorf("%d rings of %d calls", w.phones.total(), calls)
	}
	if asked := p.asked; asked > 10 {
		t.Errorf("%d pages were read", asked)
	}
	w.sweepOf(100)
	before := p.asked
	w.clock.advance(16 * time.Minute)
	w.sweepOf(100)
	if p.asked != before+1 {
		t.Errorf("a pass over no parked call reads %d pages", p.asked-before)
	}
}

func TestALookAheadWhosePageFailsIsMadeAgain(t *testing.T) {
	t.Parallel()
	w, p := pagesOf(t, 1)
	p.fails = 1
	for _, rings := range []int{0, 1} {
		w.sweepOf(10)
		if w.phones.total() != rings {
			t.Errorf("%d rings, want %d", w.phones.total(), rings)
		}
	}
}
