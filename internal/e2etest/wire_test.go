//go:build integration

package e2etest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
)

// hang is how the wire to the table breaks.
type hang int32

const (
	wireWorks  hang = iota
	hangBefore      // a write is not applied and never answered
	hangAfter       // a write is applied and never answered
)

// ledgerWire is the network between a function and its table. Told to hang, it does so for every write from the first ring on: between
// the dial and its record.
type ledgerWire struct {
	URL       string
	telephone *connectemu.Server
	hang      atomic.Int32
	hung      atomic.Int32 // writes that were not answered
}

func startLedgerWire(t *testing.T, server string, telephone *connectemu.Server) *ledgerWire {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	w := &ledgerWire{telephone: telephone}
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) },
		// A client that was killed is what these cases are about.
		ErrorHandler: func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
	}
	served := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		how := hang(w.hang.Load())
		if how == wireWorks || !strings.HasSuffix(r.Header.Get("X-Amz-Target"), ".PutItem") || telephone.RingCount() == 0 {
			forward.ServeHTTP(out, r)
			return
		}
		w.hung.Add(1)
		if how == hangAfter {
			forward.ServeHTTP(httptest.NewRecorder(), r)
		} else if _, err := io.Copy(io.Discard, r.Body); err != nil { // read, or the end of the client is not noticed
			return
		}
		<-r.Context().Done()
	}))
	t.Cleanup(func() {
		served.CloseClientConnections()
		served.Close()
	})
	w.URL = served.URL
	return w
}
