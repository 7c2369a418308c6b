package connect

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// flight is one wire attempt on its way through the SDK. It travels in the context, because the SDK's signer and HTTP client
// are made once for all calls.
type flight struct {
	send  call.Send
	clock call.Clock

	signed time.Time // the instant that the guard let pass; zero until then
	handed bool      // the request was given to the HTTP client
	status int       // of the answer; zero when none came
	header http.Header

	// The transport may call its hooks from goroutines of its own.
	connecting atomic.Bool // it asked for a connection, so it is a transport that calls hooks
	connected  atomic.Bool // it got one: from here on bytes may have been written
}

type flightKey struct{}

func withFlight(ctx context.Context, f *flight) context.Context {
	return context.WithValue(ctx, flightKey{}, f)
}

// flightOf returns the attempt that the context carries, or nil for a read.
func flightOf(ctx context.Context) *flight {
	f, _ := ctx.Value(flightKey{}).(*flight)
	return f
}

// The reasons for which a request is stopped inside this process.
var (
	errGuard  = errors.New("the date of the signature is outside the bounds of the send rule")
	errSecond = errors.New("a second wire request for one attempt was stopped")
)

// guard is the send rule's check on the signature (protocol.md section 5): NotBefore <= now <= NotAfter on the injected clock.
// X-Amz-Date is that instant cut to whole seconds, so the date on the wire may be earlier than NotBefore by less than a second;
// the margin M - 2V of the freshness lemma covers hours. Bounds that were never set let nothing pass.
func (f *flight) guard() error {
	if f.send.NotBefore.IsZero() || f.signed.Before(f.send.NotBefore) || f.signed.After(f.send.NotAfter) {
		return errGuard
	}
	return nil
}

// trace watches for the moment from which bytes may be on the wire. Hooks for "headers written" come later than that moment
// when the writer runs beside its caller, so they would prove too much; a connection that was never had proves enough.
func (f *flight) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { f.connecting.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { f.connected.Store(true) },
	}
}
