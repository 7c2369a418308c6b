package call

import (
	"context"
	"time"
)

// pause holds a profile whose setup was refused, so that one bad credential cannot burn a queue.
func (e *Engine) pause(ctx context.Context, p Profile, until time.Time, code Code) {
	e.mu.Lock()
	was := e.paused[p.Name]
	if until.After(was) {
		e.paused[p.Name] = until
	}
	e.mu.Unlock()
	if now := e.Clock.Now(); !was.After(now) {
		e.Observer.Decided(ctx, Decided{What: "paused", Code: code, Reason: "profile " + p.Name, Alarm: true})
	}
}

// unpause ends the pause of a profile whose setup was accepted.
func (e *Engine) unpause(p Profile) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.paused, p.Name)
}

func (e *Engine) pausedUntil(p Profile) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.paused[p.Name]
}
