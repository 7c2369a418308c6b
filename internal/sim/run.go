package sim

import (
	"context"
	"fmt"
	"time"
)

// run lets time pass as it does in production: the sources deliver on their own schedule, and a sweeper that runs takes what is due at every full
// minute. "run 3h".
func run(ctx context.Context, w *World, a Act) error {
	text, err := a.word(0)
	if err != nil {
		return err
	}
	d, err := parseSpan(text)
	if err != nil {
		return fmt.Errorf("how long: %w", err)
	}
	target := time.Now().Add(d)
	w.dialWaiting(ctx)
	for {
		at, more := w.net.Next()
		due := w.nextSweep()
		sweeps := w.sweeps() && !due.IsZero() && (!more || due.Before(at))
		if sweeps {
			at = due
		}
		if (!more && !sweeps) || at.After(target) {
			break
		}
		w.sleepUntil(ctx, at)
		if w.sweeps() { // also before a delivery: the last heartbeat is less than a minute old then
			w.act(ctx, do("sweep", w.turn().name))
		}
		if !sweeps {
			w.deliverDue(ctx)
		}
	}
	w.sleepUntil(ctx, target)
	return nil
}

// nextSweep returns the first full minute of the world at which a row is due, and later than now; zero when nothing waits.
func (w *World) nextSweep() time.Time {
	due := w.nextDue()
	if due.IsZero() {
		return due
	}
	if now := time.Now(); due.Before(now) {
		due = now
	}
	return w.began.Add(due.Sub(w.began).Truncate(time.Minute) + time.Minute)
}
