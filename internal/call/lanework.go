package call

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// offer brings a row to a lane unless as many rows as there is room for wait there, and then returns how many are before it; else 0.
func (l *Lanes) offer(name string, c Call, room int) (before int) {
	one, begins, before := l.line(name, c, room)
	if begins {
		l.run(func(ctx context.Context) { l.work(ctx, one) })
	}
	return before
}

// line is offer without running the lane that begins with it.
func (l *Lanes) line(name string, c Call, room int) (one *lane, begins bool, before int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one = l.lines[name]
	if one == nil {
		one = &lane{entries: l.entries(name)}
		l.lines[name] = one
	}
	rows := &one.rows
	if c.first() {
		rows = &one.first
	}
	if len(*rows) >= room || (one.crowded && !c.first() && !c.lined()) {
		one.crowded = true
		return one, false, max(len(one.first)+len(one.rows)+one.running, 1)
	}
	*rows = append(*rows, dueRow{id: c.ID, due: c.DueAt()})
	l.known[c.ID] = struct{}{}
	if begins = one.running < l.most; begins {
		one.running++
	}
	return one, begins, 0
}

// entries returns how many rows of a lane may ask for a slot at once; nil when each may. With few of them rows are dialed in their order, and hardly
// two processes wait for slots for the same rows.
func (l *Lanes) entries(name string) chan struct{} {
	line, ok := l.engine.Pacer.(LinePacer)
	if !ok || line.Interval() == 0 || name == laneFree || name == laneLooks {
		return nil
	}
	return make(chan struct{}, max(1, int(entryTime/line.Interval())))
}

// passed notes that all that was due was seen, so that there is no crowd any more.
func (l *Lanes) passed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.lines {
		one.crowded = false
	}
}

// work takes one row after another, until none waits.
func (l *Lanes) work(ctx context.Context, one *lane) {
	for {
		in := &entry{patience: lanePatience, passed: func() {}}
		if one.entries != nil {
			one.entries <- struct{}{} // whoever is inside comes out when the context ends
			in.passed = sync.OnceFunc(func() { <-one.entries })
		}
		row, ok := l.pop(ctx, one)
		if ok {
			l.move(withEntry(ctx, in), row)
		}
		in.passed()
		if !ok {
			return
		}
	}
}

func (l *Lanes) pop(ctx context.Context, one *lane) (row dueRow, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rows := &one.first
	if len(*rows) == 0 {
		rows = &one.rows
	}
	if len(*rows) == 0 || ctx.Err() != nil {
		one.running--
		return dueRow{}, false
	}
	row, *rows = (*rows)[0], (*rows)[1:]
	return row, true
}

// move waits until a row is due, and moves it on.
func (l *Lanes) move(ctx context.Context, row dueRow) {
	moved, err := false, error(nil)
	defer func() {
		if what := recover(); what != nil {
			l.panicked(ctx, row.id, what)
			moved = false
		}
		l.note(ctx, row.id, moved, err)
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.known, row.id)
	}()
	wait := row.due.Sub(l.engine.Clock.Now())
	if wait > 2*lanesAhead { // the clock was set back since the row was taken; nobody behind it waits for that
		return
	}
	if wait > 0 && l.engine.Clock.Sleep(ctx, wait) != nil {
		return
	}
	moved, err = l.engine.SweepRow(ctx, row.id)
}

func (l *Lanes) panicked(ctx context.Context, id string, what any) {
	if what != nil {
		l.engine.Observer.Decided(ctx, Decided{What: "panicked", RowID: id, Reason: fmt.Sprintf("%T", what), Alarm: true})
	}
}

// note counts a row that was worked on. One that did not move is left to the next sweep.
func (l *Lanes) note(ctx context.Context, id string, moved bool, err error) {
	failed := err != nil && !errors.Is(err, ErrNotFound)
	if failed {
		l.engine.Observer.Decided(ctx, Decided{What: "step-failed", RowID: id, Code: CodeOf(err), Reason: err.Error()})
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.swept.Due++
	switch {
	case failed:
		l.swept.Failed++
	case moved:
		l.swept.Moved++
	}
	if !moved {
		l.left[id] = struct{}{}
	}
}

func (s *Swept) add(more Swept) {
	s.Due += more.Due
	s.Moved += more.Moved
	s.Failed += more.Failed
}
