package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// bursting is a ledger whose reads panic, or fail with a text that nobody may see.
type bursting struct {
	call.Ledger

	with any
}

// Get implements call.Ledger.
func (b bursting) Get(context.Context, string) (call.Call, error) {
	if err, ok := b.with.(error); ok {
		return call.Call{}, err
	}
	panic(b.with)
}

func TestAPanicIsAProblemThatTellsNothing(t *testing.T) {
	t.Parallel()
	for with, want := range map[any]struct {
		status int
		code   string
	}{
		"+819000000001 broke":                       {http.StatusInternalServerError, "internal"},
		errors.New("disk of +819000000001 is full"): {http.StatusServiceUnavailable, "ledger_unavailable"},
	} {
		w := newWorld(t, func(o *httpapi.Options) { o.Ledger = bursting{o.Ledger, with} })
		a := w.want(w.do(&shop, "GET", "/v1/calls/"+strings.Repeat("A", 43), ""), want.status, want.code)
		if strings.Contains(a.Text, "broke") || strings.Contains(a.Text, "disk") {
			t.Error(a.Text)
		}
	}
}

func TestPathsAndMethodsThatThereAreNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.want(w.do(&shop, "GET", "/v1/nothing", ""), http.StatusNotFound, "no_such_path")
	w.want(w.do(nil, "GET", "/v1/nothing", ""), http.StatusUnauthorized, "unauthorized")
	w.want(w.do(&shop, "GET", "/", ""), http.StatusNotFound, "no_such_path")
	if a := w.want(w.do(&shop, "DELETE", "/v1/calls", ""), http.StatusMethodNotAllowed, "method_not_allowed"); a.Header.Get("Allow") == "" {
		t.Error(a.Header)
	}
	w.want(w.do(&keeper, "POST", "/v1/calls/x/recall", `{"reason":`), http.StatusBadRequest, "bad_request")
	w.want(w.do(&keeper, "POST", "/v1/calls/x/recall", `{"reason":"+819000000001"}`, "Content-Type", "text/plain"), http.StatusUnsupportedMediaType, "media_type")
}

// Some frameworks let a header or a parameter replace the method of a POST.
func TestNothingInARequestReplacesItsMethod(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, header := range []string{"X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"} {
		for _, method := range []string{"GET", "DELETE"} {
			w.want(w.do(&shop, "POST", "/v1/calls?_method="+method, `{"notificationId":`, header, method), http.StatusUnprocessableEntity, "json_syntax")
		}
	}
}

func TestTheDocumentAndItsPageAreServedAndLoadNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if a := w.do(nil, "GET", "/openapi.yaml", ""); a.Status != http.StatusOK || !strings.HasPrefix(a.Text, "openapi: 3.1.0") {
		t.Error(a.Status)
	}
	page := w.do(nil, "GET", "/docs", "")
	if page.Status != http.StatusOK || !strings.HasPrefix(page.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Error(page.Status, page.Header)
	}
	for _, want := range []string{"POST /v1/calls:batch", "Idempotency-Key", "idempotency_mismatch", "too_many_in_flight", "schema-CallDetail", "operators with the role admin"} {
		if !strings.Contains(page.Text, want) {
			t.Errorf("the page does not tell %s", want)
		}
	}
	for _, forbidden := range []string{"<script", "<link", "<img", "src=", "http://", "https://"} {
		if strings.Contains(page.Text, forbidden) {
			t.Errorf("the page has %s", forbidden)
		}
	}
}

func TestARoleThatNobodyKnowsMayNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, who := range []access.Principal{{}, {Kind: access.Operator}, {Kind: access.Operator, Role: "root"}, {Kind: "robot"}} {
		for _, e := range endpoints {
			w.want(w.do(&who, e.method, strings.ReplaceAll(e.path, "CALL", "x"), e.body), http.StatusForbidden, "forbidden")
		}
	}
}

func TestWithoutAPortThereIsNoAPI(t *testing.T) {
	t.Parallel()
	if _, err := httpapi.New(httpapi.Options{}); call.CodeOf(err) != call.CodeConfiguration {
		t.Error(err)
	}
}

func TestALostAuditLineIsNoLostAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *httpapi.Options) {
		o.Audit = func(context.Context, httpapi.Act) error { return errors.New("disk full") }
	})
	w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)), http.StatusAccepted, "accepted")
}
