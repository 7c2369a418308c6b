package ledgertest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// rivals is how many goroutines an exercise sets on one thing: enough to fill a group commit with winners and losers.
const rivals = 24

func concurrency() Suite {
	return Suite{Name: "Concurrency", cases: []exercise{
		{name: "of many creates of a row one wins", run: oneCreateWins},
		{name: "of many updates of a version one wins", run: oneUpdateWins},
		{name: "of many rows with a token one wins", run: oneTokenWins},
		{name: "the same op at once is applied once", run: sameOpAtOnce},
		{name: "writers in a loop lose no update", run: noLostUpdate},
		{name: "a group of winners and losers is told apart", run: mixedGroup},
		{name: "a read after an answered write sees it", run: readsSeeWrites},
	}}
}

// race runs fn in as many goroutines as there are rivals, all released at once.
func race(fn func(rival int)) {
	var ready, done sync.WaitGroup
	gate := make(chan struct{})
	ready.Add(rivals)
	for i := range rivals {
		done.Go(func() {
			ready.Done()
			<-gate
			fn(i)
		})
	}
	ready.Wait()
	close(gate)
	done.Wait()
}

func oneCreateWins(x *exam) {
	writes := make([]call.Write, rivals)
	for i := range writes {
		writes[i] = x.write(call.Begin("a"), opening("a"), fmt.Sprintf("op-%d", i))
	}
	answers := make([]call.Written, rivals)
	race(func(i int) { answers[i] = x.tried(x.Create(x.ctx, writes[i])) })
	x.oneWinner("a", answers, writes)
}

func oneUpdateWins(x *exam) {
	first := x.first("a")
	x.mustCreate(first)
	writes := make([]call.Write, rivals)
	for i := range writes {
		writes[i] = x.held(first.Row, start.Add(time.Duration(i)*time.Minute), fmt.Sprintf("op-%d", i))
	}
	answers := make([]call.Written, rivals)
	race(func(i int) { answers[i] = x.tried(x.Update(x.ctx, writes[i])) })
	x.oneWinner("a", answers, writes)
}

func (x *exam) tried(w call.Written, err error) call.Written {
	x.Helper()
	if err != nil {
		x.Errorf("write: %v", err)
	}
	return w
}

func (x *exam) oneWinner(id string, answers []call.Written, writes []call.Write) {
	x.Helper()
	winner := -1
	for i, a := range answers {
		if a.Applied && winner >= 0 {
			x.Fatalf("writes %d and %d of one version were both applied", winner, i)
		}
		if a.Applied {
			winner = i
		}
	}
	if winner < 0 {
		x.Fatalf("none of %d writes was applied", len(answers))
	}
	for _, a := range answers {
		x.same("the row in an answer", a.Row, writes[winner].Row)
	}
	x.same("the row in the ledger", x.mustGet(id), writes[winner].Row)
	x.whole(x.mustGet(id), x.mustHistory(id))
}

func oneTokenWins(x *exam) {
	var won, taken atomic.Int64
	race(func(i int) {
		id := fmt.Sprintf("row-%d", i)
		e := opening(id)
		e.Opening.Token = "shared"
		w, err := x.Create(x.ctx, x.write(call.Begin(id), e, "op-"+id))
		switch {
		case err == nil && w.Applied:
			won.Add(1)
		case errors.Is(err, call.ErrTokenTaken):
			taken.Add(1)
		default:
			x.Errorf("create %s: applied %t, error %v", id, w.Applied, err)
		}
	})
	if won.Load() != 1 || taken.Load() != rivals-1 {
		x.Errorf("%d rows own the token and %d were refused, want 1 and %d", won.Load(), taken.Load(), rivals-1)
	}
}

func sameOpAtOnce(x *exam) {
	first := x.first("a")
	race(func(int) {
		if w := x.tried(x.Create(x.ctx, first)); !w.Applied {
			x.Errorf("a create with the known op was not applied")
		}
	})
	second := x.held(first.Row, start.Add(time.Minute), "op-2")
	race(func(int) {
		if w := x.tried(x.Update(x.ctx, second)); !w.Applied {
			x.Errorf("an update with the known op was not applied")
		}
	})
	x.holds("a", first, second)
}

func noLostUpdate(x *exam) {
	x.mustCreate(x.first("a"))
	var applied atomic.Int64
	race(func(i int) {
		for n := range 5 {
			c, err := x.Get(x.ctx, "a")
			if err != nil {
				x.Errorf("get: %v", err)
				return
			}
			w := x.held(c, start.Add(time.Duration(i)*time.Second), fmt.Sprintf("op-%d-%d", i, n))
			if x.tried(x.Update(x.ctx, w)).Applied {
				applied.Add(1)
			}
		}
	})
	c := x.mustGet("a")
	if c.Version != applied.Load()+1 {
		x.Errorf("the row is at version %d after %d updates that were answered as applied", c.Version, applied.Load())
	}
	x.whole(c, x.mustHistory("a"))
}

// mixedGroup sends at once, so that a group commit holds them together: new rows, updates that win, creates that lose, updates
// that lose and tokens that clash.
func mixedGroup(x *exam) {
	for i := range rivals {
		x.mustCreate(x.first(fmt.Sprintf("old-%d", i)))
	}
	race(func(i int) {
		old := x.first(fmt.Sprintf("old-%d", i))
		clash := opening(fmt.Sprintf("clash-%d", i))
		clash.Opening.Token = old.Row.Token
		fresh := x.first(fmt.Sprintf("fresh-%d", i))
		var wg sync.WaitGroup
		wg.Go(func() { x.expect("a fresh create", true, nil)(x.Create(x.ctx, fresh)) })
		wg.Go(func() {
			x.expect("an update", true, nil)(x.Update(x.ctx, x.placed(old.Row, fmt.Sprintf("contact-%d", i), fmt.Sprintf("op-%d-2", i))))
		})
		wg.Go(func() {
			x.expect("an old create", false, nil)(x.Create(x.ctx, x.write(call.Begin(old.Row.ID), opening(old.Row.ID), fmt.Sprintf("op-%d-again", i))))
		})
		wg.Go(func() {
			ahead := old.Row
			ahead.Version += 7
			x.expect("a stale update", false, nil)(x.Update(x.ctx, x.held(ahead, start, fmt.Sprintf("op-%d-ahead", i))))
		})
		wg.Go(func() {
			x.expect("a clash", false, call.ErrTokenTaken)(x.Create(x.ctx, x.write(call.Begin(clash.Opening.Key.NotificationID), clash, fmt.Sprintf("op-%d-clash", i))))
		})
		wg.Wait()
	})
	for i := range rivals {
		old := fmt.Sprintf("old-%d", i)
		if c := x.mustGet(old); c.State != call.Placed || c.Version != 2 {
			x.Errorf("row %s is %s at version %d, want placed at 2", old, c.State, c.Version)
		}
		x.whole(x.mustGet(old), x.mustHistory(old))
		x.holds(fmt.Sprintf("fresh-%d", i), x.first(fmt.Sprintf("fresh-%d", i)))
	}
}

func (x *exam) expect(what string, applied bool, want error) func(call.Written, error) {
	return func(w call.Written, err error) {
		x.Helper()
		if w.Applied != applied || !errors.Is(err, want) {
			x.Errorf("%s: applied %t, error %v; want %t, %v", what, w.Applied, err, applied, want)
		}
	}
}

func readsSeeWrites(x *exam) {
	race(func(i int) {
		id := fmt.Sprintf("row-%d", i)
		w := x.first(id)
		for n := range 4 {
			if n == 0 {
				x.tried(x.Create(x.ctx, w))
			} else {
				w = x.held(w.Row, start.Add(time.Duration(n)*time.Minute), fmt.Sprintf("op-%s-%d", id, n+1))
				x.tried(x.Update(x.ctx, w))
			}
			c, err := x.Get(x.ctx, id)
			if err != nil || c.Version != w.Row.Version {
				x.Errorf("get %s after version %d was answered: version %d, error %v", id, w.Row.Version, c.Version, err)
			}
			if entries, err := x.History(x.ctx, id); err != nil || len(entries) != n+1 {
				x.Errorf("history of %s after version %d was answered: %d entries, error %v", id, w.Row.Version, len(entries), err)
			}
		}
	})
}
