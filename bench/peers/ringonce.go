package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// ringonce is the engine in this process, as `ringonce serve` has it but for the pace and the memory of placed calls, which is off: every duplicate asks
// its ledger.
type ringonce struct {
	places bool // Place, with a dial that is answered at once, instead of Accept, which leaves the dial to the sweep
}

// answering is a telephone that places every call at once and counts.
type answering struct{ rings atomic.Int64 }

// body is what a request to Amazon Connect looks like.
var body = []byte(`{"Attributes":{"language":"ja-JP"},"ClientToken":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",` +
	`"ContactFlowId":"22222222-2222-4222-8222-222222222222","DestinationPhoneNumber":"+819000000001",` +
	`"InstanceId":"11111111-1111-4111-8111-111111111111","QueueId":"33333333-3333-4333-8333-333333333333"}`)

// Prepare implements call.Dialer.
func (*answering) Prepare(call.Order) ([]byte, error) { return body, nil }

// Dial implements call.Dialer.
func (a *answering) Dial(context.Context, call.Send) call.Answer {
	return call.Answer{Class: call.ClassOK, ContactID: "contact-" + strconv.FormatInt(a.rings.Add(1), 10)}
}

// Describe implements call.Dialer.
func (*answering) Describe(context.Context, call.Target, string) (call.Contact, error) {
	return call.Contact{}, call.ErrNotFound
}

// Search implements call.Dialer.
func (*answering) Search(context.Context, call.Target, string, time.Time, time.Time) ([]call.Contact, error) {
	return nil, nil
}

// Stop implements call.Dialer.
func (*answering) Stop(context.Context, call.Target, string) error { return nil }

type unobserved struct{}

// Decided implements call.Observer.
func (unobserved) Decided(context.Context, call.Decided) {}

// ledger is what every driver returns.
type ledger interface {
	call.Ledger
	call.Journal
	Flush(ctx context.Context) error
	Close() error
}

// engine is ringonce as a subject.
type engine struct {
	*call.Engine

	places   bool
	ledger   ledger
	phones   *answering
	count    func(ctx context.Context) (int, error)
	requests func() int64
}

// start makes the engine on a ledger that it then owns.
func (r ringonce) start(ctx context.Context, l ledger, readFirst bool, count func(ctx context.Context) (int, error)) (*engine, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	profile := call.Profile{Name: "alert", Region: "ap-northeast-1", InstanceID: "11111111-1111-4111-8111-111111111111"}
	e := &engine{places: r.places, ledger: l, phones: &answering{}, count: count, requests: func() int64 { return 0 }}
	e.Engine, err = call.New(ctx, call.Config{
		Ledger: l, Journal: l, Dialer: e.phones, Clock: app.SystemClock{}, Pacer: call.NewPace(0, 0), Searches: call.NewPace(0, 0), Observer: unobserved{},
		Random: rand.Reader, ReadFirst: readFirst,
		Profile: func(string) (call.Profile, bool) { return profile, true },
		Token:   func(in call.TokenInput) (string, error) { return maker.Token(clienttoken.Input(in)) },
	})
	if err == nil {
		_, err = e.Sweep(ctx, 1) // of nothing: it writes the beat without which Accept dials
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return e, nil
}

// ask measures until the notes of repeats are written too, which no repeat waits for: a few thousand of them fit into memory, and would be answered
// faster than they can be for long.
func (e *engine) ask(ctx context.Context, first, number, lanes int) (phase, error) {
	if err := e.ledger.Beat(ctx, time.Now()); err != nil {
		return phase{}, err
	}
	before, cpu, begun := e.requests(), spent(), time.Now()
	p, err := inLanes(ctx, first, number, lanes, e.one)
	if err == nil {
		err = e.ledger.Flush(ctx)
	}
	p.took, p.cpu, p.requests = time.Since(begun), spent()-cpu, e.requests()-before
	return p, err
}

func (e *engine) one(ctx context.Context, n int) (said, error) {
	o := orderOf(n)
	phone, err := call.ParsePhone(o.DestinationPhoneNumber)
	if err != nil {
		return silent, err
	}
	d := call.Delivery{
		Source: call.SourceSQS, ID: "message", ReceiveCount: 1,
		Request: call.Request{NotificationID: o.NotificationID, RecipientID: o.RecipientID, Destination: phone, Profile: o.Profile, Attributes: o.Attributes},
	}
	decide, want := e.Accept, call.MetReceived
	if e.places {
		decide, want = e.Place, call.MetPlaced
	}
	switch out := decide(ctx, d); {
	case out.Met != want:
		return silent, fmt.Errorf("key %d met %s: %s", n, out.Met, out.Message)
	case out.Suppressed != "":
		return old, nil
	}
	return fresh, nil
}

func (e *engine) kept(ctx context.Context) (tally, error) {
	rows, err := e.count(ctx)
	return tally{rows: rows, runs: int(e.phones.rings.Load())}, err
}

func (e *engine) close() error { return e.ledger.Close() }
