package httpapi

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/rules"
	"github.com/ringonce/ringonce/internal/trace"
)

// The defaults and bounds of the API.
const (
	DefaultMaxWait = 30 * time.Second // of Prefer: wait
	MaxBody        = 256 << 10        // bytes of a request
	MaxBatchBody   = 4 << 20          // bytes of a batch
	MaxBatch       = 500              // items of a batch
)

// Options is what the API is made of. Engine, Ledger, Index, Journal, Clock, Observer and Random are required.
type Options struct {
	Engine   *call.Engine
	Ledger   call.Ledger // of the same ledger as Index and Journal
	Index    call.Index
	Journal  call.Journal
	Clock    call.Clock    // may have Monotonic (app.SystemClock), for how long leases of orders are seen
	Observer call.Observer // of what concerns no call; it must be safe for concurrent use
	Random   io.Reader     // of request ids and of the key of cursors; safe for concurrent use

	// Cells keeps pauses, the do-not-call list, orders, the answers of Idempotency-Key and the key of producers' cursors. Without it the first three are refused,
	// and the other two are kept in the memory of this process alone, the answers bounded.
	Cells     call.Cells
	CellNames rules.CellNames // of the do-not-call list

	// Numberless reports whether a request for the profile needs no phone number (envelope.Options). Nil means that every request does.
	Numberless func(profile string) bool
	// Accepted is told of each call that was accepted and may be dialed now, so that somebody does before the next sweep: see [Later]. It must
	// return at once. Nil leaves it to the sweep.
	Accepted func(rowID string)
	// Audit writes down what somebody did. Its error is told as an alarm; what was done is done. Nil writes nothing.
	Audit func(ctx context.Context, act Act) error

	// Audited returns nil while what is done would be written down. Acts of operators after which a phone may ring, or a doubt is closed, are refused
	// before they are done while it returns an error. Requests for calls are not, since a lost call is worse than a missing record, nor what only keeps phones
	// silent. Nil is always well.
	Audited func() error

	// Go runs a dial that may outlive its request; whoever closes the ledger waits for it before. Nil runs it with nobody who waits.
	Go func(dial func())

	// Told returns what the producer of a call is told by webhook, and false where it is told nothing; TellAgain has an event of it told again, and all that
	// follow. Nil Told tells nobody; then TellAgain is not called.
	Told      func(ctx context.Context, row string) (t Telling, told bool, err error)
	TellAgain func(ctx context.Context, row, event string) error

	// TwoPerson lets an order of re-calls wait until a second operator confirms it.
	TwoPerson bool
	// DialsFrom reports whether a profile dials from an instance: only its flows are believed. Nil believes none.
	DialsFrom func(t call.Target) bool
	// Producers are the scopes of the producers that the access configuration knows now, with their rates. Nil knows none.
	Producers func() []access.Scope

	// Reserve takes a place among the open calls that a producer may have in its key space (opencalls.Counter). settle is called once with the call
	// that came of it. Where ok is false only what adds no open call is answered (call.Engine.AcceptKnown). Nil limits nobody.
	Reserve func(producer, space string) (settle func(call.Call), ok bool)

	Spans trace.Spans // of what is accepted; nil means none. The trace of a request is that of its context (call.TraceOf)

	RequireIdempotencyKey bool          // refuse a request for calls without the header
	MaxWait               time.Duration // of Prefer: wait; 0 means 30 s
	LongestOrder          time.Duration // how long an order is carried out at once; 0 means 5 min

	recallID func(order, callID string) string // of re-calls of orders; nil is the one that there is
}

// Act is what somebody did, or was refused, for the audit log.
type Act struct {
	At     time.Time
	Actor  string // name of the principal
	Kind   string // producer, operator or reporter
	Action string // the operation's id in the document
	CallID string // empty when it is about no call
	Target string // what else it is about, such as profile:alert or order:ID; empty when it is nothing else
	Reason string // as given
	Answer string // ok, or the code of the problem

	// Number is the phone number that it is about, zero for none. Of it whoever keeps the act keeps a digest only.
	Number call.Phone
}

// New returns the handler of the API, or an *[call.Error] of CodeConfiguration. It serves /v1/..., /openapi.yaml and /docs.
func New(o Options) (http.Handler, error) {
	if o.Engine == nil || o.Ledger == nil || o.Index == nil || o.Journal == nil || o.Clock == nil || o.Observer == nil || o.Random == nil {
		return nil, &call.Error{
			Code: call.CodeConfiguration, Field: "serve", Message: "The HTTP API lacks a port.",
			Fix: "Fill every required member of httpapi.Options; the API needs a ledger.",
		}
	}
	if o.MaxWait <= 0 {
		o.MaxWait = DefaultMaxWait
	}
	if o.Go == nil {
		o.Go = func(dial func()) { go dial() }
	}
	a := o.api()
	server, err := oas.NewServer(a, oas.WithErrorHandler(a.undecoded), oas.WithNotFound(noSuchPath), oas.WithMethodNotAllowed(wrongMethod))
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/v1/", &front{api: a, oas: server, keys: a.answers()})
	mux.HandleFunc("GET "+documentPath, static("application/yaml", document))
	mux.HandleFunc("GET "+docsPath, a.docsPage())
	mux.HandleFunc("/", noSuchPath)
	return mux, nil
}

// api completes the options.
func (o Options) api() *api {
	if o.recallID == nil {
		o.recallID = recallIDOf
	}
	return &api{Options: o, dials: make(chan struct{}, mostDials), seals: &seals{cells: o.Cells, random: o.Random}}
}

// api does what the operations say. It implements oas.Handler.
type api struct {
	Options

	dials chan struct{} // one for each dial that a request began
	seals *seals        // of the cursors of producers
}
