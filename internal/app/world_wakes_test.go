package app_test

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/wake/awsscheduler"
)

// onItsWay is one copy of a hint.
type onItsWay struct {
	id       string
	due, at  time.Time // at: when it arrives
	received int
}

// hints is the service that hints go through in a world that has one. It has randomness of its own.
type hints struct {
	rng     *rand.Rand
	lot     string // what becomes of hints in this seed
	way     []*onItsWay
	given   map[string]int // by row and due, those of acts that no hint has caused
	taken   bool           // a hint is being answered
	pretend map[string]time.Time
}

// lots are what becomes of all hints of a seed.
func lots() []string { return []string{"all lost", "some lost", "all come", "forged"} }

var errHint = errors.New("planted: the answer to a hint was lost")

func newHints(seed uint64, lot string) *hints {
	rng := rand.New(newSource(seed, 4))
	return &hints{rng: rng, lot: cmp.Or(lot, lots()[rng.IntN(len(lots()))]), given: map[string]int{}, pretend: map[string]time.Time{}}
}

func (h *hints) chance(p float64) bool { return h.rng.Float64() < p }

// waker gives the hints of one worker.
type waker struct {
	w *world
	g *gate
}

// Wake implements call.Waker.
func (k waker) Wake(_ context.Context, id string, due time.Time) error {
	w, h := k.w, k.w.hints
	k.g.at("before wake")
	w.hinted(id, due)
	w.mu.Lock()
	come, late, again, failed := h.lot == "all come", time.Duration(0), false, false
	if h.lot == "some lost" || h.lot == "forged" {
		come, again = h.chance(0.6), h.chance(0.3)
		late = []time.Duration{0, 0, time.Second, time.Minute, -time.Minute, 20 * time.Minute}[h.rng.IntN(6)]
		failed = !w.calm && h.chance(0.15) // applied or not
	}
	if come {
		h.way = append(h.way, &onItsWay{id: id, due: due, at: due.Add(late)})
		if again {
			h.way = append(h.way, &onItsWay{id: id, due: due, at: due.Add(late + time.Minute)})
		}
	}
	w.mu.Unlock()
	k.g.at("after wake")
	if failed {
		w.mark("hint failed")
		return errHint
	}
	return nil
}

// openWaker is the way of hints of a worker.
func (w *world) openWaker(g *gate) app.OpenWaker {
	if !w.wakes {
		return nil
	}
	return func(app.WakerRequest) (call.Waker, error) { return waker{w, g}, nil }
}

// forge puts hints on their way that nobody gave: for rows that exist and for others, for any time.
func (w *world) forge(ctx context.Context) {
	h := w.hints
	rows := w.rows(ctx)
	for range h.rng.IntN(6) {
		id := "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
		due := time.Now().Add([]time.Duration{0, -time.Hour, time.Hour, -10 * day}[h.rng.IntN(4)])
		if len(rows) > 0 && h.chance(0.9) {
			row := rows[h.rng.IntN(len(rows))]
			id = row.ID
			if h.chance(0.3) {
				due = row.DueAt()
			}
		}
		w.mark("hint forged")
		h.way = append(h.way, &onItsWay{id: id, due: due, at: time.Now()})
	}
}

// wake delivers the hints that have come, in one batch to one worker.
func (w *world) wake(ctx context.Context) {
	if !w.wakes {
		return
	}
	h := w.hints
	if h.lot == "forged" && h.chance(0.5) {
		w.forge(ctx)
	}
	var batch []*onItsWay
	h.way = slices.DeleteFunc(h.way, func(o *onItsWay) bool {
		comes := len(batch) < 10 && !o.at.After(time.Now())
		if comes {
			batch = append(batch, o)
		}
		return comes
	})
	if len(batch) > 0 {
		w.handleHints(ctx, w.workers[h.rng.IntN(len(w.workers))], batch)
	}
}

func (w *world) handleHints(ctx context.Context, k *worker, batch []*onItsWay) {
	var records []object
	for _, o := range batch {
		text, err := awsscheduler.Document(o.id, o.due)
		if err != nil {
			panic(err)
		}
		m := &message{id: w.nextID(), form: "sqs", hint: text}
		records = append(records, m.record(time.Now()))
		w.hints.pretend[o.id] = o.due
	}
	w.hints.taken = true
	defer func() { w.hints.taken, w.hints.pretend = false, map[string]time.Time{} }()
	returned := batch
	w.survive(k, func() {
		report, err := k.app.Handler.Process(ctx, []byte(object{"Records": records}.text()))
		if k.dead {
			return
		}
		if err != nil || len(report.Results) != len(batch) {
			w.find("%d hints came back as %d results: %v", len(batch), len(report.Results), err)
			return
		}
		returned = nil
		for i, result := range report.Results {
			switch {
			case result.Outcome.Met != call.MetIgnored && result.Outcome.Met != call.MetUnavailable:
				w.find("a hint met %s", result.Outcome.Met)
			case !result.Acknowledged():
				returned = append(returned, batch[i])
			}
		}
	})
	for _, o := range returned {
		if o.received++; o.received < 3 {
			o.at = time.Now().Add(30 * time.Second)
			w.hints.way = append(w.hints.way, o)
		}
	}
}
