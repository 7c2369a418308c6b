package httpapi_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// gate is a wire that nothing passes until it is open.
type gate struct {
	http.RoundTripper

	open chan struct{}
}

func (g gate) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case <-g.open:
		return g.RoundTripper.RoundTrip(r)
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func TestAWaitThatIsOverIsAnsweredAndItsDialGoesOn(t *testing.T) {
	t.Parallel()
	var dials sync.WaitGroup
	wire := gate{&http.Transport{}, make(chan struct{})}
	w := worldOf(t, setting{wire: wire}, func(o *httpapi.Options) {
		o.Go, o.MaxWait = dials.Go, time.Second
	})
	a := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=600"), http.StatusAccepted, "dialing")
	if a.Header.Get("Preference-Applied") != "wait=1" || a.text("state") != "dialing" || a.text("contactId") != "" {
		t.Error(a.Header, a.Text)
	}
	again := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=1"), http.StatusOK, "duplicate")
	if again.text("duplicateOf") != a.text("callId") || again.text("state") != "dialing" {
		t.Error(again.Text)
	}
	w.rings(0)
	close(wire.open)
	dials.Wait()
	w.rings(1)
	if d := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=1"), http.StatusOK, "duplicate"); d.text("state") != "placed" || d.text("contactId") == "" {
		t.Error(d.Text)
	}
	w.sweep()
	w.rings(1)
}

func TestAWaitThatIsOverBeforeItsDialBeganLeavesTheCallToTheSweep(t *testing.T) {
	t.Parallel()
	var dial func()
	w := newWorld(t, func(o *httpapi.Options) { o.Go = func(f func()) { dial = f } })
	a := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=1"), http.StatusAccepted, "accepted")
	if a.Header.Get("Preference-Applied") != "wait=1" || a.text("state") != "received" {
		t.Error(a.Header, a.Text)
	}
	w.rings(0)
	w.sweep()
	w.rings(1)
	dial() // late: the call has rung
	w.rings(1)
}
