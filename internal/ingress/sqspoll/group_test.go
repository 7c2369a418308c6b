package sqspoll_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/sqspoll"
)

// batches answers each receive with the next of its batches, and after them with nothing.
type batches struct {
	mu    sync.Mutex
	next  [][]sqspoll.Message
	slow  time.Duration              // of the first change, before it is done
	waits map[string][]time.Duration // by handle: every change
}

func (b *batches) Receive(ctx context.Context, _ int, wait, _ time.Duration) ([]sqspoll.Message, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.next) == 0 {
		b.mu.Unlock()
		defer b.mu.Lock()
		return nil, (clock{}).Sleep(ctx, min(wait, time.Second))
	}
	batch := b.next[0]
	b.next = b.next[1:]
	return batch, nil
}

func (b *batches) Delete(context.Context, []string) (sqspoll.Failed, error) {
	return sqspoll.Failed{}, nil
}

func (b *batches) Change(ctx context.Context, changes []sqspoll.Change) (sqspoll.Failed, error) {
	b.mu.Lock()
	slow := b.slow
	b.slow = 0
	b.mu.Unlock()
	if err := (clock{}).Sleep(ctx, slow); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range changes {
		b.waits[c.Handle] = append(b.waits[c.Handle], c.For)
	}
	return sqspoll.Failed{}, nil
}

func group(from, to int) (batch []sqspoll.Message) {
	for i := from; i < to; i++ {
		name := fmt.Sprint(i)
		batch = append(batch, sqspoll.Message{ID: name, Handle: name, Group: "g", Receives: 1, Document: []byte(name)})
	}
	return batch
}

// hasty is a clock on which short waits take no time.
type hasty struct{ clock }

func (h hasty) Sleep(ctx context.Context, d time.Duration) error {
	if d <= 50*time.Millisecond {
		return ctx.Err()
	}
	return h.clock.Sleep(ctx, d)
}

// TestNoMessageOfAGroupStartsBehindOneThatFailsAtOnce is a race: the first may have ended before the second is known. Whoever asks meanwhile what is held
// makes it more likely.
func TestNoMessageOfAGroupStartsBehindOneThatFailsAtOnce(t *testing.T) {
	t.Parallel()
	for range 10000 {
		b := &batches{next: [][]sqspoll.Message{group(0, 10)}, waits: map[string][]time.Duration{}}
		w := &worker{takes: func(_ context.Context, body string, _ int) bool { return body != "0" }}
		ctx, stop := context.WithCancel(t.Context())
		p, err := sqspoll.New(sqspoll.Options{
			Queue: b, Take: w.take, Clock: hasty{}, Random: func() float64 { return 0 }, Note: func(n sqspoll.Note) {
				if n.What == sqspoll.Returned {
					stop()
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		var asking sync.WaitGroup
		for range 4 {
			asking.Go(func() {
				for ctx.Err() == nil && p.Held() < 10 {
				}
			})
		}
		p.Run(ctx)
		asking.Wait()
		stop()
		if w.order() != "0" {
			t.Fatalf("took %s although the first was not acknowledged", w.order())
		}
	}
}

// TestAGroupThatGoesBackStartsWithNothingBehindIt delivers the first message of a group once more, with the second behind it, while its return to the
// queue still has no answer: it is not taken again, so the second must go back too.
func TestAGroupThatGoesBackStartsWithNothingBehindIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := &batches{waits: map[string][]time.Duration{}, slow: 5 * time.Second, next: [][]sqspoll.Message{group(0, 1)}}
		w := &worker{takes: func(_ context.Context, body string, _ int) bool { return body != "0" }}
		p, err := sqspoll.New(sqspoll.Options{Queue: b, Take: w.take, Clock: clock{}, Random: func() float64 { return 0.5 }})
		if err != nil {
			t.Fatal(err)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		go func() {
			time.Sleep(time.Second)
			b.mu.Lock()
			defer b.mu.Unlock()
			b.next = append(b.next, append(group(0, 1), append(group(1, 3), sqspoll.Message{ID: "x", Handle: "x", Group: "other", Document: []byte("x")})...))
		}()
		p.Run(ctx)
		if w.order() != "0 x" || len(b.waits["1"]) != 1 || len(b.waits["2"]) != 1 || b.waits["1"][0] < time.Second || p.Held() != 0 {
			t.Errorf("took %s, went back %v", w.order(), b.waits)
		}
	})
}
