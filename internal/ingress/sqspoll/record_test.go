package sqspoll_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/ingress/sqspoll"
)

// records is an audit log that fails its first calls. At each call it looks whether any of what it is told was deleted before.
type records struct {
	t     *testing.T
	q     *queue
	fails int
	calls []string // bodies of each
}

func (r *records) record(_ context.Context, acts []auditlog.Act) error {
	var bodies []string
	for _, a := range acts {
		bodies = append(bodies, a.Target)
		if !strings.Contains(" "+r.q.left()+" ", " "+a.Target+" ") {
			r.t.Errorf("%q was deleted before it was written down", a.Target)
		}
	}
	r.calls = append(r.calls, strings.Join(bodies, " "))
	if len(r.calls) <= r.fails {
		return errors.New("disk full")
	}
	return nil
}

func TestABatchIsWrittenDownOnceBeforeItIsDeleted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(strings.Fields("a b c d e f g h bad j")...)
		r := &records{t: t, q: q}
		w := &worker{takes: func(_ context.Context, body string, _ int) bool { return body != "bad" }}
		poll(t, q, w, time.Second, func(o *sqspoll.Options) { o.Record = r.record })
		if len(r.calls) != 1 || len(strings.Fields(r.calls[0])) != 10 || q.left() != "bad" {
			t.Errorf("left %q; written %q", q.left(), r.calls)
		}
	})
}

func TestWhatCannotBeWrittenDownLeavesAllTheSameAndIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("a", "bad", "c")
		r := &records{t: t, q: q, fails: 1000}
		w := &worker{takes: func(_ context.Context, body string, n int) bool { return body != "bad" || n > 1 }}
		poll(t, q, w, time.Minute, func(o *sqspoll.Options) { o.Record = r.record })
		if q.left() != "" || w.notes[sqspoll.Deleted] != 3 || w.notes[sqspoll.NotRecorded] != 4 || w.notes[sqspoll.Returned] != 1 {
			t.Errorf("left %q; %v; written %q", q.left(), w.notes, r.calls)
		}
	})
}

// Messages behind those that could not be written down are dialed: SQS gives no more than ten of a group while none of them is deleted.
func TestALongGroupGoesOnWhileNothingCanBeWrittenDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		want := strings.Fields("g1 g2 g3 g4 g5 g6 g7 g8 g9 g10 g11 g12 g13")
		for _, body := range want {
			q.send(body, "g")
		}
		r := &records{t: t, q: q, fails: 1000}
		w := &worker{}
		poll(t, q, w, 2*time.Second, func(o *sqspoll.Options) { o.Record = r.record })
		if w.order() != strings.Join(want, " ") || q.left() != "" {
			t.Errorf("took %q, left %q", w.order(), q.left())
		}
	})
}

// TestALogThatHangsHoldsNothingUp: its disk answers after ten minutes. Meanwhile messages are taken, deleted and returned in time, and a stop ends.
func TestALogThatHangsHoldsNothingUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var bodies []string
		for n := range 40 {
			bodies = append(bodies, fmt.Sprintf("m%d", n))
		}
		q := newQueue(append(bodies, "bad")...)
		w := &worker{takes: func(_ context.Context, body string, n int) bool { return body != "bad" || n > 1 }}
		heard, begun := 0, time.Now()
		poll(t, q, w, 30*time.Second, func(o *sqspoll.Options) {
			o.Record = func(context.Context, []auditlog.Act) error {
				time.Sleep(10 * time.Minute)
				return nil
			}
			o.Hangs = func(_ context.Context, acts []auditlog.Act) { heard += len(acts) }
		})
		if took := time.Since(begun); took > 35*time.Second {
			t.Errorf("it stopped after %s", took)
		}
		if q.left() != "" || heard != 42 || w.notes[sqspoll.NotRecorded] != 42 {
			t.Errorf("left %q; heard of %d; %v", q.left(), heard, w.notes)
		}
		time.Sleep(10 * time.Minute) // what hangs ends
	})
}
