package lambda

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const sweepTrigger = `{"ringonce":"sweep"}`

// broom has rows that are due; stuck ones stay due however often they are taken.
type broom struct {
	due, stuck int
	each       time.Duration
	err        error
	asked      []int
}

func (b *broom) Sweep(ctx context.Context, limit int) (call.Swept, error) {
	b.asked = append(b.asked, limit)
	if b.err != nil {
		return call.Swept{}, b.err
	}
	taken := min(limit, b.due)
	swept := call.Swept{Due: taken}
	for n := range taken {
		if ctx.Err() != nil {
			return swept, ctx.Err()
		}
		time.Sleep(b.each)
		if n >= b.stuck {
			swept.Moved++
			b.due--
		}
	}
	return swept, nil
}

func TestASweepTriggerSweepsWhatIsDue(t *testing.T) {
	t.Parallel()
	for _, trigger := range [][]byte{[]byte(sweepTrigger), busEvent(t, "com.example.schedule", "Sweep", sweepTrigger)} {
		b := &broom{due: 25}
		h, _ := handlerOn(t, &core{}, func(o *Options) { o.Sweeper = b })
		response, err := h.Invoke(t.Context(), trigger)
		if err != nil || string(response) != `{"due":25,"failed":0,"moved":25}` || b.due != 0 {
			t.Errorf("got %s, %v; %d left", response, err, b.due)
		}
	}
}

func TestASweepReachesOverRowsThatCannotBeMoved(t *testing.T) {
	t.Parallel()
	b := &broom{due: 60, stuck: 30}
	h, _ := handlerOn(t, &core{}, func(o *Options) { o.Sweeper = b })
	response, err := h.Invoke(t.Context(), []byte(sweepTrigger))
	if err != nil || string(response) != `{"due":60,"failed":0,"moved":30}` || b.due != 30 {
		t.Errorf("got %s, %v; %d left", response, err, b.due)
	}
}

func TestASweepEndsAtItsLimit(t *testing.T) {
	t.Parallel()
	for _, stuck := range []int{0, 7, 1000} {
		b := &broom{due: 1000, stuck: stuck}
		h, _ := handlerOn(t, &core{}, func(o *Options) { o.Sweeper, o.SweepLimit = b, 50 })
		if _, err := h.Invoke(t.Context(), []byte(sweepTrigger)); err != nil || slices.Max(b.asked) > 50 || 1000-b.due > 60 {
			t.Errorf("%d stuck: asked for %v, moved %d, %v", stuck, b.asked, 1000-b.due, err)
		}
	}
}

func TestASweepStopsBeforeTheDeadlineAndTheRestStaysDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &broom{due: 100, each: time.Second}
		h, _ := handlerOn(t, &core{}, func(o *Options) { o.Sweeper = b })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		began := time.Now()
		if _, err := h.Invoke(ctx, []byte(sweepTrigger)); err != nil || b.due != 50 || time.Since(began) != 50*time.Second {
			t.Errorf("%v after %v with %d left", err, time.Since(began), b.due)
		}
	})
}

func TestASweepThatCannotRunIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		short, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		cases := map[call.Code]struct {
			ctx     context.Context
			sweeper Sweeper
		}{
			call.CodeNeedsLedger:       {t.Context(), nil},
			call.CodeDeadlineTooNear:   {short, &broom{}},
			call.CodeLedgerUnavailable: {t.Context(), &broom{err: errors.New("disk gone")}},
			call.CodeLedgerWentBack:    {t.Context(), &broom{err: &call.Error{Code: call.CodeLedgerWentBack}}},
		}
		for want, c := range cases {
			h, _ := handlerOn(t, &core{}, func(o *Options) { o.Sweeper = c.sweeper })
			report, err := h.Process(c.ctx, []byte(sweepTrigger))
			if failure, ok := errors.AsType[*NotAcknowledged](err); !ok || failure.Code != want || report.Results[0].Acknowledged() {
				t.Errorf("got %v, want %s", err, want)
			}
		}
	})
}

func TestASweepCannotBeTriggeredByAMessage(t *testing.T) {
	t.Parallel()
	b := &broom{due: 5}
	h, _ := handlerOn(t, &core{}, func(o *Options) { o.Sweeper = b })
	equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(sweepTrigger)...)), "m-0")
	if b.due != 5 {
		t.Error("a message on the queue started a sweep")
	}
}
