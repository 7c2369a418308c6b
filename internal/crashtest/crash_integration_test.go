//go:build integration

package crashtest

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The variables of `make crash`.
const (
	killsVariable  = "RINGONCE_CRASH_KILLS"  // at least so many; default 320
	seedVariable   = "RINGONCE_CRASH_SEED"   // default 1
	pointsVariable = "RINGONCE_CRASH_POINTS" // of a run that failed: exactly these, in their order
)

// killsOfWorld is how many kills one world takes, so that a long run is many worlds with seeds of their own.
const killsOfWorld = 320

// TestKilledAtEveryEffectEachRequestRingsOnce kills the shipped binary and the victims, and judges afterwards.
func TestKilledAtEveryEffectEachRequestRingsOnce(t *testing.T) {
	t.Parallel()
	kills, seed := number(t, killsVariable, killsOfWorld), number(t, seedVariable, 1)
	shipped := build(t)
	points := repeated(t)
	for ; kills > 0; kills, seed = kills-killsOfWorld, seed+1 {
		begun, n := time.Now(), min(kills, killsOfWorld)
		w := newWorld(t, setting{seed: uint64(seed), shipped: shipped, pacing: "{per_second: 200, burst: 8, patience: 0s}", faults: lossy, refuse: true})
		w.rounds(n, slices.Clone(points))
		for _, found := range w.verdict() {
			t.Error(found)
		}
		if points == nil && n == killsOfWorld {
			w.covered()
		}
		w.figures()
		t.Logf("%s, which is %s a kill", time.Since(begun).Round(time.Second), (time.Since(begun) / time.Duration(len(w.kills))).Round(time.Millisecond))
		if t.Failed() {
			t.Fatalf("repeat it, as far as real processes allow, with\n  %s='%s' make crash KILLS=%d SEED=%d\nthe last process said: %s", pointsVariable, list(w.drawn), n, seed, w.last)
		}
	}
}

// TestKilledWhileItsLedgerIsMade kills the shipped binary at ever later moments of its first start. What is half made must be finished by the next one.
func TestKilledWhileItsLedgerIsMade(t *testing.T) {
	t.Parallel()
	shipped := build(t)
	for at := 6 * time.Millisecond; at < 60*time.Millisecond; at += 4 * time.Millisecond {
		w := newWorld(t, setting{seed: 21, shipped: shipped, pacing: "{per_second: 200, burst: 8, patience: 0s}"})
		w.publish(1, kindPlain)
		w.life(true, point{at: at})
		w.settle()
		for _, found := range w.verdict() {
			t.Errorf("killed after %s: %s", at, found)
		}
	}
}

// rounds kills the shipped binary on the machine's time, then victims on a clock that runs ahead; then everything comes to an end, windows pass,
// and victims are killed while keys are asked for again. A whole run ends with the chapters.
func (w *world) rounds(kills int, points []point) {
	next := func(names []string) point {
		if len(points) > 0 {
			p := points[0]
			points = points[1:]
			return p
		}
		return w.choose(names)
	}
	free, whole := points == nil, kills == killsOfWorld
	if whole {
		kills -= killsOfChapters
	}
	all := append(outsidePoints(), mixedPoints()...)
	early := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return needs(name) == reopenings })
	for range kills / 4 {
		w.live(true, next(outsidePoints()))
	}
	for len(w.kills) < kills*5/8 {
		w.live(false, next(early))
	}
	w.settle()
	w.pass(2 * window)
	w.reopenable = len(w.subjects)
	for len(w.kills) < kills || len(points) > 0 {
		w.live(false, next(all))
	}
	if free && whole {
		w.complete()
	}
	w.settle()
	w.drawn = slices.Clone(w.kills)
	if whole {
		w.chapters()
	}
}

// live is a life with its load, and some time after it where time can be moved.
func (w *world) live(shipped bool, p point) {
	w.load(p)
	w.life(shipped, p)
	if !shipped {
		w.pass(w.jump())
	}
}

// complete tries again, a bounded number of times, the points at which no process has died: on a busy machine some are not passed in time, so the later
// tries are patient ones.
func (w *world) complete() {
	defer func() { w.patient = false }()
	for try := range 8 {
		w.patient = try >= 3
		for _, name := range mixedPoints() {
			if w.hits[name] > 0 {
				continue
			}
			if needs(name) == openAttempts {
				w.live(false, point{name: []string{pointRequestCut, pointRequestSent}[w.chance.IntN(2)], nth: 1})
			}
			w.live(false, point{name: name, nth: 1})
		}
	}
}

// jump is how far the clock runs ahead between two lives: not at all, past a lease, or past the wait of a retry.
func (w *world) jump() time.Duration {
	switch w.rng.IntN(4) {
	case 0:
		return pastLease
	case 1:
		return time.Duration(w.rng.IntN(300)) * time.Second
	}
	return time.Duration(w.rng.IntN(5)) * time.Second
}

// covered reports points at which no process died.
func (w *world) covered() {
	if n := len(w.kills) - len(w.drawn); n != killsOfChapters {
		w.t.Errorf("the chapters took %d kills and not %d", n, killsOfChapters)
	}
	for _, name := range append(outsidePoints(), insidePoints()...) {
		if w.hits[name] == 0 {
			w.t.Errorf("no process died at %q, in %d tries", name, w.missed[name])
		}
	}
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	value := os.Getenv(variable)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		t.Fatalf("%s is %q and no positive number", variable, value)
	}
	return n
}

// repeated returns the points of a run that failed; nil when none is to be repeated.
func repeated(t *testing.T) []point {
	t.Helper()
	var points []point
	for text := range strings.SplitSeq(os.Getenv(pointsVariable), ";") {
		if text == "" {
			continue
		}
		p, err := parsePoint(text)
		if err != nil {
			t.Fatal(err)
		}
		points = append(points, p)
	}
	return points
}

func list(points []point) string {
	texts := make([]string, len(points))
	for i, p := range points {
		texts[i] = fmt.Sprint(p)
	}
	return strings.Join(texts, ";")
}
