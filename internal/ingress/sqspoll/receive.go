package sqspoll

import (
	"context"
	"math"
	"time"
)

// The waits after receives that failed.
const (
	firstPause = time.Second
	mostPause  = time.Minute
)

// receive receives until ctx ends. What is received is worked on within work. A request that ends with ctx may have made messages invisible
// whose names never came: they are visible again when their time is over, and others wait that long for them.
func (p *Poller) receive(ctx, work context.Context) {
	failures := 0
	for {
		n := p.acquire(ctx)
		if n == 0 {
			return
		}
		began := p.o.Clock.Now()
		messages, err := p.o.Queue.Receive(ctx, n, longPoll, p.o.Visibility)
		p.free(n - len(messages))
		if len(messages) > 0 {
			p.o.Note(Note{What: Received, Count: len(messages)})
			p.take(ctx, work, messages, began)
		}
		if err == nil {
			failures = 0
			continue
		}
		if ctx.Err() != nil {
			return
		}
		p.o.Note(Note{What: ReceiveFailed, Count: 1, Err: err})
		failures++
		if p.o.Clock.Sleep(ctx, p.jitter(firstPause, mostPause, failures)) != nil {
			return
		}
	}
}

// jitter returns a wait from zero to base doubled with each try, at most the limit: full jitter, so that what failed together does not come
// together again (Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog).
func (p *Poller) jitter(base, limit time.Duration, try int) time.Duration {
	ceiling := min(float64(limit), float64(base)*math.Pow(2, float64(max(try, 1)-1)))
	return time.Duration(p.o.Random() * ceiling)
}

// acquire waits for a slot and takes those that are free, as many as one request can fill; none when ctx ended.
func (p *Poller) acquire(ctx context.Context) int {
	select {
	case p.slots <- struct{}{}:
	case <-ctx.Done():
		return 0
	}
	if ctx.Err() != nil {
		p.free(1)
		return 0
	}
	for n := 1; n < batch; n++ {
		select {
		case p.slots <- struct{}{}:
		default:
			return n
		}
	}
	return batch
}

func (p *Poller) free(n int) {
	for range n {
		<-p.slots
	}
}

// take starts messages. One that is held already was delivered twice: its newest handle is the one that works.
func (p *Poller) take(ctx, work context.Context, messages []Message, began time.Time) {
	for _, m := range messages {
		p.mu.Lock()
		if known, again := p.held[m.ID]; again {
			known.Handle, known.received, known.expires = m.Handle, began, began.Add(p.o.Visibility)
			p.mu.Unlock()
			p.free(1)
			continue
		}
		it := &item{Message: m, received: began, expires: began.Add(p.o.Visibility)}
		p.held[m.ID] = it
		p.settled.Add(1)
		waits := false
		if m.Group != "" && ctx.Err() == nil {
			var waiting []*item
			if waiting, waits = p.groups[m.Group]; waits {
				p.groups[m.Group] = append(waiting, it)
			} else {
				p.groups[m.Group] = nil
			}
		}
		p.mu.Unlock()
		switch {
		case ctx.Err() != nil && !waits:
			p.working.Go(func() { p.leaveGroup(it) })
		case !waits:
			p.working.Go(func() { p.work(work, it) })
		}
	}
}
