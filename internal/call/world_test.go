package call_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

var start = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// clock is virtual: sleeping moves it.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.advance(d)
	return ctx.Err()
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// skewed is a worker's own clock, off by a constant.
type skewed struct {
	*clock
	by time.Duration
}

func (s skewed) Now() time.Time { return s.clock.Now().Add(s.by) }

// crash is the death of a process between two effects.
type crash struct{}

// world is one ledger, one telephone network and the engines that run on them.
type world struct {
	t        testing.TB
	clock    *clock
	phones   *phones
	store    ledgertest.Ledger
	faults   *faults
	spool    *spool
	wakes    *wakes
	profiles map[string]call.Profile
	random   *rand.ChaCha8
	change   []func(*call.Config)
	engine   *call.Engine
	told     []call.Decided
}

func newWorld(t testing.TB, change ...func(*call.Config)) *world {
	t.Helper()
	return newWorldOn(t, memory.New(memory.Options{}), change...)
}

func newWorldOn(t testing.TB, store ledgertest.Ledger, change ...func(*call.Config)) *world {
	t.Helper()
	w := &world{
		t: t, clock: &clock{now: start}, spool: &spool{}, random: rand.NewChaCha8([32]byte{7}), change: change,
		profiles: map[string]call.Profile{"": {Name: "default", Region: "r", InstanceID: "i", ContactFlowID: "flow"}},
	}
	w.phones = newPhones(w.clock)
	w.store = store
	w.faults = &faults{Ledger: w.store}
	w.phones.faults = w.faults
	w.wakes = &wakes{w: w}
	w.engine = w.start()
	w.sweep()
	return w
}

// start begins a process. It may be called again: every engine works on the same ledger.
func (w *world) start(change ...func(*call.Config)) *call.Engine {
	w.t.Helper()
	maker, err := clienttoken.New(clienttoken.Options{Recipe: clienttoken.SHA256})
	if err != nil {
		w.t.Fatal(err)
	}
	c := call.Config{
		Ledger: w.faults, Journal: w.store, Index: w.store, Eraser: w.faults, Dialer: w.phones, Clock: w.clock, Pacer: call.NewPace(0, 0),
		Searches: call.NewPace(0, 0), Observer: w, Waker: w.wakes, Spool: w.spool, Random: w.random, ReadFirst: true, Patience: time.Second,
		Profile: func(name string) (call.Profile, bool) { p, ok := w.profiles[name]; return p, ok },
		Token: func(in call.TokenInput) (string, error) {
			return maker.Token(clienttoken.Input{
				KeySpace: in.KeySpace, NotificationID: in.NotificationID, RecipientID: in.RecipientID, RecallID: in.RecallID, Ring: in.Ring,
			})
		},
	}
	for _, f := range append(slices.Clone(w.change), change...) {
		f(&c)
	}
	engine, err := call.New(context.Background(), c)
	if err != nil {
		w.t.Fatal(err)
	}
	return engine
}

// Decided implements call.Observer.
func (w *world) Decided(_ context.Context, d call.Decided) { w.told = append(w.told, d) }

func (w *world) heard(what string) int {
	n := 0
	for _, d := range w.told {
		if d.What == what {
			n++
		}
	}
	return n
}

func (w *world) profile(change func(*call.Profile)) {
	p := w.profiles[""]
	change(&p)
	w.profiles[""] = p
}

// request is a delivery of a key over SQS, dated by its payload.
func request(notification string, requestedAt time.Time) call.Delivery {
	number, err := call.ParsePhone("+819000000001")
	if err != nil {
		panic(err)
	}
	return call.Delivery{
		Source: call.SourceSQS, ID: "message", Request: call.Request{
			NotificationID: notification, RecipientID: "user-1", Destination: number, RequestedAt: requestedAt,
		},
	}
}

func undated(notification string) call.Delivery {
	d := request(notification, time.Time{})
	d.FirstRequested = call.Stamp{At: start, Tier: call.TierHop, From: "sqs.SentTimestamp"}
	return d
}

func cancel(notification string, at time.Time) call.Delivery {
	d := request(notification, at)
	d.Request.Action, d.Request.Destination = call.ActionCancel, call.Phone{}
	return d
}

// place delivers once. A crash on the way is a delivery that was not acknowledged, and a new process.
func (w *world) place(d call.Delivery) (out call.Outcome) {
	d.ReceivedAt = w.clock.Now()
	if w.survive(func() { out = w.engine.Place(context.Background(), d) }) {
		return out
	}
	return call.Outcome{Ack: call.AckRetry}
}

// survive runs an act and reports whether its process lived. After a crash the next process takes over.
func (w *world) survive(act func()) (lived bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, planned := r.(crash); !planned {
				panic(r)
			}
			w.engine = w.start()
		}
	}()
	act()
	return true
}

// deliver repeats a delivery until it is acknowledged, as its queue would, with a sweep between two tries.
func (w *world) deliver(d call.Delivery) call.Outcome {
	w.t.Helper()
	for range 60 {
		if out := w.place(d); out.Ack != call.AckRetry {
			return out
		}
		w.clock.advance(30 * time.Second)
		w.sweep()
	}
	w.t.Fatal("the delivery is never acknowledged")
	return call.Outcome{}
}

// sweep sweeps once and sees that nothing stays due that did not fail.
func (w *world) sweep() call.Swept {
	w.t.Helper()
	var swept call.Swept
	var err error
	at := w.clock.Now()
	fired := w.faults.fired
	if !w.survive(func() { swept, err = w.engine.Sweep(context.Background(), 100) }) || w.faults.fired != fired {
		return swept
	}
	if err != nil {
		w.t.Fatalf("sweep: %v", err)
	}
	for _, c := range w.rows() {
		if due := c.DueAt(); swept.Failed == 0 && !due.IsZero() && !due.After(at) {
			w.t.Errorf("a sweep at %s left a row in state %s due %s (%s)", at.Sub(start), c.State, due.Sub(start), c.DueReason)
		}
	}
	return swept
}

// sweepQuietly sweeps while another process interferes, so that a row may well be left to the next sweep.
func (w *world) sweepQuietly() {
	w.t.Helper()
	w.survive(func() {
		if _, err := w.engine.Sweep(context.Background(), 100); err != nil {
			w.t.Fatal(err)
		}
	})
}

// settle lets time pass from due to due until nothing is due any more.
func (w *world) settle() {
	w.t.Helper()
	for range 400 {
		next := time.Time{}
		for _, c := range w.rows() {
			if due := c.DueAt(); !due.IsZero() && (next.IsZero() || due.Before(next)) {
				next = due
			}
		}
		if next.IsZero() && len(w.spool.facts) == 0 {
			return
		}
		w.clock.advance(max(next.Sub(w.clock.Now()), time.Second))
		w.sweep()
	}
	w.t.Fatalf("it never comes to rest: %+v", w.rows())
}

func (w *world) rows() []call.Call {
	w.t.Helper()
	rows, _, err := w.store.List(context.Background(), call.Filter{Limit: 10_000})
	if err != nil {
		w.t.Fatal(err)
	}
	return rows
}

// row returns a ring of a notification's key.
func (w *world) row(notification string, ring int) call.Call {
	w.t.Helper()
	key := call.Key{Kind: call.KindVoice, NotificationID: notification, RecipientID: "user-1"}
	c, err := w.store.Get(context.Background(), call.Naming{}.Row(key, ring))
	if err != nil {
		w.t.Fatalf("ring %d of %s: %v", ring, notification, err)
	}
	return c
}

// breaches asks every oracle: histories, rows together, and the telephone.
func (w *world) breaches() []call.Breach {
	w.t.Helper()
	var found []call.Breach
	err := w.store.Each(context.Background(), func(c call.Call, entries []call.Entry) error {
		found = append(found, call.CheckHistory(c, entries)...)
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	found = append(found, call.CheckLedger(w.rows(), w.clock.Now(), 5*time.Minute)...)
	found = append(found, call.CheckTruth(w.rows(), w.phones.rings)...)
	return append(found, w.phones.breaches...)
}

// clean fails the test for every breach and for rings that were not expected.
func (w *world) clean(rings int) {
	w.t.Helper()
	for _, b := range w.breaches() {
		w.t.Error(b)
	}
	if got := w.phones.total(); got != rings {
		w.t.Errorf("%d rings, want %d", got, rings)
	}
	if n := w.heard("breach"); n > 0 {
		w.t.Errorf("the engine stopped itself %d times before a breach", n)
	}
}

func (w *world) state(notification string, ring int, want call.State, code call.Code) call.Call {
	w.t.Helper()
	c := w.row(notification, ring)
	if c.State != want || c.Code != code {
		w.t.Errorf("ring %d of %s is %s (%s), want %s (%s): %s", ring, notification, c.State, c.Code, want, code, c.Message)
	}
	return c
}

func (w *world) outcome(out call.Outcome, met call.Situation, ack call.Ack, suppressed string) {
	w.t.Helper()
	if out.Met != met || out.Ack != ack || out.Suppressed != suppressed || (suppressed != "" && (out.By == "" || !out.Replayed)) {
		w.t.Errorf("met %s, %s, suppressed %q by %q; want %s, %s, %q: %s", out.Met, out.Ack, out.Suppressed, out.By, met, ack, suppressed, out.Message)
	}
}

// spool keeps facts across crashes, as a file beside the ledger does.
type spool struct {
	facts  []call.Fact
	broken bool
}

func (s *spool) Keep(f call.Fact) error {
	if s.broken {
		return fmt.Errorf("the disk is full")
	}
	s.facts = append(s.facts, f)
	return nil
}

func (s *spool) Pending() ([]call.Fact, error) { return slices.Clone(s.facts), nil }

func (s *spool) Done(f call.Fact) error {
	s.facts = slices.DeleteFunc(s.facts, func(g call.Fact) bool { return g.Op == f.Op })
	return nil
}
