package call

import (
	"context"
	"errors"
	"sync"
	"time"
)

const (
	// aheadEvery is how often a process that sweeps looks at the calls that are not due: those that are parked may go on before.
	aheadEvery = 15 * time.Minute
	// aheadStep is how many of them one sweep reads in any case, and aheadMost how many it reads while that takes less than aheadTime: a sweep
	// stays short however many there are, and a pause that ends lets go soon where a read is cheap.
	aheadStep = 200
	aheadMost = 20_000
	aheadTime = time.Second
	// aheadPage is how many ids a pass holds of a ledger that finds its parked calls.
	aheadPage = 512
)

// ahead is a pass over the calls that were not due when it began.
type ahead struct {
	mu   sync.Mutex
	next time.Time // when the next pass may begin
	ids  []string  // not looked at yet
	once bool      // a pass was begun
	more bool      // cells were left to remove

	paged bool   // behind the ids there are more, from the place on
	place string // of the ledger
	round bool   // and then those from the beginning on
}

// prunes notes that cells were left, so that the next sweep removes more of them.
func (a *ahead) prunes() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.more = true
}

// left reports once that cells were left.
func (a *ahead) left() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	left := a.more
	a.more = false
	return left
}

// take returns the next id of the pass.
func (a *ahead) take() (id string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.ids) == 0 {
		return "", false
	}
	id, a.ids = a.ids[0], a.ids[1:]
	return id, true
}

// begins reports whether a pass is to begin, and keeps others from beginning one.
func (a *ahead) begins(now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.ids) > 0 || a.paged || (now.Before(a.next) && !now.Before(a.next.Add(-aheadEvery))) { // a clock may be set back
		return false
	}
	a.next = now.Add(aheadEvery)
	return true
}

// begin sets what the pass looks at; an error lets the next sweep begin it. The first pass of a process begins at the given place: where each sweep
// is a process of its own no pass gets far, and each looks elsewhere.
func (a *ahead) begin(ids []string, err error, place float64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ids = ids; !a.once {
		a.ids = startingAt(ids, place)
	}
	a.once = true
	if err != nil {
		a.next = time.Time{}
	}
}

// begun reports whether a pass was begun before.
func (a *ahead) begun() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.once
}

// again lets the next sweep begin a pass.
func (a *ahead) again() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next, a.ids, a.paged = time.Time{}, nil, false
}

// beginAt begins a pass over pages. The first pass of a process begins at the given place, as begin has it, and comes round to the beginning.
func (a *ahead) beginAt(place string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.place, a.paged, a.round = place, err == nil, !a.once && place != ""
	a.once = true
	if err != nil {
		a.next = time.Time{}
	}
}

// page returns the place of the page that is to be read when no id is left; ok is false when there is none.
func (a *ahead) page() (place string, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.place, a.paged && len(a.ids) == 0
}

// turn takes over the page that was read at a place, unless another sweep was faster. An error ends the pass, and the next sweep begins another.
func (a *ahead) turn(place string, ids []string, next string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case !a.paged || a.place != place || len(a.ids) > 0:
	case err != nil:
		a.next, a.paged = time.Time{}, false
	default:
		a.ids, a.place = ids, next
		a.paged = next != "" || a.round
		a.round = a.round && next != ""
	}
}

// lookAhead moves on at most room parked calls whose reason to wait is gone: their due says nothing about that. A paused profile goes on with
// a new configuration, which is a new process, so a process begins with a pass; another configuration may have been at work beside it, and a
// setup is repaired from outside, so it makes further ones.
func (e *Engine) lookAhead(ctx context.Context, room int, swept *Swept) {
	now := e.Clock.Now()
	if e.Gate != nil && e.Gate.Resumed(ctx, now) {
		e.parked.again()
	}
	if e.parked.left() {
		e.prune(ctx, now)
	}
	if room > 0 && e.parked.begins(now) {
		e.beginAhead(ctx, now)
		e.prune(ctx, now)
	}
	for n := range aheadMost {
		if room <= 0 || ctx.Err() != nil || (n >= aheadStep && e.Clock.Now().Sub(now) >= aheadTime) {
			return
		}
		id, ok := e.nextAhead(ctx)
		if !ok {
			return
		}
		moved, err := e.resume(ctx, id)
		switch {
		case err != nil && !errors.Is(err, ErrNotFound):
			swept.Failed++
			e.Observer.Decided(ctx, Decided{What: "step-failed", RowID: id, Code: CodeOf(err), Reason: err.Error()})
		case moved:
			swept.Due++
			swept.Moved++
			room--
		}
	}
}

// beginAhead begins a pass.
func (e *Engine) beginAhead(ctx context.Context, now time.Time) {
	if e.Parked == nil {
		ids, err := e.waiting(ctx, now)
		place := 0.0
		if len(ids) > aheadStep {
			place = e.spread() + e.spread()/256
		}
		e.parked.begin(ids, err, place)
		return
	}
	if e.parked.begun() {
		e.parked.beginAt("", nil)
		return
	}
	ids, next, err := e.Parked.ParkedCalls(ctx, "", aheadPage)
	if err != nil || next == "" { // one page holds all: there is no place to choose
		e.aheadFailed(ctx, err)
		e.parked.begin(ids, err, 0)
		return
	}
	place, err := e.Parked.ParkedFrom(ctx, e.spread()+e.spread()/256)
	e.aheadFailed(ctx, err)
	e.parked.beginAt(place, err)
}

// nextAhead returns the next id of the pass, reading a page where there is one.
func (e *Engine) nextAhead(ctx context.Context) (id string, ok bool) {
	for {
		if id, ok = e.parked.take(); ok {
			return id, true
		}
		place, more := e.parked.page()
		if !more {
			return "", false
		}
		ids, next, err := e.Parked.ParkedCalls(ctx, place, aheadPage)
		e.aheadFailed(ctx, err)
		e.parked.turn(place, ids, next, err)
	}
}

func (e *Engine) aheadFailed(ctx context.Context, err error) {
	if err != nil {
		e.Observer.Decided(ctx, Decided{What: "step-failed", Code: CodeOf(err), Reason: err.Error()})
	}
}

// startingAt returns the ids in a circle from a place on, from 0 for the first one to 1.
func startingAt(ids []string, place float64) []string {
	if len(ids) == 0 {
		return ids
	}
	from := int(place*float64(len(ids))) % len(ids)
	return append(ids[from:len(ids):len(ids)], ids[:from]...)
}

// pruneMost is how many cells one sweep removes at most.
const pruneMost = 5_000

// prune removes cells that say nothing any more, until few are left or it has lasted as long as a pass may. What it leaves costs space only, and the
// next sweep goes on with it: every call may bring cells of its own, so a fixed few a pass would never catch up.
func (e *Engine) prune(ctx context.Context, now time.Time) {
	if e.Cells == nil {
		return
	}
	for removed := 0; removed < pruneMost; {
		n, err := e.Cells.PruneCells(ctx, now, aheadStep)
		if err != nil {
			e.Observer.Decided(ctx, Decided{What: "step-failed", Code: CodeOf(err), Reason: err.Error()})
			return
		}
		if removed += n; n < aheadStep {
			return
		}
		if ctx.Err() != nil || e.Clock.Now().Sub(now) >= aheadTime {
			break
		}
	}
	e.parked.prunes()
}

// waiting returns the ids of all rows that have a due.
func (e *Engine) waiting(ctx context.Context, now time.Time) ([]string, error) {
	for limit := 512; ; limit *= 2 {
		ids, err := e.Ledger.Due(ctx, now.Add(2*longestParks), limit)
		if err != nil {
			e.aheadFailed(ctx, err)
			return nil, err
		}
		if len(ids) < limit {
			return ids, nil
		}
	}
}

// resume moves a parked call on if nothing that is known here keeps it.
func (e *Engine) resume(ctx context.Context, id string) (moved bool, err error) {
	c, err := e.Ledger.Get(ctx, id)
	if err != nil || !c.Parked() {
		return false, err
	}
	p := e.profileOf(c)
	if p.Paused || e.pausedUntil(p).After(e.Clock.Now()) {
		return false, nil
	}
	if k := e.lookAtGate(ctx, c, p); parks(k.why) { // another reason is written down, and a refusal ends the call
		return false, nil
	}
	return e.sweepRow(ctx, c)
}
