package call

import (
	"context"
	"strings"
	"time"
)

// whyPacing is the reason of a call that waits for a pacing slot.
const whyPacing = "pacing"

// freshPass is how old the gate's word may be that a dial is made on: the process may have stood still since, or its ledger been slow.
const freshPass = 250 * time.Millisecond

// stalePass is how old a pass may be: what it took counts from when it was asked, and a ring that comes much later would be counted as an old one.
const stalePass = time.Minute

// slot is a pacing slot that was taken, with what the gate took for the same dial.
type slot struct {
	bucket string
	pace   PaceSlot
	row    Call // as the gate saw it
	ticket string
	over   []string // what did not keep the call, because it is urgent
}

// keeping says why nothing is dialed now. The zero value says that a dial may follow.
type keeping struct {
	due    time.Time
	why    string
	refuse error // never: the call is refused, or ends
}

func (k keeping) free() bool { return k.why == "" && k.refuse == nil }

// giveBack returns a slot that no dial will use.
func (e *Engine) giveBack(ctx context.Context, s slot) {
	e.Pacer.Return(s.bucket, s.pace, e.Clock.Now())
	e.returnPass(ctx, s)
}

// unused returns a slot of which no dial was made. If its attempt is in the ledger all the same, or may be, what the gate took stays taken: the dial that
// repeats the attempt takes nothing.
func (e *Engine) unused(ctx context.Context, s slot, opened bool) {
	if !opened {
		e.giveBack(ctx, s)
		return
	}
	e.Pacer.Return(s.bucket, s.pace, e.Clock.Now())
}

// mayBeWritten reports whether a write that failed may be in the ledger.
func mayBeWritten(err error) bool { return err != nil && CodeOf(err) == "" && !definite(err) }

// intentError is of the write of an attempt that may be in the ledger.
type intentError struct{ error }

func (e intentError) Unwrap() error { return e.error }

// keptFrom says why a call is not dialed now whatever the pace, and until when; else how long it may wait for a slot.
func (e *Engine) keptFrom(ctx context.Context, c Call, p Profile, now time.Time) (patience time.Duration, k keeping) {
	if p.Paused {
		return 0, keeping{due: c.parkUntil(now, leastParked), why: whyPaused}
	}
	if e.pausedUntil(p).After(now) {
		return 0, keeping{due: c.parkUntil(now, leastParked), why: whySetupPause}
	}
	left, limited := e.timeLeft(ctx, now)
	switch {
	case !limited:
		return e.patience(ctx), keeping{}
	case left < e.DialTime:
		return 0, keeping{due: now, why: "deadline"}
	}
	return min(e.patience(ctx), left-e.DialTime), keeping{}
}

type laneKey struct{}

// entry is how a row that a lane works on comes to its slot: it waits longer than a delivery would, and keeps the rows behind it from asking until it
// has got one.
type entry struct {
	patience time.Duration
	passed   func() // lets the next one ask; called again it does nothing
}

func withEntry(ctx context.Context, in *entry) context.Context {
	return context.WithValue(ctx, laneKey{}, in)
}

func entryOf(ctx context.Context) *entry {
	in, _ := ctx.Value(laneKey{}).(*entry)
	return in
}

func (e *Engine) patience(ctx context.Context) time.Duration {
	if in := entryOf(ctx); in != nil {
		return in.patience
	}
	return e.Patience
}

// enter ends what a lane does for a slot. gone says that another process has moved the row on while its slot was waited for: then the slot is for the
// row behind it.
func (e *Engine) enter(ctx context.Context, c Call, waited bool) (gone bool) {
	in := entryOf(ctx)
	if in == nil {
		return false
	}
	if waited {
		now, err := e.Ledger.Get(ctx, c.ID)
		if err == nil && now.Version != c.Version {
			return true
		}
	}
	in.passed()
	return false
}

// hold says why nothing is dialed now, and until when; it waits for a pacing slot when that is short. When nothing keeps the call, a slot was
// taken and the gate was passed: who does not dial gives both back.
func (e *Engine) hold(ctx context.Context, c Call, p Profile) (taken slot, k keeping) {
	now := e.Clock.Now()
	patience, k := e.keptFrom(ctx, c, p, now)
	if !k.free() {
		return slot{}, k
	}
	taken = slot{bucket: p.bucket(), row: c.towards(p)}
	asked := now
	if e.Gate != nil {
		if wait, _ := e.Pacer.Reserve(taken.bucket, now, -1); wait > patience { // nothing is taken that would be given back at once
			return slot{}, e.lineUp(c, taken.bucket, now, wait, patience)
		}
		if k = e.pass(ctx, &taken, p, now); !k.free() {
			return slot{}, k
		}
		now = e.Clock.Now()
	}
	wait, ok := e.Pacer.Reserve(taken.bucket, now, patience)
	if !ok {
		e.returnPass(ctx, taken)
		return slot{}, e.lineUp(c, taken.bucket, now, wait, patience)
	}
	taken.pace = PaceSlot{At: now, Wait: wait}
	if wait > 0 && e.Clock.Sleep(ctx, wait) != nil {
		e.giveBack(ctx, taken)
		return slot{}, keeping{due: now.Add(wait), why: whyPacing}
	}
	if e.enter(ctx, c, wait > 0) {
		e.giveBack(ctx, taken)
		return slot{}, keeping{due: now, why: whyPacing}
	}
	if wait > 0 || e.Clock.Now().Sub(asked) > freshPass { // an hour may have ended, or a pause begun
		if k = e.lookAtGate(ctx, c, p); k.free() && e.Clock.Now().Sub(asked) > stalePass {
			k = keeping{due: e.Clock.Now(), why: whyPacing}
		}
		if !k.free() {
			e.giveBack(ctx, taken)
			return slot{}, k
		}
	}
	return taken, keeping{}
}

// wouldHold says what hold would say now, and takes nothing. It is asked before a look for evidence, which may take seconds: a slot that is
// taken before it would be lost to others.
func (e *Engine) wouldHold(ctx context.Context, c Call, p Profile) keeping {
	now := e.Clock.Now()
	patience, k := e.keptFrom(ctx, c, p, now)
	if !k.free() {
		return k
	}
	if k = e.lookAtGate(ctx, c, p); !k.free() {
		return k
	}
	if wait, _ := e.Pacer.Reserve(p.bucket(), now, -1); wait > patience {
		return e.lineUp(c, p.bucket(), now, wait, patience)
	}
	return keeping{}
}

// wouldKeep says until when a call waits that is accepted now and dialed by the sweep. Of gate and pace nothing is taken but a place in line.
func (e *Engine) wouldKeep(ctx context.Context, c Call, p Profile) keeping {
	now := e.Clock.Now()
	patience, k := e.keptFrom(ctx, c, p, now)
	if !k.free() {
		return k
	}
	if k = e.lookAtGate(ctx, c, p); !k.free() {
		return k
	}
	return e.inLine(c, p, patience, now)
}

// holdNew is hold for a new call, which takes no slot from those that wait in line.
func (e *Engine) holdNew(ctx context.Context, c Call, p Profile) (taken slot, k keeping) {
	now := e.Clock.Now()
	patience, k := e.keptFrom(ctx, c, p, now)
	if !k.free() {
		return slot{}, k
	}
	wait, behind := e.behind(c, p, patience, now)
	if !behind {
		return e.hold(ctx, c, p)
	}
	if k = e.lookAtGate(ctx, c, p); !k.free() { // it refuses, or says more than the pace
		return slot{}, k
	}
	return slot{}, e.lineUp(c, p.bucket(), now, wait, patience)
}

// mustWait reports whether no pacing slot is free, or others wait for it. A duplicate shall not wait for one, nor take a place in line, so the ledger
// is then asked first.
func (e *Engine) mustWait(p Profile) bool {
	now := e.Clock.Now()
	if line, ok := e.Pacer.(LinePacer); ok && line.Ahead(p.bucket(), now) > 0 {
		return true
	}
	wait, _ := e.Pacer.Reserve(p.bucket(), now, -1)
	return wait > 0
}

// timeLeft returns how long the context lasts. A deadline is an instant of the same clock as everything else.
func (e *Engine) timeLeft(ctx context.Context, now time.Time) (time.Duration, bool) {
	deadline, limited := ctx.Deadline()
	return deadline.Sub(now), limited
}

// whyOver begins the reason of a dial that something did not keep, because the call is urgent.
const whyOver = "override: "

// reason returns the reason of an attempt: that of the look before it, and what it overrides.
func (s slot) reason(look Look) string {
	parts := []string{}
	if look != LookNone {
		parts = append(parts, string(look))
	}
	if len(s.over) > 0 {
		parts = append(parts, whyOver+strings.Join(s.over, ", "))
	}
	return strings.Join(parts, "; ")
}
