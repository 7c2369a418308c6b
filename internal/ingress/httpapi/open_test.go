package httpapi_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
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
