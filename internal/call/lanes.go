package call

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Lanes moves on what is due with many rows at a time, so that a wait for a slot, or for the answer of a dial, keeps no other row. The rows of each
// pacing bucket have lanes of their own, which take them in the order in which they are due. It starts nothing by itself: its owner runs the lanes,
// and calls Sweep and Pass. It is safe for concurrent use.
type Lanes struct {
	engine *Engine
	most   int
	run    func(lane func(context.Context))

	mu    sync.Mutex
	lines map[string]*lane
	known map[string]struct{} // rows that are in a lane or wait for one
	left  map[string]struct{} // rows that could not go on, or found no room: for the next sweep
	ahead bool                // a pass over what is not due runs
	swept Swept               // by lanes, since it was told
}

// lane is what waits for one bucket, and how many rows of it are worked on.
type lane struct {
	first   []dueRow // asked again at the next slot, before the others
	rows    []dueRow
	running int
	crowded bool          // some rows found no room: what comes behind them is put off too, and does not go before them
	entries chan struct{} // filled by those that ask for a slot; nil when no slot is needed
}

type dueRow struct {
	id  string
	due time.Time
}

// The lanes of rows that are in no bucket.
const (
	laneFree  = ""      // it needs no slot
	laneLooks = " look" // it asks what became of a contact
)

const (
	// lanesAhead is how long before its due a row is taken to a lane, which then waits for it: a turn is not missed between two passes.
	lanesAhead = 500 * time.Millisecond
	// LanesBusy is how long the owner of lanes waits for the next pass while there is something in them.
	LanesBusy = lanesAhead / 2
	// lanePatience is how long a row in a lane waits for its slot. As few wait as there are lanes, it is long enough for many processes.
	lanePatience = 30 * time.Second
	// entryTime is how far ahead the rows of a lane take slots. What a ledger needs to say that another process was faster is less.
	entryTime = 50 * time.Millisecond
)

// NewLanes returns lanes of an engine, so many for each bucket. run starts what it is given in a goroutine, with the context that ends it.
func NewLanes(e *Engine, most int, run func(lane func(context.Context))) *Lanes {
	return &Lanes{engine: e, most: max(most, 1), run: run, lines: map[string]*lane{}, known: map[string]struct{}{}, left: map[string]struct{}{}}
}

// Sweep does what [Engine.Sweep] does, and leaves what takes time to the lanes. It tells what they did since it was called last.
func (l *Lanes) Sweep(ctx context.Context, limit int) (Swept, error) {
	now := l.engine.Clock.Now()
	if err := l.engine.Journal.Beat(ctx, now); err != nil {
		return Swept{}, err
	}
	l.engine.noteBeat(now, now)
	if err := l.engine.MergeSpool(ctx); err != nil { // a spool that cannot be read must not stop the calls
		l.engine.Observer.Decided(ctx, Decided{What: "spool-failed", Reason: err.Error(), Alarm: true})
	}
	l.mu.Lock()
	clear(l.left)
	begins := !l.ahead
	l.ahead = true
	l.mu.Unlock()
	_, err := l.Pass(ctx, limit)
	if begins {
		l.run(func(ctx context.Context) { l.lookAhead(ctx, limit) })
	}
	return l.told(), err
}

// told returns what was done since it was called last.
func (l *Lanes) told() Swept {
	l.mu.Lock()
	defer l.mu.Unlock()
	swept := l.swept
	l.swept = Swept{}
	return swept
}

// lookAhead looks at what is not due beside the lanes, as a sweep does after them.
func (l *Lanes) lookAhead(ctx context.Context, room int) {
	var swept Swept
	defer func() {
		l.panicked(ctx, "", recover())
		l.mu.Lock()
		defer l.mu.Unlock()
		l.ahead = false
		l.swept.add(swept)
	}()
	l.engine.lookAhead(ctx, room, &swept)
}

// Pass takes at most limit rows that are due, or will be in a moment, to their lanes. What finds no room there is put off to a turn of its own. more
// says that another pass should follow at once.
func (l *Lanes) Pass(ctx context.Context, limit int) (more bool, err error) {
	now := l.engine.Clock.Now()
	seen := map[string]bool{}
	for handled := 0; handled < limit; {
		want := limit + len(seen) + l.size()
		ids, err := l.engine.Ledger.Due(ctx, now.Add(lanesAhead), want)
		if err != nil {
			return false, err
		}
		known := len(seen)
		for _, id := range ids {
			if seen[id] {
				continue
			}
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			if seen[id] = true; l.has(id) {
				continue
			}
			if handled += l.take(ctx, id, now, limit); handled == limit {
				return true, nil
			}
		}
		if len(seen) == known || len(ids) < want {
			l.passed()
			return false, nil
		}
	}
	return true, nil
}

// take brings one row to a lane or puts it off, and returns 1 if it did.
func (l *Lanes) take(ctx context.Context, id string, now time.Time, limit int) int {
	c, err := l.engine.Ledger.Get(ctx, id)
	switch {
	case errors.Is(err, ErrNotFound):
		return 0
	case err != nil:
		l.note(ctx, id, false, err)
		return 0
	case c.DueAt().IsZero():
		return 0
	case c.onlyLooks():
		if l.offer(laneLooks, c, looksEach*l.most) > 0 {
			l.leave(id)
		}
		return 0
	}
	bucket := l.engine.slotOf(c, latest(c.DueAt(), now))
	before := l.offer(bucket, c, l.room(bucket, limit))
	switch {
	case before == 0:
		return 1
	case c.DueAt().After(now): // the next pass finds it again
		return 0
	case bucket == laneFree || c.first():
		l.leave(id)
		return 0
	}
	moved, err := l.engine.putOff(ctx, c, bucket, before)
	l.note(ctx, id, moved, err)
	return 1
}

// room returns how many rows may wait for one lane. Those of several processes, and those that a delivery would have waited for, are due before their
// slots by some seconds: they are not written again for that.
func (l *Lanes) room(bucket string, limit int) int {
	if bucket == laneFree {
		return looksEach * limit
	}
	room := max(limit, l.most)
	if line, ok := l.engine.Pacer.(LinePacer); ok && line.Interval() > 0 {
		room = max(room, int(lanePatience/line.Interval()))
	}
	return room
}

// leave leaves a row to the next sweep.
func (l *Lanes) leave(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left[id] = struct{}{}
}

// slotOf returns the bucket of whose slots the row needs one at once; empty when it needs none.
func (e *Engine) slotOf(c Call, now time.Time) string {
	p := e.profileOf(c)
	claim := Decide(c, p, now)
	if c.Next != nil || c.Turn != nil || claim.Step != StepSend || claim.Look != LookNone { // a search takes time of its own
		return laneFree
	}
	return c.dialedWith(p).bucket()
}

// putOff gives a row whose bucket has more rows than lanes another turn, behind those.
func (e *Engine) putOff(ctx context.Context, c Call, bucket string, before int) (moved bool, err error) {
	now := e.Clock.Now()
	line, ok := e.Pacer.(LinePacer)
	if !ok || line.Interval() == 0 {
		return false, nil
	}
	k := e.lineUp(c, bucket, now, time.Duration(before)*line.Interval(), 0)
	row, _, err := e.holdUntil(ctx, c, k.due, k.why, now)
	return row.Version != c.Version, err
}

// has reports whether a row is in a lane already, or left to the next sweep.
func (l *Lanes) has(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, known := l.known[id]
	_, left := l.left[id]
	return known || left
}

// size returns how many rows the next pass reads over.
func (l *Lanes) size() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.known) + len(l.left)
}

// Rest returns how long the owner may wait for the next pass, at most a given time: a moment while rows are in lanes, else until something is due.
func (l *Lanes) Rest(ctx context.Context, most time.Duration) time.Duration {
	l.mu.Lock()
	busy, left := len(l.known) > 0, len(l.left)
	l.mu.Unlock()
	if busy {
		return min(LanesBusy, most)
	}
	now := l.engine.Clock.Now()
	ids, err := l.engine.Ledger.Due(ctx, now.Add(most), left+1)
	if err != nil {
		return most
	}
	for _, id := range ids {
		if l.has(id) {
			continue
		}
		if c, err := l.engine.Ledger.Get(ctx, id); err == nil && !c.DueAt().IsZero() {
			return min(max(c.DueAt().Sub(now)-lanesAhead, LanesBusy), most)
		}
	}
	return most
}
