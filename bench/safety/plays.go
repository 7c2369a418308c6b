package main

import (
	"context"
	"errors"
	"time"

	"github.com/ringonce/ringonce/bench/safety/standin"
	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// dialTime is how long a dial of S8 takes, on both sides. The telephone answers at once, and a service across a network does not: without it the
// first message of a batch may be done before the second is looked at.
const dialTime = 100 * time.Millisecond

// plays are the scenarios as ringonce meets them: what is done to the peer by its handler is done here at the dialer or the telephone.
func plays() map[string]func(context.Context, *world) ([]delivery, error) {
	return map[string]func(context.Context, *world) ([]delivery, error){
		"S1": absentFields, "S2": largeNumbers, "S3": failsLate, "S4": completesLate, "S5": completingWriteRefused, "S6": largeResult,
		"S7": concurrentDuplicates, "S8": oneBatch, "S9": twoMessages, "S10": otherNumber, "S11": unknownOutcome, "S12": lostClaim,
	}
}

// measureOurs runs one scenario against ringonce, in a world of its own.
func measureOurs(ctx context.Context, s scenario, v variant) (m measure, err error) {
	b := &book{}
	w, err := newWorld(ctx, v, b.take(s.numbers))
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, w.close()) }()
	if m.Told, err = plays()[s.id](ctx, w); err != nil {
		return m, err
	}
	if err := w.settle(ctx, &m); err != nil {
		return m, err
	}
	m.Rings = w.rings(w.numbers)
	return s.judge(m), nil
}

// each delivers letters one after the other, each to a worker that was just started.
func (w *world) each(ctx context.Context, names []string, bodies ...letter) ([]delivery, error) {
	var told []delivery
	for i, l := range bodies {
		a, err := w.worker(ctx, nil)
		if err != nil {
			return told, err
		}
		d, err := w.deliver(ctx, a, names[i], i+1, l)
		if err != nil {
			return told, err
		}
		told = append(told, d)
	}
	return told, nil
}

func absentFields(ctx context.Context, w *world) ([]delivery, error) {
	body := func(n int) string { return `{"destinationPhoneNumber":"` + w.numbers[n] + `"}` }
	return w.each(ctx, []string{"1", "2"}, w.send(body(0), body(1))...)
}

func largeNumbers(ctx context.Context, w *world) ([]delivery, error) {
	body := func(id string, n int) string {
		return `{"notificationId":` + id + `,"recipientId":"user-67890","destinationPhoneNumber":"` + w.numbers[n] + `"}`
	}
	return w.each(ctx, []string{"1", "2"}, w.send(body("9007199254740992", 0), body("9007199254740993", 1))...)
}

// overtaken is S3 and S4: A rings and hangs beyond its lease, B takes over, A ends as late says, a third delivery comes.
func overtaken(ctx context.Context, w *world, late func(call.Answer) call.Answer) ([]delivery, error) {
	letters := w.send(w.request(0))
	h, err := w.hold(ctx, letters, late)
	if err != nil {
		return nil, err
	}
	w.clock.Advance(lease)
	b, err := w.each(ctx, []string{"B"}, letters...)
	if err != nil {
		return nil, err
	}
	a, err := h.end()
	if err != nil {
		return nil, err
	}
	third, err := w.each(ctx, []string{"3rd"}, letters...)
	return append(append(b, a), third...), err
}

func failsLate(ctx context.Context, w *world) ([]delivery, error) {
	return overtaken(ctx, w, func(call.Answer) call.Answer {
		return call.Answer{Class: call.ClassAmbiguous, Code: "timeout", Message: "No answer came in time."}
	})
}

func completesLate(ctx context.Context, w *world) ([]delivery, error) {
	return overtaken(ctx, w, func(a call.Answer) call.Answer { return a })
}

func completingWriteRefused(ctx context.Context, w *world) ([]delivery, error) {
	letters := w.send(w.request(0))
	first, err := w.worker(ctx, afterRing(func() error { return w.fault(standin.ThrottleWrites) }))
	if err != nil {
		return nil, err
	}
	d, err := w.deliver(ctx, first, "1st", 1, letters...)
	if err != nil {
		return nil, err
	}
	if err := w.fault(standin.None); err != nil {
		return nil, err
	}
	second, err := w.each(ctx, []string{"2nd"}, letters...)
	if err != nil {
		return nil, err
	}
	w.clock.Advance(lease)
	third, err := w.each(ctx, []string{"3rd, after the deadline"}, letters...)
	return append(append([]delivery{d}, second...), third...), err
}

// largeResult pads the telephone's answer beyond an item: the result of a ring has no other size that could vary.
func largeResult(ctx context.Context, w *world) ([]delivery, error) {
	letters := w.send(w.request(0))
	var told []delivery
	for i, by := range []string{"1st", "2nd", "3rd, after the deadline"} {
		a, err := w.worker(ctx, func(o *app.Options) { o.HTTPClient = padded{} })
		if err != nil {
			return told, err
		}
		if i == 2 {
			w.clock.Advance(lease)
		}
		d, err := w.deliver(ctx, a, by, i+1, letters...)
		if err != nil {
			return told, err
		}
		told = append(told, d)
	}
	return told, nil
}

func concurrentDuplicates(ctx context.Context, w *world) ([]delivery, error) {
	letters := w.send(w.request(0))
	h, err := w.hold(ctx, letters, func(a call.Answer) call.Answer { return a })
	if err != nil {
		return nil, err
	}
	told, err := w.each(ctx, []string{"B", "3rd"}, letters[0], letters[0])
	if err != nil {
		return nil, err
	}
	a, err := h.end()
	return append(told, a), err
}

func oneBatch(ctx context.Context, w *world) ([]delivery, error) {
	letters := w.send(w.request(0), w.request(1))
	a, err := w.worker(ctx, afterRing(func() error { time.Sleep(dialTime); return nil }))
	if err != nil {
		return nil, err
	}
	d, err := w.deliver(ctx, a, "batch", 1, letters[0], letters[1], letters[0])
	return []delivery{d}, err
}

func twoMessages(ctx context.Context, w *world) ([]delivery, error) {
	return w.each(ctx, []string{"1st", "2nd"}, w.send(w.request(0), w.request(0))...)
}

func otherNumber(ctx context.Context, w *world) ([]delivery, error) {
	h, err := w.hold(ctx, w.send(w.request(0)), func(a call.Answer) call.Answer { return a })
	if err != nil {
		return nil, err
	}
	w.clock.Advance(lease)
	told, err := w.each(ctx, []string{"B, other number"}, w.send(w.asked("n-0", 1))...)
	if err != nil {
		return nil, err
	}
	_, err = h.end() // A comes back at last; its number is what the call is about
	return told, err
}

func unknownOutcome(ctx context.Context, w *world) ([]delivery, error) {
	reset := connectemu.Plan{Rules: []connectemu.Rule{{Fault: connectemu.PlaceThenReset}}}
	if err := w.telephone.SetPlan(reset); err != nil {
		return nil, err
	}
	letters := w.send(w.request(0))
	var told []delivery
	for _, by := range []string{"1st", "2nd", "3rd"} {
		d, err := w.each(ctx, []string{by}, letters...)
		if err != nil {
			return told, err
		}
		told = append(told, d...)
		w.clock.Advance(2 * lease)
	}
	return told, w.telephone.SetPlan(connectemu.Plan{})
}

func lostClaim(ctx context.Context, w *world) ([]delivery, error) {
	letters := w.send(w.request(0))
	first, err := w.worker(ctx, nil)
	if err != nil {
		return nil, err
	}
	if err := w.fault(standin.LoseNextPut); err != nil {
		return nil, err
	}
	d, err := w.deliver(ctx, first, "1st", 1, letters...)
	if err != nil {
		return nil, err
	}
	rest, err := w.each(ctx, []string{"2nd"}, letters...)
	if err != nil {
		return nil, err
	}
	w.clock.Advance(lease)
	last, err := w.each(ctx, []string{"3rd, after the deadline"}, letters...)
	return append(append([]delivery{d}, rest...), last...), err
}
