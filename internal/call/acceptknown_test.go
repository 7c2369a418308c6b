package call_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// acceptKnown hands a delivery over for which there is no place.
func (w *world) acceptKnown(d call.Delivery) (call.Outcome, bool) {
	w.t.Helper()
	d.ReceivedAt = w.clock.Now()
	return w.engine.AcceptKnown(w.t.Context(), d)
}

// open is how many calls are accepted or dialed, and not final.
func (w *world) open() (n int) {
	w.t.Helper()
	for _, c := range w.rows() {
		if !c.State.Final() {
			n++
		}
	}
	return n
}

// knowns are the situations that a delivery for which there is no place may meet.
var knowns = map[string]struct {
	before func(w *world) call.Delivery
	known  bool
}{
	"a new key":               {func(*world) call.Delivery { return request("n", start) }, false},
	"a key that is withdrawn": {func(w *world) call.Delivery { w.place(cancel("n", start)); return request("n", start.Add(time.Minute)) }, false},
	"a request from before its withdrawal": {func(w *world) call.Delivery {
		w.place(cancel("n", start))
		return request("n", start.Add(-time.Minute))
	}, false},
	"a canceled call that is asked for again": {func(w *world) call.Delivery {
		w.accept(request("n", start))
		w.place(cancel("n", start.Add(time.Minute)))
		return request("n", start.Add(2*time.Minute))
	}, false},
	"a call whose window has ended": {func(w *world) call.Delivery {
		w.profile(func(p *call.Profile) { p.Window = call.Window{For: time.Hour} })
		w.place(request("n", start))
		w.clock.advance(2 * time.Hour)
		w.sweep()
		return request("n", w.clock.Now())
	}, false},
	"a call that waits": {func(w *world) call.Delivery { w.accept(request("n", start)); return request("n", start) }, true},
	"a call that rang":  {func(w *world) call.Delivery { w.place(request("n", start)); return request("n", start) }, true},
	"a canceled call's own request": {func(w *world) call.Delivery {
		w.accept(request("n", start))
		w.place(cancel("n", start.Add(time.Minute)))
		return request("n", start)
	}, true},
	"a key with another number": {func(w *world) call.Delivery {
		w.accept(request("n", start))
		d := request("n", start)
		number, err := call.ParsePhone("+819000000002")
		if err != nil {
			w.t.Fatal(err)
		}
		d.Request.Destination = number
		return d
	}, true},
	"a withdrawal": {func(*world) call.Delivery { return cancel("n", start) }, true},
	"a request that may not ring": {func(*world) call.Delivery {
		d := request("n", start)
		d.Request.NotificationID = ""
		return d
	}, true},
}

func TestWithoutAPlaceWhatAddsAnOpenCallIsNotKnownAndAllElseIsAnsweredAsAccepted(t *testing.T) {
	t.Parallel()
	for name, c := range knowns {
		for variant, change := range map[string]func(*call.Config){
			"": func(*call.Config) {}, "created first": func(c *call.Config) { c.ReadFirst = false }, "remembered": func(c *call.Config) { c.Remember = 10 },
		} {
			w, twin := newWorld(t, change), newWorld(t, change)
			d := c.before(w)
			rows, rings := w.rows(), w.phones.total()
			open := w.open()
			out, known := w.acceptKnown(d)
			if known != c.known || w.phones.total() != rings || w.open() != open {
				t.Errorf("%s %s: known is %t, %d rings after %d, %d open after %d", name, variant, known, w.phones.total(), rings, w.open(), open)
			}
			if !known && (!reflect.DeepEqual(out, call.Outcome{}) || !reflect.DeepEqual(w.rows(), rows)) {
				t.Errorf("%s %s: something was written or answered: %+v", name, variant, out)
			}
			want := c.before(twin)
			want.ReceivedAt = twin.clock.Now()
			if wanted := twin.accept(want); known && (out.Met != wanted.Met || out.Ack != wanted.Ack || out.Suppressed != wanted.Suppressed || out.Code != wanted.Code || out.By != wanted.By) {
				t.Errorf("%s %s: answered as %s %s %q, and with a place as %s %s %q", name, variant, out.Met, out.Ack, out.Suppressed, wanted.Met, wanted.Ack, wanted.Suppressed)
			}
			if !known { // it comes again once there is a place
				if again := w.accept(d); again.Ack != call.AckDone {
					t.Errorf("%s %s: sent again it meets %s: %s", name, variant, again.Met, again.Message)
				}
			}
		}
	}
}

func TestWithoutAPlaceADuplicateDrivesItsCallWhereNoSweeperRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sweep()
	w.outcome(w.accept(request("n", start)), call.MetReceived, call.AckDone, "")
	w.clock.advance(call.HeartbeatTime + time.Minute) // since the last sweep
	out, known := w.acceptKnown(request("n", start))
	if w.outcome(out, call.MetPlaced, call.AckDone, call.ReasonInProgress); !known {
		t.Error("it is not known")
	}
	w.clean(1)
}
