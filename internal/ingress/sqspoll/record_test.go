package sqspoll_test

import (
	"context"
	"errors"
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

func TestWhatCannotBeWrittenDownIsNotDeletedAndComesAgainAfterItsWait(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("a", "b")
		r := &records{t: t, q: q, fails: 3}
		w := &worker{}
		poll(t, q, w, time.Minute, func(o *sqspoll.Options) { o.Record = r.record })
		if q.left() != "" || w.notes[sqspoll.Deleted] != 2 || w.notes[sqspoll.NotRecorded] != 6 || w.notes[sqspoll.Returned] != 6 {
			t.Errorf("left %q; %v; written %q", q.left(), w.notes, r.calls)
		}
		if waits := q.waits["a"]; len(waits) != 3 || waits[0] < time.Second || waits[2] <= waits[0] {
			t.Errorf("waits %v", waits)
		}
	})
}

// What came behind a call that is durable does not wait for the disk of the audit log: each is worked on at its first receive, and in order.
func TestAGroupGoesOnBehindAMessageThatCouldNotBeWrittenDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue()
		for body := range strings.FieldsSeq("g1 g2 g3") {
			q.send(body, "g")
		}
		r := &records{t: t, q: q, fails: 1000}
		w := &worker{}
		poll(t, q, w, 500*time.Millisecond, func(o *sqspoll.Options) { o.Record = r.record })
		if w.order() != "g1 g2 g3" || q.left() != "g1 g2 g3" {
			t.Errorf("took %q, left %q", w.order(), q.left())
		}
	})
}

func TestWhatIsNobodysRequestIsDeletedAlsoWhileNothingCanBeWrittenDown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := newQueue("request", "event")
		r := &records{t: t, q: q, fails: 1000}
		w := &worker{}
		poll(t, q, w, time.Second, func(o *sqspoll.Options) {
			o.Record, o.Take = r.record, func(ctx context.Context, document []byte) sqspoll.Taken {
				taken := w.take(ctx, document)
				if string(document) == "event" {
					taken.Acts = nil
				}
				return taken
			}
		})
		if q.left() != "request" {
			t.Errorf("left %q", q.left())
		}
	})
}
