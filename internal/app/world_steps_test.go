package app_test

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// play lives one seed: a stretch in which everything goes wrong, then a calm in which everything must come to its end.
func (w *world) play(ctx context.Context) {
	for i := range 2 + w.rng.IntN(3) {
		s := &subject{name: fmt.Sprintf("notification-%d", i), number: number(10*i + 1), profile: pick(w, "", "", "alert")}
		if i > 0 && w.chance(0.2) {
			s.name, s.recall = w.subjects[0].name, fmt.Sprintf("recall-%d", i)
		}
		if w.chance(0.1) {
			s.number = number(10*i + 98 - 10*i%10) // a number that is not allowed
		}
		w.subjects = append(w.subjects, s)
	}
	for range 14 + w.rng.IntN(24) {
		w.step(ctx)
		w.wake(ctx)
	}
	w.settle(ctx)
	w.judge(ctx)
	w.ctx = ctx
	w.tellStory()
	for _, k := range w.workers {
		if err := k.app.Close(); err != nil {
			w.find("close: %v", err)
		}
	}
	w.emu.Close()
}

func number(n int) string { return fmt.Sprintf("+81900000%04d", n) }

// step does one random thing.
func (w *world) step(ctx context.Context) {
	k := pick(w, w.workers...)
	if w.forgets && w.chance(0.06) {
		w.forget(ctx, k)
		return
	}
	switch n := w.rng.IntN(100); {
	case n < 26:
		w.publish()
		w.deliver(ctx, k)
	case n < 46:
		w.deliver(ctx, k)
	case n < 53:
		w.publishCancel()
		w.deliver(ctx, k)
	case n < 75:
		w.pass(ctx, w.stretch())
	case n < 80:
		w.recall(ctx, k)
	case n < 86:
		w.redriveOrReplay()
	case n < 90:
		w.driftOrStep(k)
	case n < 93:
		w.contactEvent(ctx, k)
	case n < 96 && w.serial && !w.truth.restored && w.truth.backup == nil:
		w.backUp()
	case n < 99 && w.truth.backup != nil && !w.truth.restored:
		w.restore(ctx)
	default:
		w.sweep(ctx, k)
	}
}

func (w *world) stretch() time.Duration {
	unit := pick(w, time.Second, time.Second, time.Minute, time.Minute, time.Hour, time.Hour, day, 10*day)
	if w.chance(0.02) {
		return 400 * day
	}
	return time.Duration(1+w.rng.IntN(40)) * unit / 2
}

// pass lets time pass; a sweeper that runs takes each row when it is due.
func (w *world) pass(ctx context.Context, d time.Duration) {
	target := time.Now().Add(d)
	w.passHints(ctx, target)
	for range 40 {
		due := w.nextDue(ctx)
		if !w.sweeper || due.IsZero() || due.After(target) {
			break
		}
		if wait := time.Until(due); wait > 0 {
			time.Sleep(wait)
		}
		time.Sleep(time.Duration(1+w.rng.IntN(50)) * time.Second)
		w.sweep(ctx, pick(w, w.workers...))
	}
	if wait := time.Until(target); wait > 0 {
		time.Sleep(wait)
	}
	if w.sweeper && w.chance(0.8) {
		w.sweep(ctx, pick(w, w.workers...))
	}
}

func (w *world) nextDue(ctx context.Context) (due time.Time) {
	for _, c := range w.rows(ctx) {
		if at := c.DueAt(); !at.IsZero() && (due.IsZero() || at.Before(due)) {
			due = at
		}
	}
	return due
}

func (w *world) sweep(ctx context.Context, k *worker) {
	if !w.sweeper && !w.truth.quiet {
		return
	}
	w.survive(k, func() {
		if _, err := k.app.Engine.Sweep(ctx, 50); err != nil && !k.dead {
			w.find("sweep: %v", err)
		}
	})
}

func (w *world) driftOrStep(k *worker) {
	if w.chance(0.4) {
		k.mu.Lock()
		k.skew = pick(w, 0, 0, 0, 3*time.Second, -3*time.Second, 4*time.Minute, -4*time.Minute, 7*time.Minute)
		k.mu.Unlock()
		w.mark("clock step")
		return
	}
	k.drift = pick(w, "", "", "flow", "lost flow", "profile removed", "paused")
	w.mark("drift " + k.drift)
	w.restart(k)
}

// recall is an operator, perhaps with a nervous finger or a colleague.
func (w *world) recall(ctx context.Context, k *worker) {
	rows := w.rows(ctx)
	if len(rows) == 0 {
		return
	}
	seen := pick(w, rows...)
	id := seen.ID
	w.truth.recalled[w.asItWas(seen).Key] = true
	clicks := 1 + w.rng.IntN(2)
	if clicks == 2 {
		w.mark("double click")
	}
	for range clicks {
		w.survive(k, func() {
			out := k.app.Engine.Recall(ctx, id, call.Recall{Actor: "ann", Reason: "again, says the one at " + seen.Destination})
			if out.Call.ID != "" && !k.dead {
				w.mark("re-call")
			}
		})
		k = pick(w, w.workers...)
	}
}

func (w *world) contactEvent(ctx context.Context, k *worker) {
	contacts := w.emu.Contacts()
	if len(contacts) == 0 {
		return
	}
	id := pick(w, contacts...).ID
	w.survive(k, func() {
		report, err := k.app.Handler.Process(ctx, contactEvent(w.nextID(), id, time.Now().UTC()))
		if err != nil {
			w.find("contact event: %v", err)
			return
		}
		w.mark("met " + string(report.Results[0].Outcome.Met))
	})
}

// interfere is another worker, or another invocation of the same one, in the middle of an effect.
func (w *world) interfere(k *worker) {
	other := pick(w, w.workers...)
	ctx := context.Background()
	w.survive(other, func() {
		switch w.rng.IntN(4) {
		case 0:
			time.Sleep(pick(w, time.Second, 40*time.Second, 90*time.Second))
		case 1:
			w.publishCancel()
		case 2:
			w.publish()
		default:
			w.sweep(ctx, other)
			return
		}
		w.deliver(ctx, other)
	})
	if other.dead && other != k {
		w.restart(other)
	}
}
