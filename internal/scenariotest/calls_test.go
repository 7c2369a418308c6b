package scenariotest

import (
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioI71AnAnswerAfterTheDeadlineOfTheClientIsFoundLaterAndRingsOnce(t *testing.T) {
	t.Parallel()
	for _, policy := range []string{"evidence", "never"} {
		play(t, setting{resend: policy, faults: "place-then-delay(60s)"}, func(w *world) {
			w.met(w.send(wish(1)), call.MetDialing, call.AckRetry)
			contact := w.emu.Rings()[0].ContactID
			w.sweepFor(day)
			if c := w.stands(wish(1), call.Placed); c.ContactID != contact || c.ContactFrom != "search" {
				t.Errorf("%s: found %q by %q", policy, c.ContactID, c.ContactFrom)
			}
			w.rang(1)
			w.asked(1)
		})
	}
}

func TestScenarioI73I74EveryTryOnTheWireCarriesTheSameTokenAndBytes(t *testing.T) {
	t.Parallel()
	play(t, setting{faults: "fail-500 times=2; throttle times=4"}, func(w *world) {
		w.sweep()
		w.send(wish(1))
		w.sweepFor(day)
		w.stands(wish(1), call.Placed)
		sent := w.starts()
		if len(sent) != 7 {
			t.Errorf("%d wire requests", len(sent))
		}
		for _, r := range sent { // judge holds the same: no SDK retry, one body for each token
			if r.Token != sent[0].Token || r.BodyHash != sent[0].BodyHash || r.Attempt > 1 {
				t.Errorf("attempt %d of the SDK carried %s", r.Attempt, r.Token)
			}
		}
		w.rang(1)
	})
}

func TestScenarioI58RepairedSettingsCarryATokenOfTheirOwn(t *testing.T) {
	t.Parallel()
	play(t, setting{network: connectemu.Config{Flows: []string{otherFlow}}}, func(w *world) {
		w.sweep()
		w.met(w.send(wish(1)), call.MetReceived, call.AckDone) // a definite refusal
		first := w.row(wish(1), 0)
		w.restart(func(c *app.Config) {
			p := c.Profiles["alert"]
			p.ContactFlowID = otherFlow
			c.Profiles["alert"] = p
		})
		w.sweepFor(time.Hour)
		second := w.row(wish(1), 1)
		if second.State != call.Placed || second.Cause != call.CauseRepin || second.Token == first.Token || w.row(wish(1), 0).State != call.Failed {
			t.Errorf("continued as %v", second)
		}
		w.rang(1) // and judge sees that no token carried two bodies
	})
}

func TestScenarioV1AClientTimeoutOrA500LeadsToTheFirstContactUnderEitherReading(t *testing.T) {
	t.Parallel()
	for _, reading := range []connectemu.Reading{connectemu.A1, connectemu.A1Prime} {
		for _, fault := range []string{"place-then-delay(20s)", "place-then-reset", "place-then-500"} {
			play(t, setting{resend: "never", network: connectemu.Config{Reading: reading}, faults: fault}, func(w *world) {
				w.sweep()
				w.met(w.send(wish(1)), call.MetDialing, call.AckDone)
				w.sweepFor(2 * day)
				if c := w.stands(wish(1), call.Placed); c.ContactID != w.emu.Rings()[0].ContactID {
					t.Errorf("%s: resolved to %q", fault, c.ContactID)
				}
				w.rang(1)
				w.asked(1)
			})
		}
	}
}

// through lets a test stand between the SDK and the telephone network.
type through func(r *http.Request) (*http.Response, error)

// RoundTrip implements http.RoundTripper.
func (f through) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestScenarioV2ARefusedConnectionIsNoLostAnswer(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	refused := func(inner http.RoundTripper) http.RoundTripper {
		return through(func(r *http.Request) (*http.Response, error) {
			if broken.Load() {
				return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
			}
			return inner.RoundTrip(r)
		})
	}
	broken.Store(true)
	play(t, setting{transport: refused}, func(w *world) {
		w.met(w.send(wish(1)), call.MetReceived, call.AckRetry)
		if c := w.row(wish(1), 0); len(c.Open) != 0 || c.DueReason != "not_sent" {
			t.Errorf("connection refused: %v", c)
		}
		broken.Store(false)
		time.Sleep(time.Minute)
		w.met(w.send(wish(1)), call.MetPlaced, call.AckDone)
		w.rang(1)
	})
	play(t, setting{resend: "never", faults: "place-then-reset"}, func(w *world) {
		w.met(w.send(wish(1)), call.MetDialing, call.AckRetry)
		if c := w.row(wish(1), 0); len(c.Open) != 1 || c.DueReason == "not_sent" {
			t.Errorf("reset after the body: %v", c)
		}
		time.Sleep(time.Minute)
		w.send(wish(1))
		w.asked(1)
	})
	if call.Received.Sentence() == call.Dialing.Sentence() {
		t.Error("both are told in the same words")
	}
}

func TestScenarioV7AnUnreadableAnswerKeepsTheIntent(t *testing.T) {
	t.Parallel()
	for _, fault := range []string{"place-then-truncate", "place-then-502", "place-then-empty"} {
		play(t, setting{resend: "never", faults: fault}, func(w *world) {
			w.met(w.send(wish(1)), call.MetDialing, call.AckRetry)
			before := w.row(wish(1), 0)
			w.send(wish(1))
			if after := w.row(wish(1), 0); len(after.Open) != 1 || after.Token != before.Token || after.PinHash != before.PinHash {
				t.Errorf("%s: the intent is gone: %v", fault, after)
			}
			w.rang(1)
			w.asked(1)
		})
	}
}

func TestScenarioV35NoAnswerOutsideOf2xxIsASuccess(t *testing.T) {
	t.Parallel()
	status := 0
	answers := func(inner http.RoundTripper) http.RoundTripper { // the body is that of a success, the contact exists; only the status is another
		return through(func(r *http.Request) (*http.Response, error) {
			response, err := inner.RoundTrip(r)
			if err == nil {
				response.StatusCode, response.Status = status, strconv.Itoa(status)
			}
			return response, err
		})
	}
	play(t, setting{driver: "memory", resend: "never", transport: answers}, func(w *world) {
		for status = 300; status < 600; status++ {
			request := wish(1).with("notificationId", "status-"+strconv.Itoa(status))
			if out := w.send(request); out.Met == call.MetPlaced || out.ContactID != "" || w.row(request, 0).State == call.Placed {
				t.Errorf("HTTP %d is %s", status, out.Met)
			}
		}
		status = 200 // it is the status that was judged
		w.met(w.send(wish(2)), call.MetPlaced, call.AckDone)
	})
}
