package sim

import (
	"context"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// forget is an operator who answers a request for erasure.
func forget(ctx context.Context, w *World, a Act) error {
	k, err := w.by(a, 0)
	if err != nil {
		return err
	}
	w.fault("operator", "")
	w.forget(ctx, k)
	return nil
}

func (w *World) forget(ctx context.Context, k *worker) (waiting int) {
	for _, who := range w.recipients() {
		left := w.forgetOne(ctx, k, who)
		if left < 0 {
			return left
		}
		waiting += left
	}
	return waiting
}

// recipients returns everybody for whom something was asked.
func (w *World) recipients() []string {
	all := []string{recipient}
	for _, s := range w.subjects {
		if who := s.key().RecipientID; !slices.Contains(all, who) {
			all = append(all, who)
		}
	}
	return all
}

func (w *World) forgetOne(ctx context.Context, k *worker, who string) (waiting int) {
	waiting = -1 // not known
	w.truth.forgets, w.truth.unscrubbed = true, true
	w.survive(k, func() {
		done, err := k.app.Engine.Forget(ctx, call.Forgetting{RecipientID: who, Actor: "ann", Reason: "request 7"})
		switch {
		case k.dead.Load():
			return
		case err != nil && w.calm:
			w.find("forget: %v", err)
			return
		case err != nil:
			w.mark("an erasure failed")
			return
		}
		waiting = len(done.Waiting)
		w.truth.unscrubbed = false
		if waiting > 0 {
			w.mark("a recipient waits to be forgotten")
		}
		if len(done.Erased) > 0 {
			w.mark("forgotten")
		}
	})
	return waiting
}

// forgetAtLast does so when everything has come to rest, until nothing waits; what is delivered afterwards meets forgotten calls.
func (w *World) forgetAtLast(ctx context.Context) {
	for tries := range 40 {
		if tries == 20 {
			if w.ahead < day {
				break
			}
			time.Sleep(w.ahead) // a call that a clock has dated so far ahead waits for its date
		}
		if w.forget(ctx, w.workers[0]) == 0 {
			for _, c := range w.rows() {
				if !c.IsForgotten() {
					w.find("%s is %s and was not forgotten", w.nameOf(c.ID), c.State)
				}
			}
			w.mark("forgotten at last")
			return
		}
		time.Sleep(time.Hour)
	}
	w.find("a recipient waits for ever to be forgotten")
}
