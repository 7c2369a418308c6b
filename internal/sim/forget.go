package sim

import (
	"context"
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
	waiting = -1 // not known
	w.truth.forgets, w.truth.unscrubbed = true, true
	w.survive(k, func() {
		done, err := k.app.Engine.Forget(ctx, call.Forgetting{RecipientID: recipient, Actor: "ann", Reason: "request 7"})
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
	for range 20 {
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
