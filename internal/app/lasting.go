package app

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// lastingKey marks the context of work whose dials outlast it.
type lastingKey struct{}

// lasting returns a context under which a dial that was begun is not cut off when the context ends: it would be in doubt, and everything around it
// only has to begin nothing more.
func lasting(ctx context.Context) context.Context { return context.WithValue(ctx, lastingKey{}, true) }

// lastingDialer waits for the answers of such dials, for as long as what runs may take after the end was asked for.
type lastingDialer struct {
	call.Dialer

	clock call.Clock
	drain time.Duration
}

// Dial implements call.Dialer.
func (d lastingDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	if lasts, _ := ctx.Value(lastingKey{}).(bool); !lasts || ctx.Err() != nil {
		return d.Dialer.Dial(ctx, s)
	}
	dial, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	defer context.AfterFunc(ctx, func() {
		if d.clock.Sleep(dial, d.drain) == nil {
			cut()
		}
	})()
	return d.Dialer.Dial(dial, s)
}
