package sim

import (
	"cmp"
	"context"
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// What becomes of the hints of a life (call.Waker).
const (
	HintsNone     = "none" // none are given
	HintsAllLost  = "all-lost"
	HintsSomeLost = "some-lost" // or late, or early, or doubled
	HintsAllCome  = "all-come"
	HintsForged   = "forged" // as some-lost, and others come that nobody gave
	HintsEach     = "each"   // each life of a plan draws one of the four
)

// Lots lists what can become of hints that are given.
func Lots() []string { return []string{HintsAllLost, HintsSomeLost, HintsAllCome, HintsForged} }

// Hints is the service that hints go through, and what is known of them.
type Hints struct {
	w        *World
	way      []*onItsWay
	given    map[hintName]int // those of acts that no hint has caused
	sent     map[hintName]int // all
	answered map[string]time.Time
}

// hintName is what two hints have in common that ask for the same.
type hintName struct {
	row string
	due int64
}

// onItsWay is one copy of a hint.
type onItsWay struct {
	row      string
	due, at  time.Time // at: when it arrives
	received int
}

func newHints(w *World) *Hints {
	return &Hints{w: w, given: map[hintName]int{}, sent: map[hintName]int{}, answered: map[string]time.Time{}}
}

// Answered returns the due of a hint for a row, while a worker answers it.
func (h *Hints) Answered(row string) (due time.Time, now bool) {
	due, now = h.answered[row]
	return due, now
}

// Given reports whether a hint was given that the row is due then.
func (h *Hints) Given(row string, due time.Time) bool {
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	return h.given[hintName{row, due.UnixNano()}] > 0
}

// waker gives the hints of one worker.
type waker struct{ gate *gate }

// openWaker is the way of hints of a worker; nil in a world without.
func (w *World) openWaker(g *gate) app.OpenWaker {
	if w.Setting.Hints == HintsNone {
		return nil
	}
	return func(app.WakerRequest) (call.Waker, error) { return waker{g}, nil }
}

var errHint = errors.New("planted: the answer to a hint was lost")

// Wake implements call.Waker.
func (k waker) Wake(ctx context.Context, row string, due time.Time) error {
	w := k.gate.w
	k.gate.at(ctx, "before wake", row)
	w.hinted(row, due)
	for _, s := range w.strikes("fail", "wake") {
		w.struck(s, row)
		w.mark("hint failed")
		return errHint
	}
	w.hints.send(row, due)
	k.gate.at(ctx, "after wake", row)
	for _, s := range w.strikes("lose", "wake") {
		w.struck(s, row)
		w.mark("hint failed")
		return errHint
	}
	return nil
}

// send decides what becomes of a hint. That follows from the hint, so that a shorter life has the same luck with it.
func (h *Hints) send(row string, due time.Time) {
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	name, hash := hintName{row, due.UnixNano()}, fnv.New64a()
	h.sent[name]++
	_, _ = hash.Write(strconv.AppendInt([]byte(row), name.due, 10))
	_, _ = hash.Write(strconv.AppendInt(nil, int64(h.sent[name]), 10))
	luck := rand.New(rand.NewPCG(h.w.options.Seed, hash.Sum64())) //nolint:gosec // a life repeats itself from its seed
	come, late, again := h.w.Setting.Hints == HintsAllCome, time.Duration(0), false
	if h.w.Setting.Hints == HintsSomeLost || h.w.Setting.Hints == HintsForged {
		come, again = luck.Float64() < 0.6, luck.Float64() < 0.3
		late = []time.Duration{0, 0, time.Second, time.Minute, -time.Minute, 20 * time.Minute}[luck.IntN(6)]
	}
	if come {
		h.way = append(h.way, &onItsWay{row: row, due: due, at: due.Add(late)})
	}
	if come && again {
		h.way = append(h.way, &onItsWay{row: row, due: due, at: due.Add(late + time.Minute)})
	}
}

// mostHints is how many hints come in one batch.
const mostHints = 10

// next returns when the next hint arrives.
func (h *Hints) next() (at time.Time, more bool) {
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	for _, o := range h.way {
		if !more || o.at.Before(at) {
			at, more = o.at, true
		}
	}
	return at, more
}

// take returns the hints that have arrived, as many as fit into a batch.
func (h *Hints) take() (batch []*onItsWay) {
	h.w.mu.Lock()
	defer h.w.mu.Unlock()
	slices.SortStableFunc(h.way, func(a, b *onItsWay) int {
		return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.row, b.row), a.due.Compare(b.due))
	})
	now := time.Now()
	h.way = slices.DeleteFunc(h.way, func(o *onItsWay) bool {
		comes := !o.at.After(now) && h.fits(batch, o)
		if comes {
			batch = append(batch, o)
		}
		return comes
	})
	return batch
}

// fits reports whether a hint may be in one batch with others. Two of one row that are worked on side by side would do the same at the same instant,
// in an order that is not the seed's.
func (h *Hints) fits(batch []*onItsWay, o *onItsWay) bool {
	twice := func(other *onItsWay) bool { return other.row == o.row }
	return len(batch) < mostHints && (h.w.Setting.Serial || !slices.ContainsFunc(batch, twice))
}
