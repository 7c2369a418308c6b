package crashtest

import (
	"slices"
	"time"
)

const (
	quiet    = 40 * time.Millisecond   // without traffic a life has nothing more to do
	longLife = 1500 * time.Millisecond // since it was first heard; it ends then in any case
	startUp  = 40 * time.Second        // a process that is not heard for so long does not start
)

// life starts a process, lets it serve the queue, and kills it: at the point, or when it has nothing more to do.
func (w *world) life(shipped bool, p point) (reached bool) {
	outside := slices.Contains(outsidePoints(), p.name)
	w.mu.Lock()
	w.armed, w.passed = point{}, 0
	if outside {
		w.armed = p
	}
	w.mu.Unlock()
	inside := p
	if outside {
		inside = point{}
	}
	w.queue.touch()
	victim := w.serve(shipped, inside)
	reached = w.await(victim, p)
	if !victim.killed() {
		w.find("a process ended by itself at %s (%s): %s", p, victim.cmd.ProcessState, victim.log)
	}
	w.last = victim.log.String()
	w.queue.lapse()
	w.kills = append(w.kills, p)
	switch {
	case reached && p.name == "":
		w.hits["at a random time"]++
	case reached:
		w.hits[p.name]++
	default:
		w.hits["with nothing left to do"]++
		if p.name != "" {
			w.missed[p.name]++
		}
	}
	return reached
}

// dies is a life that must end at its point, however slow the machine is.
func (w *world) dies(name string, nth int64) {
	w.t.Helper()
	w.patient = true
	defer func() { w.patient = false }()
	if !w.life(false, point{name: name, nth: nth}) {
		w.t.Fatalf("no process died at %s: %s", name, w.last)
	}
}

// serve starts a process that serves the queue. The Runtime API hears nobody before it knows who is running.
func (w *world) serve(shipped bool, p point) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.heard = time.Time{}
	w.running = w.launch(shipped, p, "lambda-runtime")
	return w.running
}

// heardAt returns when the process first asked for a document; zero when it has not yet.
func (w *world) heardAt() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.heard
}

// await returns when the process has ended, and says whether that was at its point.
func (w *world) await(victim *process, p point) (reached bool) {
	var random <-chan time.Time
	if p.name == "" {
		random = time.After(p.at)
	}
	begun := time.Now()
	look := time.NewTicker(4 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-victim.done:
			return true
		case <-random:
			victim.kill()
			return true
		case <-look.C:
			if p.name != "" && w.over(begun) {
				victim.kill()
				return false
			}
		}
	}
}

// over reports whether a life has nothing more to do, or has lasted long enough.
func (w *world) over(begun time.Time) bool {
	rest, longest := quiet, longLife
	if w.patient {
		rest, longest = 20*quiet, startUp
	}
	heard := w.heardAt()
	if heard.IsZero() {
		return time.Since(begun) > startUp
	}
	return (time.Since(heard) > rest && w.queue.idle(rest)) || time.Since(heard) > longest
}

// choose draws the next point: the one that was died at least, or now and then a random time. A point that needs a call whose fate is open comes
// after a kill that leaves one.
func (w *world) choose(names []string) point {
	if w.planned != "" {
		name := w.planned
		w.planned = ""
		return point{name: name, nth: 1}
	}
	if w.chance.IntN(6) == 0 {
		return point{at: time.Duration(5+w.chance.IntN(75)) * time.Millisecond}
	}
	best, least := "", 0
	for _, i := range w.chance.Perm(len(names)) {
		if n := 3*w.hits[names[i]] + 2*w.missed[names[i]]; best == "" || n < least {
			best, least = names[i], n
		}
	}
	if needs(best) == openAttempts {
		w.planned = best
		return point{name: []string{pointRequestCut, pointRequestSent}[w.chance.IntN(2)], nth: 1 + w.chance.Int64N(4)}
	}
	nth := int64(1)
	if needs(best) == nothing && w.missed[best] == 0 {
		nth += w.chance.Int64N(3)
	}
	return point{name: best, nth: nth}
}
