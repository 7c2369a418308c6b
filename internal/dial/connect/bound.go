package connect

import (
	"context"
	"errors"
)

// errTimeLimit is the cause of a context that the dialer's own time limit ended.
var errTimeLimit = errors.New("the time limit of the dialer has passed")

// bound ends the context when the time limit has passed on the injected clock: a virtual clock that is moved by a day ends a
// dial that hangs, as a day of waiting would. The function that it returns must be called; when it comes back, no goroutine of
// this call is left.
func (d *Dialer) bound(parent context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(parent)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if d.options.Clock.Sleep(ctx, d.options.Timeout) == nil {
			cancel(errTimeLimit)
		}
	}()
	return ctx, func() {
		cancel(context.Canceled)
		<-done
	}
}
