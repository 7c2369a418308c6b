package httpapi_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
	"github.com/ringonce/ringonce/internal/opencalls"
)

func wishOf(n int) string {
	return fmt.Sprintf(`{"notificationId":"open-%d","recipientId":"user-1","destinationPhoneNumber":%q,"requestedAt":%q}`, n, "+"+strconv.Itoa(819000000000+n), time.Now().UTC().Format(time.RFC3339Nano))
}

func TestBeyondItsOpenCallsAProducerIsToldToWaitAndDuplicatesAreAnswered(t *testing.T) {
	t.Parallel()
	var counter *opencalls.Counter
	w := newWorld(t, func(o *httpapi.Options) {
		counter = opencalls.New(opencalls.Options{Limits: map[string]int{"shop": 2}, Index: o.Index})
		o.Reserve = counter.Reserve
	})
	w.app.Observer.OnEnded(counter.Ended)
	third := wishOf(3)
	place := func(who access.Principal, n int) answer { return w.do(&who, http.MethodPost, "/v1/calls", wishOf(n)) }
	first, second := wishOf(1), wishOf(2)
	for _, body := range []string{first, second} {
		if a := w.do(&shop, http.MethodPost, "/v1/calls", body); a.Status != http.StatusAccepted {
			t.Fatalf("%d %s", a.Status, a.Text)
		}
	}
	for _, headers := range [][]string{nil, {"Idempotency-Key", "k-3"}, {"Prefer", "wait=1"}} {
		if a := w.do(&shop, http.MethodPost, "/v1/calls", third, headers...); a.Status != http.StatusTooManyRequests || a.text("code") != "too_many_open" || a.Header.Get("Retry-After") == "" {
			t.Errorf("%v: %d %v %s", headers, a.Status, a.Header, a.Text)
		}
	}
	if a := w.do(&shop, http.MethodPost, "/v1/calls", first); a.Status >= 300 || a.text("answer") != "duplicate" {
		t.Errorf("a duplicate: %d %s", a.Status, a.Text)
	}
	a := w.do(&shop, http.MethodPost, "/v1/calls:batch", `{"calls":[`+wishOf(4)+`,`+second+`]}`)
	if status, _ := a.at("results", 0, "status").(float64); status != http.StatusTooManyRequests || a.text("results", 0, "problem", "code") != "too_many_open" || a.text("results", 1, "placed", "answer") != "duplicate" {
		t.Errorf("a batch: %s", a.Text)
	}
	if a := w.do(&shop, http.MethodPost, "/v1/calls", `{"action":"cancel","notificationId":"open-9","recipientId":"user-1","requestedAt":"2026-11-30T00:00:00Z"}`); a.Status >= 300 {
		t.Errorf("a withdrawal: %d %s", a.Status, a.Text)
	}
	if a := place(clinic, 5); a.Status != http.StatusAccepted {
		t.Errorf("another producer: %d %s", a.Status, a.Text)
	}
	if a := place(keeper, 6); a.Status != http.StatusAccepted {
		t.Errorf("an operator: %d %s", a.Status, a.Text)
	}
	if n := w.phone.RingCount(); n != 0 {
		t.Errorf("%d rings before anything was dialed", n)
	}
	w.sweep()
	if n := counter.Open("shop"); n != 0 {
		t.Errorf("%d are open after they were dialed", n)
	}
	if a := w.do(&shop, http.MethodPost, "/v1/calls", third, "Idempotency-Key", "k-3"); a.Status != http.StatusAccepted {
		t.Errorf("after the others rang: %d %s", a.Status, a.Text)
	}
	if err := counter.Look(t.Context()); err != nil || counter.Open("shop") != 1 {
		t.Errorf("%v: the ledger has %d open calls", err, counter.Open("shop"))
	}
}

// limited2 is a world in which the shop may have two open calls.
func limited2(t *testing.T, change ...func(*httpapi.Options)) (*world, *opencalls.Counter) {
	t.Helper()
	var counter *opencalls.Counter
	w := newWorld(t, append(change, func(o *httpapi.Options) {
		counter = opencalls.New(opencalls.Options{Limits: map[string]int{"shop": 2}, Index: o.Index})
		o.Reserve = counter.Reserve
	})...)
	w.app.Observer.OnEnded(counter.Ended)
	return w, counter
}

// wishAt asks for a call at an instant; with an action it withdraws it.
func wishAt(n int, at time.Time, action string) string {
	if action != "" {
		return fmt.Sprintf(`{"action":%q,"notificationId":"open-%d","recipientId":"user-1","requestedAt":%q}`, action, n, at.Format(time.RFC3339Nano))
	}
	return fmt.Sprintf(`{"notificationId":"open-%d","recipientId":"user-1","destinationPhoneNumber":%q,"requestedAt":%q}`, n, "+"+strconv.Itoa(819000000000+n), at.Format(time.RFC3339Nano))
}

func TestAWithdrawalMakesNoRoomBeyondTheOpenCallsThatAProducerMayHave(t *testing.T) {
	t.Parallel()
	w, counter := limited2(t)
	before, now := time.Now().UTC().Add(-time.Minute), time.Now().UTC()
	ask := func(body string) answer { return w.do(&shop, http.MethodPost, "/v1/calls", body) }
	for n := 1; n <= 2; n++ {
		w.want(ask(wishAt(n, before, "")), http.StatusAccepted, "accepted")
	}
	for n, action := range map[int]string{3: "cancel", 4: "acknowledge"} {
		w.want(ask(wishAt(n, before, action)), http.StatusOK, "withdrawn") // needs no place
		w.want(ask(wishAt(n, now, "")), http.StatusTooManyRequests, "too_many_open")
		w.want(ask(wishAt(n, now, "")), http.StatusTooManyRequests, "too_many_open")
		a := w.do(&shop, http.MethodPost, "/v1/calls:batch", `{"calls":[`+wishAt(n, now, "")+`]}`)
		if a.text("results", 0, "problem", "code") != "too_many_open" {
			t.Errorf("a batch: %s", a.Text)
		}
	}
	if err := counter.Look(t.Context()); err != nil || counter.Open("shop") != 2 {
		t.Errorf("%v: %d calls are open, with a limit of 2", err, counter.Open("shop"))
	}
	w.sweep()
	w.rings(2)
	w.want(ask(wishAt(3, now, "")), http.StatusAccepted, "accepted") // the others have ended; and nothing was lost of it
	w.sweep()
	w.rings(3)
}

func TestAKnownCallThatWouldRingAgainNeedsAPlaceAndItsDuplicateNone(t *testing.T) {
	t.Parallel()
	w, counter := limited2(t)
	at := func(n int) time.Time { return time.Now().UTC().Add(time.Duration(n-10) * time.Second) }
	ask := func(body string) answer { return w.do(&shop, http.MethodPost, "/v1/calls", body) }
	first := at(1)
	a := w.want(ask(wishAt(1, first, "")), http.StatusAccepted, "accepted")
	w.want(ask(wishAt(1, at(2), "cancel")), http.StatusOK, "withdrawn")
	for n := 2; n <= 3; n++ {
		w.want(ask(wishAt(n, at(3), "")), http.StatusAccepted, "accepted")
	}
	again := at(4)
	w.want(ask(wishAt(1, again, "")), http.StatusTooManyRequests, "too_many_open")
	d := w.want(ask(wishAt(1, first, "")), http.StatusOK, "duplicate")
	if d.text("duplicateOf") != a.text("callId") || d.text("state") != "canceled" || d.text("suppressed") != "canceled" {
		t.Error(d.Text)
	}
	w.want(ask(wishAt(2, at(3), "")), http.StatusOK, "duplicate")
	c := w.want(ask(`{"notificationId":"open-2","recipientId":"user-1","destinationPhoneNumber":"+819000000099"}`), http.StatusConflict, "conflict")
	if c.text("callId") == "" {
		t.Error(c.Text)
	}
	w.want(ask(wishAt(2, at(4), "cancel")), http.StatusOK, "withdrawn")
	if n := counter.Open("shop"); n != 1 {
		t.Errorf("%d are open", n)
	}
	w.want(ask(wishAt(1, again, "")), http.StatusAccepted, "accepted") // into the place of the one that was canceled
	w.want(ask(wishAt(1, again, "")), http.StatusOK, "duplicate")
	w.sweep()
	w.rings(2)
}

// silent is a ledger that does not answer reads while it is told not to.
type silent struct {
	call.Ledger

	off *atomic.Bool
}

// Get implements call.Ledger.
func (s silent) Get(ctx context.Context, id string) (call.Call, error) {
	if s.off.Load() {
		return call.Call{}, errors.New("planted")
	}
	return s.Ledger.Get(ctx, id)
}

func TestBeyondTheLimitALedgerThatDoesNotAnswerSendsTheRequestBack(t *testing.T) {
	t.Parallel()
	var off atomic.Bool
	w, _ := limited2(t)
	for n := 1; n <= 2; n++ {
		w.want(w.do(&shop, http.MethodPost, "/v1/calls", wishAt(n, time.Now(), "")), http.StatusAccepted, "accepted")
	}
	w.app.Engine.Ledger = silent{w.app.Engine.Ledger, &off}
	off.Store(true)
	for n := 1; n <= 3; n++ {
		if a := w.do(&shop, http.MethodPost, "/v1/calls", wishAt(n, time.Now(), "")); a.Status != http.StatusServiceUnavailable {
			t.Errorf("%d: %d %s", n, a.Status, a.Text)
		}
	}
	off.Store(false)
	w.sweep()
	w.rings(2)
}
