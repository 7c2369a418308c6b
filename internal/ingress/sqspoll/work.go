package sqspoll

import (
	"context"
	"time"
)

// work takes a message, and in a FIFO group what waits behind it, one after the other.
func (p *Poller) work(ctx context.Context, it *item) {
	for it != nil {
		it = p.one(ctx, it)
	}
}

// one takes a message and returns the next of its group.
func (p *Poller) one(ctx context.Context, it *item) *item {
	if !p.holds(it) {
		p.o.Note(Note{What: Lost, Count: 1})
		p.forget(it)
		return p.next(it, p.wait(it))
	}
	if ctx.Err() != nil { // the drain time is over
		p.leave(it, false, 0)
		return p.next(it, 0)
	}
	taken := p.o.Take(ctx, it.Document)
	it.acts = taken.Acts
	if taken.Acknowledged {
		next := p.after(it)
		p.leave(it, true, 0)
		return next
	}
	again := p.wait(it)
	if ctx.Err() != nil { // it was cut off, which says nothing against it
		again = 0
	}
	next := p.next(it, again)
	p.leave(it, false, again)
	return next
}

// wait returns the wait of a message until it comes again, in whole seconds and at least one.
func (p *Poller) wait(it *item) time.Duration {
	wait := p.jitter(p.o.BackOff, p.o.MaxBackOff, it.Receives)
	return max(wait.Truncate(time.Second)+time.Second, time.Second)
}

// holds reports whether nobody else can have received a message meanwhile, with a little time to spare.
func (p *Poller) holds(it *item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return it.expires.Sub(p.o.Clock.Now()) > min(lessAhead, p.o.Visibility/4)
}

// after returns the next message of the group of one that was acknowledged.
func (p *Poller) after(it *item) *item {
	if it.Group == "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := p.groups[it.Group]
	if len(waiting) == 0 {
		delete(p.groups, it.Group)
		return nil
	}
	p.groups[it.Group] = waiting[1:]
	return waiting[0]
}

// next ends a group behind a message that was not acknowledged: what waits becomes visible with it, so that the order holds.
func (p *Poller) next(it *item, again time.Duration) *item {
	if it.Group == "" {
		return nil
	}
	p.mu.Lock()
	waiting := p.groups[it.Group]
	delete(p.groups, it.Group)
	p.mu.Unlock()
	for _, other := range waiting {
		p.leave(other, false, again)
	}
	return nil
}

// leave decides the end of a message and hands it over to be settled.
func (p *Poller) leave(it *item, acknowledged bool, again time.Duration) {
	p.mu.Lock()
	it.leaving, it.acknowledged, it.again = true, acknowledged, again
	p.mu.Unlock()
	p.done <- it
}

// forget lets go of a message; its slot is free.
func (p *Poller) forget(it *item) {
	p.mu.Lock()
	delete(p.held, it.ID)
	p.mu.Unlock()
	p.settled.Done()
	p.free(1)
}
