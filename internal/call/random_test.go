package call_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/call"
)

// chaos is a world of three keys, two workers with their own clocks, faults at any effect, and a producer that repeats itself.
type chaos struct {
	*world
	second   *call.Engine
	dates    map[string][]time.Time // requestedAt of every request of a key so far
	kept     map[string]time.Time   // latest acknowledged cancel of a key
	keptAt   map[string]time.Time   // when it was acknowledged
	accepted map[string]bool        // keys whose request was acknowledged
}

func newChaos(t *testing.T, rt *rapid.T) *chaos {
	w := newWorld(t)
	x := &chaos{world: w, dates: map[string][]time.Time{}, kept: map[string]time.Time{}, keptAt: map[string]time.Time{}, accepted: map[string]bool{}}
	w.profile(func(p *call.Profile) {
		p.Resend = rapid.SampledFrom([]call.Resend{call.ResendToken, call.ResendEvidence, call.ResendNever}).Draw(rt, "resend")
		p.Window = rapid.SampledFrom([]call.Window{{For: day}, {For: 10 * day}, {Forever: true}}).Draw(rt, "window")
		p.WindowReopenAny = rapid.Bool().Draw(rt, "reopen")
		p.MaxAttempts = rapid.SampledFrom([]int{0, 3}).Draw(rt, "attempts")
	})
	w.phones.hidden = rapid.Bool().Draw(rt, "hidden")
	skew := rapid.SampledFrom([]time.Duration{0, -2 * time.Minute, 40 * time.Second, 2 * time.Hour}).Draw(rt, "skew")
	x.second = w.start(func(c *call.Config) { c.Clock, c.Ledger = skewed{w.clock, skew}, w.store })
	w.phones.onDial = func(s call.Send) { x.dialed(rt, s) }
	return x
}

// dialed sees that no attempt begins after a cancel that was acknowledged and meant for it.
func (x *chaos) dialed(rt *rapid.T, s call.Send) {
	c, err := x.store.Get(context.Background(), s.CallID)
	if err != nil {
		rt.Fatalf("dialed without a row: %v", err)
	}
	if c.IsForgotten() {
		rt.Fatalf("a forgotten call was dialed")
	}
	at, canceled := x.kept[c.Key.NotificationID]
	for _, a := range c.Open {
		if canceled && a.ID == s.AttemptID && a.Opened.After(x.keptAt[c.Key.NotificationID]) && call.CancelHits(c.RequestedAt, c.Tier, c.Cause, at) {
			rt.Fatalf("dialed after an acknowledged cancel: ring %d requested %s, canceled %s", c.Ring, c.RequestedAt.Sub(start), at.Sub(start))
		}
	}
}

func (x *chaos) script(rt *rapid.T) {
	for range rapid.IntRange(0, 3).Draw(rt, "answers") {
		x.phones.script = append(x.phones.script, rapid.SampledFrom([]func(call.Send) call.Answer{
			x.phones.lost, x.phones.ring, says(call.ClassAmbiguous, "reset"), says(call.ClassThrottled, "throttled"), says(call.ClassNotSent, "dns"),
			says(call.ClassRefusedRequest, "invalid_parameter"), says(call.ClassRefusedSetup, "access_denied"),
			func(s call.Send) call.Answer { // a slow answer, while the other worker acts
				answer := x.phones.ring(s)
				x.clock.advance(90 * time.Second)
				x.other()
				return answer
			},
		}).Draw(rt, "answer"))
	}
}

func (x *chaos) other() {
	script := x.phones.script
	x.phones.script = nil
	x.faults.pause(func() { _, _ = x.second.Sweep(context.Background(), 10) })
	x.phones.script = script
}

func (x *chaos) request(rt *rapid.T) {
	key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "key")
	d := undated(key)
	now := x.clock.Now()
	if kind := rapid.IntRange(0, 3).Draw(rt, "dated"); kind == 1 || len(x.dates[key]) == 0 && kind > 0 {
		d = request(key, now)
		x.dates[key] = append(x.dates[key], now)
	} else if kind > 1 {
		d = request(key, rapid.SampledFrom(x.dates[key]).Draw(rt, "repeat"))
	}
	if rapid.IntRange(0, 4).Draw(rt, "limited") == 0 {
		d.Request.NotAfter = now.Add(time.Duration(rapid.IntRange(-1, 200).Draw(rt, "seconds")) * time.Second)
	}
	if out := x.place(d); out.Ack == call.AckDone {
		x.accepted[key] = true
	}
}

func (x *chaos) cancel(rt *rapid.T) {
	key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "key")
	at := x.clock.Now()
	if len(x.dates[key]) > 0 && rapid.Bool().Draw(rt, "old") {
		at = rapid.SampledFrom(x.dates[key]).Draw(rt, "at")
	}
	if out := x.place(cancel(key, at)); out.Ack == call.AckDone && at.After(x.kept[key]) {
		x.kept[key], x.keptAt[key] = at, x.clock.Now()
	}
}

func (x *chaos) again(rt *rapid.T) {
	if rows := x.rows(); len(rows) > 0 {
		id := rapid.SampledFrom(rows).Draw(rt, "row").ID
		x.survive(func() { x.engine.Recall(context.Background(), id, call.Recall{Actor: "ann", Reason: "again"}) })
	}
}

// forgetAll forgets the recipient of every key, as far as that is possible now.
func (x *chaos) forgetAll(*rapid.T) {
	x.survive(func() {
		_, _ = x.engine.Forget(context.Background(), call.Forgetting{RecipientID: "user-1", Actor: "ann", Reason: "asked for it"})
	})
}

func (x *chaos) fault(rt *rapid.T) {
	x.faults.names, x.faults.fail = nil, rapid.IntRange(1, 9).Draw(rt, "effect")
	x.faults.mode = rapid.SampledFrom(modes).Draw(rt, "mode")
}

func TestNoRandomStoryRingsACallTwiceLosesARequestOrLies(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		x := newChaos(t, rt)
		rt.Repeat(map[string]func(*rapid.T){
			"request": x.request, "request again": x.request, "cancel": x.cancel, "re-call": x.again, "fault": x.fault, "answers": x.script,
			"forget": x.forgetAll,
			"sweep":  func(*rapid.T) { x.sweepQuietly() },
			"other":  func(*rapid.T) { x.other() },
			"time": func(rt *rapid.T) {
				x.clock.advance(time.Duration(rapid.SampledFrom([]int{1, 30, 70, 2000, 40_000, 600_000}).Draw(rt, "seconds")) * time.Second)
			},
			"evidence": func(rt *rapid.T) {
				if len(x.phones.contacts) > 0 {
					id := rapid.SampledFrom(x.phones.contacts).Draw(rt, "contact").ID
					x.survive(func() { _, _ = x.engine.SawContact(context.Background(), call.Target{}, id) })
				}
			},
		})
		x.faults.fail, x.phones.script = 0, nil
		x.settle()
		for _, b := range x.breaches() {
			rt.Error(b)
		}
		for _, c := range x.rows() {
			if !c.State.Final() {
				rt.Errorf("%s is %s for ever", c.Key.NotificationID, c.State)
			}
		}
		for key := range x.accepted {
			if missing := x.lost(key); len(missing) > 0 {
				rt.Errorf("acknowledged and lost: %v", missing)
			}
		}
		if n := x.heard("breach"); n > 0 {
			rt.Errorf("the engine stopped itself before a breach: %+v", x.told)
		}
	})
}
