package sqspoll_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/sqspoll"
)

// A long poll answers whenever a message comes, and the time for which it is invisible is counted from before the poll began.
func TestAMessageThatComesLateInALongPollIsStartedAtEveryVisibility(t *testing.T) {
	t.Parallel()
	for _, visibility := range []time.Duration{3, 4, 5, 7, 10, 12, 15, 19, 20, 24, 30, 45, 60, 90, 3600} {
		for after := range 21 {
			synctest.Test(t, func(t *testing.T) {
				q, w := newQueue(), &worker{}
				q.most = 5
				go func() {
					time.Sleep(time.Duration(after)*time.Second + time.Millisecond)
					q.send("late", "")
				}()
				poll(t, q, w, time.Minute, func(o *sqspoll.Options) { o.Visibility = visibility * time.Second })
				if w.order() != "late" || q.left() != "" || len(q.dead) > 0 || w.notes[sqspoll.Lost] > 0 {
					t.Errorf("visibility %d s, sent after %d s: took %q, left %q, dead %q, %v", visibility, after, w.order(), q.left(), q.dead, w.notes)
				}
			})
		}
	}
}

// It also has the time that one extension which fails needs.
func TestAMessageThatComesLateInALongPollStaysInvisibleThoughAnExtensionFails(t *testing.T) {
	t.Parallel()
	for _, visibility := range []time.Duration{3, 10, 15, 20, 30, 60} {
		for after := range 21 {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue()
				q.fail["change"] = func(n int) fault { return map[bool]fault{true: notApplied}[n%2 == 1] }
				w := &worker{takes: func(ctx context.Context, _ string, _ int) bool { return (clock{}).Sleep(ctx, 3*time.Minute) == nil }}
				go func() {
					time.Sleep(time.Duration(after)*time.Second + time.Millisecond)
					q.send("slow", "")
				}()
				poll(t, q, w, 4*time.Minute, func(o *sqspoll.Options) { o.Visibility = visibility * time.Second })
				if w.order() != "slow" || q.left() != "" || q.handles != 1 {
					t.Errorf("visibility %d s, sent after %d s: took %q, left %q, received %d times", visibility, after, w.order(), q.left(), q.handles)
				}
			})
		}
	}
}

// asking counts the requests of a queue in which nothing is, and how long each may wait.
type asking struct {
	sqspoll.Queue

	visible time.Duration
	waits   map[time.Duration]int
}

func (a *asking) Receive(ctx context.Context, _ int, wait, visibility time.Duration) ([]sqspoll.Message, error) {
	a.waits[wait]++
	a.visible = visibility
	return nil, (clock{}).Sleep(ctx, wait)
}

// Requests cost money: only a small visibility makes more of them. SQS knows whole seconds.
func TestAQuietQueueIsAskedMoreOftenOnlyWhereTheVisibilityIsSmall(t *testing.T) {
	t.Parallel()
	for visibility, want := range map[time.Duration]time.Duration{
		3 * time.Second: time.Second, 10 * time.Second: 3 * time.Second, 10900 * time.Millisecond: 3 * time.Second, 30 * time.Second: 10 * time.Second,
		59 * time.Second: 19 * time.Second, 0: 20 * time.Second, time.Minute: 20 * time.Second, 12 * time.Hour: 20 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &asking{waits: map[time.Duration]int{}}
			p, err := sqspoll.New(sqspoll.Options{Queue: a, Take: (&worker{}).take, Clock: clock{}, Random: func() float64 { return 0 }, Visibility: visibility})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), time.Hour)
			defer stop()
			p.Run(ctx)
			if fmt.Sprint(len(a.waits)) != "1" || a.waits[want] == 0 || a.visible != a.visible.Truncate(time.Second) {
				t.Errorf("visibility %s: waits %v, invisible for %s; want %s", visibility, a.waits, a.visible, want)
			}
		})
	}
}
