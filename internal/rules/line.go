package rules

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

var _ call.LinePacer = (*SharedPace)(nil)

// sharedLine is what this process knows of a line that all processes share. Whoever joins at the same time takes a place in the same write.
type sharedLine struct {
	mu   sync.Mutex
	here call.Line // of this process alone, and as long as the shared one was when it was joined last

	turn   chan struct{} // held while places are taken and given out; a channel, since others wait for a ledger meanwhile
	wanted atomic.Int64  // how many want a place and have none
	next   time.Time     // the turn of the first place that was taken and not given out
	left   int64         // such places
	known  call.Cell     // as this process wrote or saw the line last
}

// lineKept is how long the cell of a line is kept after its last turn.
const lineKept = time.Hour

// Join implements [call.LinePacer]. The line is shared where it is longer than patience; who waits no longer needs no place in it.
func (p *SharedPace) Join(name string, now time.Time, least, patience time.Duration) time.Duration {
	l := p.line(name)
	wait := l.joinHere(p.rate, now, least)
	if wait <= patience {
		return wait
	}
	turn, ok := p.place(l, name, now, wait)
	if !ok {
		return wait
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.here.Next = turn.Add(time.Duration(p.rate.Burst) * p.rate.Interval)
	return max(turn.Sub(now), wait)
}

func (l *sharedLine) joinHere(r call.Rate, now time.Time, least time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.here.Join(r, now, least, 1)
}

// place takes one place of the shared line. ok is false where its cell cannot be used.
func (p *SharedPace) place(l *sharedLine, name string, now time.Time, least time.Duration) (turn time.Time, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), paceTime)
	defer cancel()
	l.wanted.Add(1)
	select {
	case l.turn <- struct{}{}:
	case <-ctx.Done(): // the one that holds it waits for a ledger that does not answer
		l.wanted.Add(-1)
		return time.Time{}, false
	}
	defer func() { <-l.turn }()
	defer l.wanted.Add(-1)
	if l.left == 0 || l.next.Before(now) { // who wanted the places that are left may have given up
		n := l.wanted.Load()
		if !l.known.Expires.After(now) { // it may have been pruned, and made again
			l.known = call.Cell{Name: "pace/line/" + p.of + name}
		}
		l.left = 0 // places of a write that failed are nobody's
		next := now
		known, err := changeKnown(ctx, p.cells, l.known, func(line *call.Line) (bool, time.Time, error) {
			next = now.Add(line.Join(p.rate, now, least, int(n)))
			return true, line.Next.Add(lineKept), nil
		})
		l.known = known
		if err != nil {
			return time.Time{}, false
		}
		l.next, l.left = next, n
	}
	turn = l.next
	l.next = l.next.Add(p.rate.Interval)
	l.left--
	return turn, true
}

func (p *SharedPace) line(name string) *sharedLine {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.lines[name]
	if l == nil {
		l = &sharedLine{turn: make(chan struct{}, 1)}
		p.lines[name] = l
	}
	return l
}

// Rejoin implements [call.LinePacer]. The line of those whose turn has come is each process's own.
func (p *SharedPace) Rejoin(name string, now time.Time, least time.Duration) time.Duration {
	return p.alone.Rejoin(name, now, least)
}

// Ahead implements [call.LinePacer].
func (p *SharedPace) Ahead(name string, now time.Time) time.Duration {
	l := p.line(name)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.here.Ahead(p.rate, now)
}

// Interval implements [call.LinePacer].
func (p *SharedPace) Interval() time.Duration { return p.rate.Interval }
