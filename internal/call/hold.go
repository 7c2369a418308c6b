package call

import (
	"context"
	"time"
)

// hold says why nothing is dialed now, and until when; it waits for a pacing slot when that is short. Without a reason a slot was
// taken: who does not dial returns it.
func (e *Engine) hold(ctx context.Context, p Profile) (due time.Time, why string) {
	now := e.Clock.Now()
	if p.Paused {
		return now.Add(HeartbeatTime), "paused"
	}
	if until := e.pausedUntil(p); until.After(now) {
		return until, "setup"
	}
	patience := e.Patience
	if left, limited := e.timeLeft(ctx, now); limited {
		if left < e.DialTime {
			return now, "deadline"
		}
		patience = min(patience, left-e.DialTime)
	}
	wait, ok := e.Pacer.Reserve(p.bucket(), now, patience)
	if !ok {
		return now.Add(wait), "pacing"
	}
	if wait > 0 && e.Clock.Sleep(ctx, wait) != nil {
		e.Pacer.Return(p.bucket())
		return now.Add(wait), "pacing"
	}
	return time.Time{}, ""
}

// mustWait reports whether no pacing slot is free. A duplicate shall not wait for one, so the ledger is then asked first.
func (e *Engine) mustWait(p Profile) bool {
	wait, _ := e.Pacer.Reserve(p.bucket(), e.Clock.Now(), -1)
	return wait > 0
}

// timeLeft returns how long the context lasts. A deadline is an instant of the same clock as everything else.
func (e *Engine) timeLeft(ctx context.Context, now time.Time) (time.Duration, bool) {
	deadline, limited := ctx.Deadline()
	return deadline.Sub(now), limited
}

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

func (e *Engine) pausedUntil(p Profile) time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.paused[p.Name]
}
