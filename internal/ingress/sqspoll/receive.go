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
		messages, err := p.o.Queue.Receive(ctx, n, p.o.poll(), p.o.Visibility)
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

// take starts messages. All of them are known before any starts: a first of its group that ends at once has to meet what waits behind it.
func (p *Poller) take(ctx, work context.Context, messages []Message, began time.Time) {
	heads, back := p.enroll(messages, began, ctx.Err() != nil)
	for _, it := range back {
		p.working.Go(func() { p.leave(it.item, false, it.again) })
	}
	for _, it := range heads {
		p.working.Go(func() { p.work(work, it) })
	}
}

// returning is a message that is not worked on, and its wait until it comes again.
type returning struct {
	*item

	again time.Duration
}

// enroll notes what was received and returns what can start at once and what goes back at once. One that is held already was delivered twice: its
// newest handle is the one that works. Where such a one goes back, what the same request brought behind it in its group goes back with it.
func (p *Poller) enroll(messages []Message, began time.Time, ending bool) (heads []*item, back []returning) {
	p.mu.Lock()
	defer p.mu.Unlock()
	broken := map[string]time.Duration{}
	for _, m := range messages {
		if known, again := p.held[m.ID]; again {
			known.Handle, known.received, known.expires = m.Handle, began, began.Add(p.o.Visibility)
			if known.leaving && !known.acknowledged && m.Group != "" {
				broken[m.Group] = known.again
			}
			p.free(1)
			continue
		}
		it := &item{Message: m, received: began, expires: began.Add(p.o.Visibility)}
		p.held[m.ID] = it
		p.settled.Add(1)
		again, follows := broken[m.Group]
		if ending || follows {
			back = append(back, returning{it, again})
			continue
		}
		if m.Group != "" {
			waiting, waits := p.groups[m.Group]
			if waits {
				p.groups[m.Group] = append(waiting, it)
				continue
			}
			p.groups[m.Group] = nil
		}
		heads = append(heads, it)
	}
	return heads, back
}
