package app_test

import (
	"context"
	"slices"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// settle ends all faults, delivers what is not acknowledged until it is, and sweeps until nothing is due.
func (w *world) settle(ctx context.Context) {
	w.mu.Lock()
	w.calm = true
	w.mu.Unlock()
	for i, n := range w.emu.FaultCounts() {
		w.coverage["fault "+w.emu.Plan().Rules[i].Fault.String()] += n
	}
	if err := w.emu.SetPlan(connectemu.Plan{}); err != nil {
		w.find("end the faults: %v", err)
	}
	for _, k := range w.workers {
		k.skew = 0
		k.drift = pick(w, "", "", "flow")
		w.restart(k)
	}
	time.Sleep(8 * time.Minute) // the steps of the clocks and what is late on its way
	w.scan(ctx)
	for round := range 90 {
		for _, m := range slices.Clone(w.pending) {
			w.handle(ctx, pick(w, w.workers...), []*message{m})
		}
		if len(w.pending) == 0 {
			break
		}
		if round == 89 {
			w.find("%d messages are never acknowledged, the first asks for %s", len(w.pending), w.pending[0].subject.name)
		}
		w.pass(ctx, []time.Duration{20 * time.Second, 2 * time.Minute, 40 * time.Minute, 9 * time.Hour}[min(round/12, 3)])
	}
	w.judgeAcknowledged(ctx)
	w.closeRecovery(ctx)
	w.truth.quiet = true
	w.quiet(ctx)
	w.forgetAtLast(ctx)
	w.late(ctx)
	w.lateHints(ctx)
}

// quiet sweeps until nothing is due any more.
func (w *world) quiet(ctx context.Context) {
	w.sweep(ctx, w.workers[0])
	for range 5000 { // a body that names a lost flow is sent for 6 days, every 15 minutes
		due := w.nextDue(ctx)
		if due.IsZero() {
			return
		}
		if wait := time.Until(due); wait > 0 {
			time.Sleep(wait)
		}
		time.Sleep(time.Second)
		w.sweep(ctx, pick(w, w.workers...))
	}
	w.find("something is due for ever")
}

// late delivers everything once more, much later.
func (w *world) late(ctx context.Context) {
	time.Sleep(pick(w, time.Hour, 8*day, 60*day, 400*day))
	before := w.emu.RingCount()
	for _, m := range w.history {
		again := *m
		again.received = 0
		w.handle(ctx, pick(w, w.workers...), []*message{&again})
	}
	w.quiet(ctx)
	if now := w.emu.RingCount(); now != before {
		w.mark("rang after everything was delivered")
	}
}
