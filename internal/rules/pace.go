package rules

import (
	"context"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// SharedPace is a [call.Pacer] whose buckets all processes on one ledger share: a cell each. A bucket whose cell cannot be used is paced by this
// process alone, since pacing protects a quota and no promise rests on it. It is safe for concurrent use.
type SharedPace struct {
	cells call.Cells
	of    string
	rate  call.Rate
	alone *call.Pace

	mu     sync.Mutex
	lines  map[string]*sharedLine
	clocks map[string]*call.PaceClock
	peeks  map[string]*peeks
}

// paceTime bounds how long the cell of a bucket or of a line may keep whoever asks: a dial, or a lane with all that waits in it.
const paceTime = 5 * time.Second

// NewSharedPace returns a pacer of perSecond requests of an operation with the given burst, over all processes. The operation tells the buckets
// of one pacer from those of another; that of dials is empty.
func NewSharedPace(cells call.Cells, operation string, perSecond float64, burst int) *SharedPace {
	return &SharedPace{
		cells: cells, of: operation, rate: call.NewRate(perSecond, burst), alone: call.NewPace(perSecond, burst),
		lines: map[string]*sharedLine{}, clocks: map[string]*call.PaceClock{}, peeks: map[string]*peeks{},
	}
}

func (p *SharedPace) cell(name string) string {
	if p.of != "" {
		name = p.of + "/" + name
	}
	return "pace/" + name
}

// Reserve implements [call.Pacer].
func (p *SharedPace) Reserve(name string, now time.Time, patience time.Duration) (wait time.Duration, ok bool) {
	ctx, cancel := context.WithTimeout(context.Background(), paceTime)
	defer cancel()
	clock := p.clock(name)
	if patience < 0 { // nothing is taken
		b, err := p.peeksOf(name).look(ctx, p.cells, p.cell(name))
		if err != nil {
			return p.alone.Reserve(name, now, patience)
		}
		return b.Reserve(p.rate, clock, now, patience)
	}
	err := changeCell(ctx, p.cells, p.cell(name), func(b *call.Bucket) (bool, time.Time, error) {
		wait, ok = b.Reserve(p.rate, clock, now, patience)
		return ok, time.Time{}, nil
	})
	if err != nil {
		return p.alone.Reserve(name, now, patience)
	}
	return wait, ok
}

// Return implements [call.Pacer].
func (p *SharedPace) Return(name string, taken call.PaceSlot, now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), paceTime)
	defer cancel()
	clock := p.clock(name)
	err := changeCell(ctx, p.cells, p.cell(name), func(b *call.Bucket) (bool, time.Time, error) {
		return b.Return(p.rate, clock, taken, now), time.Time{}, nil
	})
	if err != nil {
		p.alone.Return(name, taken, now)
	}
}

func (p *SharedPace) clock(name string) *call.PaceClock {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.clocks[name]
	if c == nil {
		c = &call.PaceClock{}
		p.clocks[name] = c
	}
	return c
}

func (p *SharedPace) peeksOf(name string) *peeks {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.peeks[name]
	if s == nil {
		s = newPeeks()
		p.peeks[name] = s
	}
	return s
}
