package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// The variants of protocol.md section 15 that are no defect of this code but of what surrounds it: each is planted, and seen.

func TestUnderA1PrimeEvidenceIsAsSafeAsTheSearchIsComplete(t *testing.T) {
	t.Parallel()
	for _, complete := range []bool{true, false} { // N11b
		w := newWorld(t)
		resend(call.ResendEvidence)(w)
		w.phones.ends, w.phones.talk, w.phones.hidden = true, time.Hour, !complete
		w.phones.script = append(w.phones.script, w.phones.lost)
		w.place(request("n", start))
		w.settle()
		if complete {
			w.clean(1)
		} else {
			caught(t, w, "I1")
		}
	}
}

// slowNetwork keeps the first request on its way until arrive; its sender sees no answer.
type slowNetwork struct {
	*phones

	held *call.Send
}

func (n *slowNetwork) Dial(ctx context.Context, s call.Send) call.Answer {
	if n.held == nil && s.NotBefore.Equal(start) {
		n.held = &s
		return call.Answer{Class: call.ClassAmbiguous, Code: "timeout"}
	}
	return n.phones.Dial(ctx, s)
}

func TestWithoutFreshnessAtTheFarEndALateRequestRingsTwice(t *testing.T) {
	t.Parallel()
	for _, fresh := range []bool{true, false} { // N13
		w := newWorld(t)
		n := &slowNetwork{phones: w.phones}
		w.engine = w.start(func(c *call.Config) { c.Dialer = n })
		w.place(request("n", start))
		w.settle()
		w.clock.advance(8 * day)
		if !fresh { // else the signature is refused: it is older than 15 minutes
			w.phones.accept(*n.held)
		}
		if fresh {
			w.clean(1)
		} else {
			caught(t, w, "I1")
		}
	}
}

func TestARestoreWithoutASecondCopyLosesWhatWasAcknowledged(t *testing.T) {
	t.Parallel()
	for _, copied := range []bool{true, false} { // N16b
		w, p := taped(t)
		w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
		w.outcome(w.place(request("n", start)), call.MetReceived, call.AckDone, "")
		w.restore(p, 0)
		w.recovered(start)
		if copied {
			w.deliver(request("n", start))
		}
		w.settle()
		if lost := w.lost("n"); (len(lost) > 0) == copied {
			t.Errorf("with a second copy %v: lost %v", copied, lost)
		}
	}
}

func TestARestoreBesideAWorkerThatHoldsMessagesLosesThem(t *testing.T) {
	t.Parallel()
	for _, stopped := range []bool{true, false} { // N16c
		w, p := taped(t)
		before := w.store
		holder := w.start(func(c *call.Config) {
			c.Ledger, c.Journal, c.Index, c.Eraser, c.Waker = before, before, before, before, nil
		})
		w.restore(p, 0)
		w.recovered(start)
		// The archive was replayed up to here. The message "m" is in the hands of the holder.
		d := request("m", start)
		d.ReceivedAt = w.clock.Now()
		w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
		acknowledged := !stopped && holder.Place(context.Background(), d).Ack == call.AckDone
		if !acknowledged { // its queue delivers it again
			w.deliver(d)
		}
		w.settle()
		if lost := w.lost("m"); (len(lost) > 0) == stopped {
			t.Errorf("stopped first %v: lost %v", stopped, lost)
		}
	}
}
