package sqspoll

import (
	"context"
	"errors"
	"slices"
	"time"
)

const (
	linger     = 50 * time.Millisecond // how long a deletion waits for others, so that one request carries more of them
	tries      = 5                     // of a deletion or a return
	firstRetry = 200 * time.Millisecond
	mostRetry  = 5 * time.Second
)

// errRefused stands for entries that SQS refused in an answer of its own.
var errRefused = errors.New("SQS refused an entry of the batch")

// settle deletes and returns what was worked on, until ctx ends.
func (p *Poller) settle(ctx context.Context) {
	for {
		select {
		case first := <-p.done:
			p.flush(ctx, p.gather(ctx, first))
		case <-ctx.Done():
			return
		}
	}
}

// gather waits a moment for more to settle together.
func (p *Poller) gather(ctx context.Context, first *item) []*item {
	items := []*item{first}
	over, end := context.WithCancel(ctx)
	defer end()
	go func() {
		defer end()
		_ = p.o.Clock.Sleep(over, linger)
	}()
	for len(items) < batch {
		select {
		case it := <-p.done:
			items = append(items, it)
		case <-over.Done():
			return items
		}
	}
	return items
}

// flush settles at most ten messages. Its tries are few: what is not deleted comes again, and is answered from its row.
func (p *Poller) flush(ctx context.Context, items []*item) {
	p.record(ctx, items)
	gone := slices.DeleteFunc(slices.Clone(items), func(it *item) bool { return !it.acknowledged })
	back := slices.DeleteFunc(slices.Clone(items), func(it *item) bool { return it.acknowledged })
	p.insist(ctx, gone, Deleted, DeleteFailed, func(items []*item) (Failed, error) {
		return p.o.Queue.Delete(ctx, p.handles(items))
	})
	p.insist(ctx, back, Returned, ExtendFailed, func(items []*item) (Failed, error) {
		changes := make([]Change, len(items))
		for i, handle := range p.handles(items) {
			changes[i] = Change{Handle: handle, For: min(items[i].again, p.longest(items[i]))}
		}
		p.changing.Lock()
		defer p.changing.Unlock()
		return p.o.Queue.Change(ctx, changes)
	})
}

// longest is how long a message may still be invisible, in whole seconds: SQS counts its twelve hours from the receipt, and refuses what is longer.
func (p *Poller) longest(it *item) time.Duration {
	return max(mostWait-p.o.Clock.Now().Sub(it.received)-time.Second, 0).Truncate(time.Second) // a second for the way there
}

// handles returns the newest handles.
func (p *Poller) handles(items []*item) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	handles := make([]string, len(items))
	for i, it := range items {
		handles[i] = it.Handle
	}
	return handles
}

// insist sends a batch until every entry of it is done, refused for good, or tried often enough. What needs no more tries is let go of at once: it must
// not be extended.
func (p *Poller) insist(ctx context.Context, items []*item, done, failed string, send func([]*item) (Failed, error)) {
	for try := 1; len(items) > 0; try++ {
		entries, err := send(items)
		var again []*item
		refused := 0
		for i, it := range items {
			f, bad := entries[i]
			switch {
			case err != nil || bad && !f.Final:
				again = append(again, it)
			case bad:
				refused++
				p.forget(it)
			default:
				p.forget(it)
			}
		}
		p.tell(done, len(items)-len(again)-refused, nil)
		p.tell(failed, refused, errRefused)
		if len(again) == 0 {
			return
		}
		if err == nil {
			err = errRefused
		}
		if try == tries || p.o.Clock.Sleep(ctx, p.jitter(firstRetry, mostRetry, try)) != nil {
			p.tell(failed, len(again), err)
			for _, it := range again {
				p.forget(it)
			}
			return
		}
		items = again
	}
}

func (p *Poller) tell(what string, n int, err error) {
	if n > 0 {
		p.o.Note(Note{What: what, Count: n, Err: err})
	}
}
