package call

import (
	"context"
	"time"
)

// slot is a pacing slot that was taken.
type slot struct {
	bucket string
	at     time.Time
}

// giveBack returns a slot that no dial will use.
func (e *Engine) giveBack(s slot) { e.Pacer.Return(s.bucket, s.at, e.Clock.Now()) }

// keptFrom says why a call is not dialed now whatever the pace, and until when; else how long it may wait for a slot.
func (e *Engine) keptFrom(ctx context.Context, c Call, p Profile, now time.Time) (patience time.Duration, due time.Time, why string) {
	if p.Paused {
		return 0, c.parkUntil(now, leastParked), whyPaused
	}
	if e.pausedUntil(p).After(now) {
		return 0, c.parkUntil(now, leastParked), whySetupPause
	}
	left, limited := e.timeLeft(ctx, now)
	switch {
	case !limited:
		return e.Patience, time.Time{}, ""
	case left < e.DialTime:
		return 0, now, "deadline"
	}
	return min(e.Patience, left-e.DialTime), time.Time{}, ""
}

// hold says why nothing is dialed now, and until when; it waits for a pacing slot when that is short. Without a reason a slot was
// taken: who does not dial gives it back.
func (e *Engine) hold(ctx context.Context, c Call, p Profile) (taken slot, due time.Time, why string) {
	now := e.Clock.Now()
	patience, due, why := e.keptFrom(ctx, c, p, now)
	if why != "" {
		return slot{}, due, why
	}
	wait, ok := e.Pacer.Reserve(p.bucket(), now, patience)
	if !ok {
		return slot{}, now.Add(wait), "pacing"
	}
	taken = slot{bucket: p.bucket(), at: now}
	if wait > 0 && e.Clock.Sleep(ctx, wait) != nil {
		e.giveBack(taken)
		return slot{}, now.Add(wait), "pacing"
	}
	return taken, time.Time{}, ""
}

// wouldHold says what hold would say now, and takes no slot. It is asked before a look for evidence, which may take seconds: a slot that is
// taken before it would be lost to others.
func (e *Engine) wouldHold(ctx context.Context, c Call, p Profile) (due time.Time, why string) {
	now := e.Clock.Now()
	patience, due, why := e.keptFrom(ctx, c, p, now)
	if why != "" {
		return due, why
	}
	if wait, _ := e.Pacer.Reserve(p.bucket(), now, -1); wait > patience {
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
