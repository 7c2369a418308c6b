package lambda

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestNothingIsStartedOnceTheDeadlineIsNearAndTheRestIsReturned(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &core{place: func(context.Context, call.Delivery) call.Outcome {
			time.Sleep(10 * time.Second)
			return call.Outcome{Met: call.MetPlaced}
		}}
		h, log := handlerOn(t, c, func(o *Options) { o.Concurrency = 5 })
		bodies := make([]string, 50)
		for i := range bodies {
			bodies[i] = wish(i)
		}
		deadline := time.Now().Add(50 * time.Second)
		ctx, cancel := context.WithDeadline(t.Context(), deadline)
		defer cancel()
		returned := invoke(ctx, t, h, queueBatch(t, standardQueue, messages(bodies...)...))
		if len(c.started()) != 20 || len(returned) != 30 || slices.ContainsFunc(returned, func(id string) bool { return slices.Contains(c.started(), id) }) {
			t.Errorf("started %d and returned %d of 50", len(c.started()), len(returned))
		}
		for i, at := range c.at {
			if left := deadline.Sub(at); left < DefaultReserve+DefaultMargin {
				t.Errorf("%s was started with %v left", c.order[i], left)
			}
		}
		if lines := log.all("not-started"); len(lines) != 30 || lines[0].Code != call.CodeDeadlineTooNear {
			t.Errorf("logged %d lines for 30 records", len(lines))
		}
	})
}

func TestAHangingDialIsCutSoThatTheHandlerAnswersBeforeTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &core{place: func(ctx context.Context, d call.Delivery) call.Outcome {
			if d.ID != "m-0" {
				return call.Outcome{Met: call.MetPlaced}
			}
			<-ctx.Done()
			return call.Outcome{Met: call.MetDialing}
		}}
		h, _ := handlerOn(t, c)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		began := time.Now()
		equal(t, "returned", invoke(ctx, t, h, queueBatch(t, standardQueue, messages(wish(1), wish(2))...)), "m-0")
		if took := time.Since(began); took != 29*time.Second {
			t.Errorf("answered after %v, want a second before the deadline", took)
		}
	})
}

func TestTheHandlerWaitsForEveryFlightItStarted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &core{place: func(ctx context.Context, _ call.Delivery) call.Outcome {
			<-ctx.Done()
			time.Sleep(500 * time.Millisecond) // the record of the cut dial
			return call.Outcome{Met: call.MetDialing}
		}}
		h, _ := handlerOn(t, c)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		invoke(ctx, t, h, queueBatch(t, standardQueue, messages(wish(1), wish(2), wish(3))...))
		if c.running != 0 {
			t.Errorf("%d flights outlive the handler", c.running)
		}
	})
}

func TestAFunctionWithTooShortATimeoutSaysSoAndReturnsEverything(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &core{}
		h, log := handlerOn(t, c)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		equal(t, "returned", invoke(ctx, t, h, queueBatch(t, standardQueue, messages(wish(1), "{", wish(2))...)), "m-0", "m-1", "m-2")
		if lines := log.all("too-short"); len(lines) != 1 || !lines[0].Alarm || len(c.started()) != 0 {
			t.Errorf("logged %+v and placed %q", lines, c.started())
		}
	})
}

func TestWithoutADeadlineEverythingIsStarted(t *testing.T) {
	t.Parallel()
	c := &core{place: func(ctx context.Context, _ call.Delivery) call.Outcome {
		if _, limited := ctx.Deadline(); limited {
			return call.Outcome{Met: call.MetUnavailable}
		}
		return call.Outcome{Met: call.MetPlaced}
	}}
	h, _ := handlerOn(t, c)
	equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(wish(1), wish(2))...)))
}

func TestACanceledInvocationStartsNothingMore(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := &core{place: func(context.Context, call.Delivery) call.Outcome {
		cancel()
		return call.Outcome{Met: call.MetPlaced}
	}}
	h, log := handlerOn(t, c, func(o *Options) { o.Concurrency = 1 })
	equal(t, "returned", invoke(ctx, t, h, queueBatch(t, standardQueue, messages(wish(1), wish(2), wish(3))...)), "m-1", "m-2")
	if len(log.all("too-short")) != 0 {
		t.Error("a canceled invocation is no short timeout")
	}
}

func TestATwinOfASentRecordIsAnsweredHoweverNearTheDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := &core{mode: call.ModeNone, place: func(context.Context, call.Delivery) call.Outcome {
			time.Sleep(20 * time.Second)
			return call.Outcome{Met: call.MetPlaced}
		}}
		h, _ := handlerOn(t, c)
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		equal(t, "returned", invoke(ctx, t, h, queueBatch(t, standardQueue, messages(wish(1), wish(1))...)))
	})
}

func TestAPanicReturnsOneRecordAndLosesNoOther(t *testing.T) {
	t.Parallel()
	for _, mode := range []call.Mode{call.ModeNone, call.ModeLedger} {
		for _, queue := range []string{standardQueue, fifoQueue} {
			c := &core{mode: mode, place: func(_ context.Context, d call.Delivery) call.Outcome {
				if d.ID == "m-1" {
					panic(fmt.Errorf("boom for %s", d.Request.Destination.Wire()))
				}
				return call.Outcome{Met: call.MetPlaced}
			}}
			h, log := handlerOn(t, c)
			list := messages(wish(0), wish(1), wish(2))
			want := []string{"m-1"}
			if queue == fifoQueue {
				want = []string{"m-1", "m-2"}
			}
			report, err := h.Process(t.Context(), queueBatch(t, queue, list...))
			response, responseErr := report.Response()
			if err != nil || responseErr != nil {
				t.Fatal(err, responseErr)
			}
			equal(t, string(mode)+" "+queue, failures(t, response), want...)
			met := map[call.Mode]call.Situation{call.ModeNone: call.MetUnknown, call.ModeLedger: call.MetUnavailable}[mode]
			if out := report.Results[1].Outcome; out.Met != met || out.Ack != call.AckRetry {
				t.Errorf("%s: the record that panicked got %s, %s", mode, out.Met, out.Ack)
			}
			if lines := log.all("panic"); len(lines) != 1 || !lines[0].Alarm || lines[0].Code != CodePanicked || lines[0].Delivery != "m-1" {
				t.Errorf("logged %+v", lines)
			}
		}
	}
}
