package sim

import (
	"context"
	"errors"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// crashed is what a planted crash panics with. A dead worker panics at every later effect, as nothing of a killed process runs on.
type crashed struct{ point string }

var (
	errAnswerLost = errors.New("planted: the ledger's answer was lost")
	errOutage     = errors.New("planted: the ledger is down")
	errDiskFull   = errors.New("planted: the disk is full")
)

// gate stands before every effect of one worker.
type gate struct {
	w     *World
	k     *worker
	cells call.Cells
}

// at is an instant around an effect on a row, which may be empty: what the act has armed for it happens.
func (g *gate) at(ctx context.Context, point, row string) {
	w := g.w
	if g.k.dead.Load() {
		panic(crashed{point})
	}
	w.jitter(ctx, point, row)
	w.trace.add(g.k.name, point, w.nameOf(row))
	if g.k.starting {
		return
	}
	for _, s := range w.strikes("", point) {
		w.struck(s, row)
		switch s.Do {
		case "crash":
			g.k.dead.Store(true)
			panic(crashed{point})
		case "pause":
			time.Sleep(s.For)
		case "meanwhile":
			w.interfere(*s.Act)
		}
		if g.k.dead.Load() {
			panic(crashed{point})
		}
	}
}

// strikes returns what the acts that are under way have armed for this passage of a point. Of fail and lose, do says which is asked for.
func (w *World) strikes(do, point string) (met []*Strike) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.armed) == 0 {
		return nil
	}
	for _, s := range w.armed[len(w.armed)-1] {
		if s.spent || s.Point != point || (do == "") == (s.Do == "fail" || s.Do == "lose") || s.Do == "phone" || s.Do == "deadline" || (do != "" && s.Do != do) {
			continue
		}
		s.seen++
		from, times := max(s.Nth, 1), max(s.Times, 1)
		if s.seen >= from {
			met = append(met, s)
			s.spent = s.seen == from+times-1
		}
	}
	return met
}

// write sends one write of the core, unless it is lost on the way there or back.
func (g *gate) write(ctx context.Context, w call.Write, send func(context.Context, call.Write) (call.Written, error)) (call.Written, error) {
	name := string(w.Entry.Kind)
	g.w.name(w.Row)
	g.w.asked(g.k, w)
	g.at(ctx, "before "+name, w.Row.ID)
	if err := g.w.ledgerDown(true); err != nil && !g.k.starting {
		return call.Written{}, err
	}
	if !g.k.starting {
		for _, s := range g.w.strikes("fail", name) {
			g.w.struck(s, w.Row.ID)
			return call.Written{}, errAnswerLost
		}
	}
	written, err := send(ctx, w)
	g.w.trace.add(g.k.name, map[bool]string{true: "applied", false: "not applied"}[err == nil && written.Applied], name)
	if (err == nil && written.Applied) || (err != nil && g.w.arrived(ctx, w)) {
		g.w.remember(w)
	}
	g.at(ctx, "after "+name, w.Row.ID)
	if !g.k.starting {
		for _, s := range g.w.strikes("lose", name) {
			g.w.struck(s, w.Row.ID)
			return call.Written{}, errAnswerLost
		}
	}
	return written, err
}

// arrived reports whether a write is in the ledger although the ledger itself has lost its answer.
func (w *World) arrived(ctx context.Context, write call.Write) bool {
	if w.store == nil {
		return false
	}
	c, err := w.store.Get(context.WithoutCancel(ctx), write.Row.ID)
	return err == nil && c.Head == write.Row.Head
}

// ledgerDown is nil while the ledger answers; a full disk fails writes only.
func (w *World) ledgerDown(writes bool) error {
	now := time.Now()
	switch {
	case now.Before(w.outage):
		return errOutage
	case writes && now.Before(w.diskFull):
		return errDiskFull
	}
	return nil
}

// gatedLedger is the ledger of a world in which everything can go wrong.
type gatedLedger struct {
	call.Ledger
	eraser call.Eraser
	gate   *gate
}

// gateLedger wraps a driver: first what is planted in it, then the gate.
func (w *World) gateLedger(l call.Ledger, g *gate) call.Ledger {
	eraser, _ := l.(call.Eraser)
	if plant := w.options.Plant.Ledger; plant != nil {
		l = plant(l)
	}
	if plant := w.options.Plant.Hinted; plant != nil {
		l = plant(w.hints, l)
	}
	if broken, ok := l.(call.Eraser); ok {
		eraser = broken
	}
	return gatedLedger{l, eraser, g}
}

// Create implements call.Ledger.
func (l gatedLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	return l.gate.write(ctx, w, l.Ledger.Create)
}

// Update implements call.Ledger.
func (l gatedLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return l.gate.write(ctx, w, l.Ledger.Update)
}

// Erase implements call.Eraser.
func (l gatedLedger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if c, err := l.Ledger.Get(ctx, w.Row.ID); err == nil {
		l.gate.w.erasing(c)
	}
	return l.gate.write(ctx, w, l.eraser.Erase)
}

// Scrub implements call.Eraser.
func (l gatedLedger) Scrub(ctx context.Context, recipient string, ids []string) error {
	l.gate.at(ctx, "before scrub", "")
	err := l.eraser.Scrub(ctx, recipient, ids)
	l.gate.at(ctx, "after scrub", "")
	return err
}

// Get implements call.Ledger.
func (l gatedLedger) Get(ctx context.Context, id string) (call.Call, error) {
	if err := l.gate.read(); err != nil {
		return call.Call{}, err
	}
	if !l.gate.k.starting {
		l.gate.w.jitter(ctx, "get", id) // what follows may ask for a slot or a search that only one of them gets
	}
	return l.Ledger.Get(ctx, id)
}

// Due implements call.Ledger.
func (l gatedLedger) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	if err := l.gate.read(); err != nil {
		return nil, err
	}
	return l.Ledger.Due(ctx, now, limit)
}

func (g *gate) read() error {
	if g.k.dead.Load() {
		panic(crashed{"read"})
	}
	if g.k.starting {
		return nil
	}
	return g.w.ledgerDown(false)
}

// gatedJournal is the journal of such a world.
type gatedJournal struct {
	call.Journal
	gate *gate
}

// Beat implements call.Journal.
func (j gatedJournal) Beat(ctx context.Context, at time.Time) error {
	j.gate.at(ctx, "before beat", "")
	if err := j.gate.w.ledgerDown(true); err != nil {
		return err
	}
	err := j.Journal.Beat(ctx, at)
	if err == nil {
		j.gate.w.beat = time.Now()
	}
	j.gate.at(ctx, "after beat", "")
	return err
}

// LastBeat implements call.Journal.
func (j gatedJournal) LastBeat(ctx context.Context) (time.Time, error) {
	if err := j.gate.read(); err != nil {
		return time.Time{}, err
	}
	return j.Journal.LastBeat(ctx)
}

// Note implements call.Journal.
func (j gatedJournal) Note(ctx context.Context, n call.Note) error {
	if err := j.gate.w.ledgerDown(true); err != nil {
		return err
	}
	return j.Journal.Note(ctx, n)
}
