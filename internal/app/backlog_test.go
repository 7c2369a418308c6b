package app_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// What a backlog is drained with, unless a test says otherwise.
const (
	dialTakes   = 300 * time.Millisecond
	otherRegion = "eu-west-2"
	paceBurst   = 5
	headroom    = 0.98 // of the configured pace, as docs/configuration.md has it
)

// drainage is one or more processes on one ledger that drain a backlog, with a telephone that takes its time.
type drainage struct {
	t       *testing.T
	pace    float64
	apps    []*app.App
	stop    context.CancelFunc
	ended   sync.WaitGroup
	writes  atomic.Int64
	mu      sync.Mutex
	asked   map[string]int // row id to place of acceptance in its Region
	counts  map[string]int // accepted in a Region
	rings   map[string][]ring
	ringing map[string]int // rings of a row
}

// ring is one dial on the wire.
type ring struct {
	at    time.Time
	order int // of its acceptance in the Region
	asked time.Time
}

// pool says what a drainage is made of.
type pool struct {
	driver    string
	processes int
	pace      float64
	patience  string
	shared    bool
	tracked   bool
	before    bool // the sweep as it was before lanes and lines
}

func drain(t *testing.T, p pool) *drainage {
	t.Helper()
	d := &drainage{t: t, pace: p.pace, asked: map[string]int{}, counts: map[string]int{}, rings: map[string][]ring{}, ringing: map[string]int{}}
	ctx, stop := context.WithCancel(t.Context())
	d.stop = stop
	first, path := memory.New(memory.Options{}), t.TempDir()+"/calls.db"
	for n := range p.processes {
		a := d.open(p, first, path, byte(n+1))
		d.apps = append(d.apps, a)
		d.ended.Go(func() {
			if p.before {
				d.sweepAsBefore(ctx, a)
				return
			}
			a.RunSweeper(ctx)
		})
	}
	synctest.Wait() // every sweeper has left its heartbeat
	return d
}

func (d *drainage) open(p pool, first *memory.Ledger, path string, seed byte) *app.App {
	d.t.Helper()
	production, outcome := false, "off"
	if p.tracked {
		outcome = "track"
	}
	profile := func(region string) app.Profile {
		return app.Profile{
			Region: region, InstanceID: connectemu.DefaultInstance, ContactFlowID: goodFlow, QueueID: "33333333-3333-4333-8333-333333333333", Outcome: outcome,
		}
	}
	c := &app.Config{
		Production: &production, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"}, Ledger: app.Ledger{Driver: p.driver},
		Profiles:       map[string]app.Profile{testRegion: profile(testRegion), otherRegion: profile(otherRegion)},
		DefaultProfile: testRegion, Pacing: app.Pacing{PerSecond: &p.pace, Burst: paceBurst, Patience: p.patience, Shared: p.shared},
	}
	all := stores.All()
	all["memory"] = func(context.Context, app.StoreRequest) (*app.Store, error) {
		l := first.Reopen()
		return &app.Store{Ledger: l, Index: l, Journal: l, Cells: l, Admin: l, Close: l.Close}, nil
	}
	if p.driver == "sqlite" {
		c.Ledger.Path = path
	}
	o := app.Options{
		Stores: all, Clock: app.SystemClock{}, Random: newSource(seed), LookupEnv: lambdaEnv,
		WrapDialer: func(inner call.Dialer) call.Dialer { return slowPhone{inner, d} },
		WrapLedger: func(l call.Ledger) call.Ledger { return countedLedger{l, &d.writes} },
	}
	if err := c.Validate(); err != nil {
		d.t.Fatal(err)
	}
	a, err := app.New(d.t.Context(), c, o)
	if err != nil {
		d.t.Fatal(err)
	}
	if p.before {
		a.Engine.Pacer = struct{ call.Pacer }{a.Engine.Pacer} // it lines nobody up
	}
	return a
}

// sweepAsBefore plants the sweep that takes one row after another and rests between two passes, whatever is due.
func (d *drainage) sweepAsBefore(ctx context.Context, a *app.App) {
	for ctx.Err() == nil {
		if _, err := a.Engine.Sweep(ctx, a.Config.SweepLimit()); err != nil && ctx.Err() == nil {
			d.t.Error(err)
		}
		_ = a.Clock.Sleep(ctx, a.Config.SweepEvery())
	}
}

// countedLedger counts what is written of calls.
type countedLedger struct {
	call.Ledger

	writes *atomic.Int64
}

// Create implements call.Ledger.
func (l countedLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	l.writes.Add(1)
	return l.Ledger.Create(ctx, w)
}

// Update implements call.Ledger.
func (l countedLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	l.writes.Add(1)
	return l.Ledger.Update(ctx, w)
}

// slowPhone rings, and answers a moment later.
type slowPhone struct {
	call.Dialer

	d *drainage
}

// Dial implements call.Dialer.
func (s slowPhone) Dial(ctx context.Context, send call.Send) call.Answer {
	s.d.mu.Lock()
	region := send.Target.Region
	s.d.rings[region] = append(s.d.rings[region], ring{at: time.Now(), order: s.d.asked[send.CallID]})
	s.d.ringing[send.CallID]++
	s.d.mu.Unlock()
	if err := (app.SystemClock{}).Sleep(ctx, dialTakes); err != nil {
		return call.Answer{Class: call.ClassAmbiguous, Code: "cut_off", Took: dialTakes}
	}
	return call.Answer{Class: call.ClassOK, ContactID: "contact-" + send.AttemptID, Took: dialTakes}
}

// Describe implements call.Dialer: every contact is over.
func (s slowPhone) Describe(ctx context.Context, _ call.Target, id string) (call.Contact, error) {
	if err := (app.SystemClock{}).Sleep(ctx, dialTakes); err != nil {
		return call.Contact{}, err
	}
	return call.Contact{}, fmt.Errorf("contact %s: %w", id, call.ErrNotFound)
}

// accept accepts n calls of a Region at this instant, in turn by each process.
func (d *drainage) accept(region string, n int) {
	d.t.Helper()
	for range n {
		d.mu.Lock()
		k := d.counts[region]
		d.counts[region]++
		d.mu.Unlock()
		request := call.Request{NotificationID: fmt.Sprintf("%s-%d", region, k), RecipientID: "user", Profile: region, Destination: phoneOf(d.t, k)}
		out := d.apps[k%len(d.apps)].Engine.Accept(d.t.Context(), call.Delivery{ID: strconv.Itoa(k), Source: call.SourceHTTP, Request: request})
		if out.Call.State != call.Received {
			d.t.Fatalf("call %d: %s %s %s", k, out.Met, out.Code, out.Message)
		}
		d.mu.Lock()
		d.asked[out.Call.ID] = k
		d.mu.Unlock()
	}
}

func phoneOf(t *testing.T, n int) call.Phone {
	t.Helper()
	p, err := call.ParsePhone(number(n%10000))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// await waits until a Region has rung so many times, at most for so long.
func (d *drainage) await(region string, n int, most time.Duration) {
	for end := time.Now().Add(most); time.Now().Before(end) && d.rang(region) < n; {
		time.Sleep(time.Second)
	}
}

func (d *drainage) rang(region string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.rings[region])
}

// end ends the processes.
func (d *drainage) end() {
	time.Sleep(time.Minute)
	d.stop()
	d.ended.Wait()
	for _, a := range d.apps {
		if err := a.Close(); err != nil {
			d.t.Error(err)
		}
	}
}

// drained is what a drained Region was like.
type drained struct {
	rings, most  int     // and of one call
	rate         float64 // after the burst
	displacement int
	excess       float64 // rings more than the bucket allows
	writes       float64 // a call, of all Regions
}

func (d *drainage) measure(region string) (m drained) {
	rings, all := d.rings[region], 0
	for _, n := range d.ringing {
		m.most = max(m.most, n)
		all += n
	}
	m.rings, m.writes = len(rings), float64(d.writes.Load())/float64(max(all, 1))
	interval := time.Duration(float64(time.Second) / (d.pace * headroom))
	var next time.Time // theoretical time of the next ring
	for i, r := range rings {
		m.displacement = max(m.displacement, i-r.order, r.order-i)
		if next.Before(r.at) {
			next = r.at
		}
		m.excess = max(m.excess, float64(next.Sub(r.at))/float64(interval)-(paceBurst-1))
		next = next.Add(interval)
	}
	if len(rings) > paceBurst {
		m.rate = float64(len(rings)-paceBurst) / rings[len(rings)-1].at.Sub(rings[paceBurst-1].at).Seconds()
	}
	return m
}

func (d *drainage) want(m drained, rings, displacement int, writes float64) {
	d.t.Helper()
	paced := d.pace * headroom
	d.t.Logf("%d rings, %.3f a second of %.3f, displaced by %d, %.2f writes a call", m.rings, m.rate, paced, m.displacement, m.writes)
	for what, bad := range map[string]bool{
		"a call rang twice or never":             m.most != 1 || m.rings != rings,
		"the pace is not kept":                   m.excess > 0.001,
		"the pace is not reached":                m.rate < 0.98*paced,
		"the order is not that of acceptance":    m.displacement > displacement,
		"calls are written again and again":      m.writes > writes,
	} {
		if bad {
			d.t.Errorf("%s: %+v", what, m)
		}
	}
}

// backlogSize is the number of calls of the long backlogs; RINGONCE_BACKLOG is another one (docs/benchmarks.md).
func backlogSize(t *testing.T, preset int) int {
	t.Helper()
	text, ok := os.LookupEnv("RINGONCE_BACKLOG")
	if !ok {
		return preset
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestABacklogDrainsAtThePaceInTheOrderOfAcceptance(t *testing.T) {
	t.Parallel()
	for _, p := range []pool{
		{driver: "memory", processes: 1, pace: 2},
		{driver: "memory", processes: 1, pace: 20},
		{driver: "memory", processes: 1, pace: 2, patience: "0s"},
		{driver: "memory", processes: 1, pace: 20, patience: "0s"},
		{driver: "memory", processes: 1, pace: 0.3},
		{driver: "memory", processes: 1, pace: 2, tracked: true},
		{driver: "memory", processes: 2, pace: 2, shared: true},
		{driver: "memory", processes: 2, pace: 20, shared: true, patience: "0s"},
		{driver: "sqlite", processes: 1, pace: 20},
	} {
		t.Run(fmt.Sprintf("%s %d at %v patience %s", p.driver, p.processes, p.pace, p.patience), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n := 2000
				if p.driver != "memory" {
					n = 300
				}
				d := drain(t, p)
				d.accept(testRegion, n)
				d.await(testRegion, n, time.Duration(2*float64(n)/p.pace)*time.Second)
				d.end()
				d.want(d.measure(testRegion), n, 20+paceBurst, 4.1)
			})
		})
	}
}

var _ = rand.Int
var _ = backlogSize
