package sqspoll

import (
	"context"
	"slices"
	"strings"
)

// extend keeps messages invisible for as long as they are held, also those whose deletion is waited for or tried again: it looks three times in the length of a visibility, and extends what has less
// than two thirds of it left, so that one extension may fail.
func (p *Poller) extend(ctx context.Context) {
	for p.o.Clock.Sleep(ctx, p.o.Visibility/3) == nil {
		p.extendOnce(ctx)
	}
}

func (p *Poller) extendOnce(ctx context.Context) {
	p.changing.Lock()
	defer p.changing.Unlock()
	for part := range slices.Chunk(p.aging(), batch) {
		now := p.o.Clock.Now()
		changes := make([]Change, len(part))
		for i, handle := range p.handles(part) {
			changes[i] = Change{Handle: handle, For: p.o.Visibility}
		}
		failed, err := p.o.Queue.Change(ctx, changes)
		if err != nil {
			p.tell(ExtendFailed, len(part), err)
			continue
		}
		p.tell(ExtendFailed, len(failed), errRefused)
		p.mu.Lock()
		for i, it := range part {
			if _, bad := failed[i]; !bad {
				it.expires = now.Add(p.o.Visibility)
			}
		}
		p.mu.Unlock()
	}
}

// aging returns the messages to extend, in a fixed order.
func (p *Poller) aging() []*item {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.o.Clock.Now()
	var aging []*item
	for _, it := range p.held {
		young := it.expires.Sub(now) > p.o.Visibility*2/3
		if (!it.leaving || it.acknowledged) && !young && now.Add(p.o.Visibility).Sub(it.received) < mostWait {
			aging = append(aging, it)
		}
	}
	slices.SortFunc(aging, func(a, b *item) int { return strings.Compare(a.ID, b.ID) })
	return aging
}
