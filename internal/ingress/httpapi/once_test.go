package httpapi_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

func TestAnIdempotencyKeyIsAnsweredOnceAndReplayed(t *testing.T) {
	t.Parallel()
	for _, durable := range []bool{true, false} {
		w := newWorld(t, func(o *httpapi.Options) {
			if !durable {
				o.Cells = nil
			}
		})
		first := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", `"k-1"`), http.StatusAccepted, "accepted")
		w.sweep()
		again := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", "k-1"), http.StatusAccepted, "accepted")
		if again.Header.Get("Idempotency-Replayed") != "true" || first.Header.Get("Idempotency-Replayed") != "" || again.Text != first.Text {
			t.Error(again.Header, again.Text)
		}
		w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)+" ", "Idempotency-Key", "k-1"), http.StatusUnprocessableEntity, "idempotency_mismatch")
		w.want(w.do(&clinic, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", "k-1"), http.StatusAccepted, "accepted") // somebody else's key
		refused := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 2), "Idempotency-Key", "k-2"), http.StatusConflict, "conflict")
		if b := w.do(&shop, "POST", "/v1/calls", request("n", 2), "Idempotency-Key", "k-2"); b.Header.Get("Idempotency-Replayed") != "true" || b.Text != refused.Text {
			t.Error(b.Text)
		}
		batch := `{"calls":[` + request("n", 1) + `]}`
		one := w.do(&shop, "POST", "/v1/calls:batch", batch, "Idempotency-Key", "k-3")
		if two := w.do(&shop, "POST", "/v1/calls:batch", batch, "Idempotency-Key", "k-3"); two.Text != one.Text || two.Header.Get("Idempotency-Replayed") != "true" {
			t.Error(two.Text)
		}
		w.sweep()
		w.rings(2)
	}
}

func TestAnIdempotencyKeyMustBeOneGoodText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *httpapi.Options) { o.RequireIdempotencyKey = true })
	w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)), http.StatusBadRequest, "idempotency_key_missing")
	for _, headers := range [][]string{
		{"Idempotency-Key", ""},
		{"Idempotency-Key", "a,b"},
		{"Idempotency-Key", strings.Repeat("k", 257)},
		{"Idempotency-Key", "a b"},
		{"Idempotency-Key", "a", "Idempotency-Key", "b"},
	} {
		w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), headers...), http.StatusBadRequest, "idempotency_key_invalid")
	}
	w.sweep()
	w.rings(0)
}

func TestTheSameIdempotencyKeyAtOnceIsInProgressOrReplayed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			a := w.do(&shop, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", "k", "Prefer", "wait=20")
			switch {
			case a.Status == http.StatusOK && a.text("answer") == "placed":
			case a.Status == http.StatusConflict && a.text("code") == "idempotency_in_progress" && a.Header.Get("Retry-After") != "":
			default:
				t.Errorf("%d %s", a.Status, a.Text)
			}
		})
	}
	all.Wait()
	w.rings(1)
}

func TestAnotherBodyWithTheKeyOfARequestInProgressIsAMismatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	who := access.Local()
	w.do(&who, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", "k")
	w.want(w.do(&who, "POST", "/v1/calls:batch", `{"calls":[`+request("n", 1)+`]}`, "Idempotency-Key", "k"), http.StatusUnprocessableEntity, "idempotency_mismatch")
}
