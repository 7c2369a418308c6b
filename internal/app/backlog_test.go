package app_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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
	pool    pool
	first   *memory.Ledger
	path    string // of a SQLite ledger
	apps    []*app.App
	started byte // processes so far
	stops   []func()
	writes  atomic.Int64
	reads   atomic.Int64

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
}

// pool says what a drainage is made of.
type pool struct {
	driver    string
	processes int
	pace      float64
	patience  string
	shared    bool
	tracked   bool
	unlined   bool // no call is lined up
	before    bool // nor is the sweep what it is now
}

func drain(t *testing.T, p pool) *drainage {
	t.Helper()
	d := &drainage{
		t: t, pool: p, first: memory.New(memory.Options{}), path: filepath.Join(t.TempDir(), "calls.db"),
		asked: map[string]int{}, counts: map[string]int{}, rings: map[string][]ring{}, ringing: map[string]int{},
	}
	for range max(p.processes, 1) {
		d.start()
	}
	return d
}

// start starts a process that sweeps, and returns when it has left its heartbeat.
func (d *drainage) start() {
	d.t.Helper()
	ctx, stop := context.WithCancel(d.t.Context())
	d.started++
	a := d.open(d.started) // no two processes draw the same ids
	d.apps = append(d.apps, a)
	var ended sync.WaitGroup
	ended.Go(func() {
		if d.pool.before {
			d.sweepAsBefore(ctx, a)
			return
		}
		a.RunSweeper(ctx)
	})
	synctest.Wait()
	d.stops = append(d.stops, func() {
		stop()
		ended.Wait()
		if err := a.Close(); err != nil {
			d.t.Error(err)
		}
	})
}

// end ends the processes that run.
func (d *drainage) end() {
	time.Sleep(time.Minute)
	for _, stop := range d.stops {
		stop()
	}
	d.stops, d.apps = nil, nil
}

func (d *drainage) open(seed byte) *app.App {
	d.t.Helper()
	p := d.pool
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
		Production: &production, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"}, Ledger: app.Ledger{Driver: cmp.Or(p.driver, "memory")},
		Profiles:       map[string]app.Profile{testRegion: profile(testRegion), otherRegion: profile(otherRegion)},
		DefaultProfile: testRegion, Pacing: app.Pacing{PerSecond: &p.pace, Burst: paceBurst, Patience: p.patience, Shared: &p.shared},
	}
	all := stores.All()
	all["memory"] = func(context.Context, app.StoreRequest) (*app.Store, error) {
		l := d.first.Reopen()
		return &app.Store{Ledger: l, Index: l, Journal: l, Cells: l, Admin: l, Close: l.Close}, nil
	}
	if p.driver == "sqlite" {
		c.Ledger.Path, c.Ledger.Witness = d.path, filepath.Join(d.t.TempDir(), "witness")
	}
	o := app.Options{
		Stores: all, Clock: app.SystemClock{}, Random: newSource(seed), LookupEnv: lambdaEnv,
		WrapDialer: func(inner call.Dialer) call.Dialer { return slowPhone{inner, d} },
		WrapLedger: func(l call.Ledger) call.Ledger { return countedLedger{l, &d.writes, &d.reads} },
	}
	if err := c.Validate(); err != nil {
		d.t.Fatal(err)
	}
	a, err := app.New(d.t.Context(), c, o)
	if err != nil {
		d.t.Fatal(err)
	}
	if p.before || p.unlined {
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

	writes, reads *atomic.Int64
}

// Get implements call.Ledger.
func (l countedLedger) Get(ctx context.Context, id string) (call.Call, error) {
	l.reads.Add(1)
	return l.Ledger.Get(ctx, id)
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
	at := time.Now().Add(-time.Minute).UTC()
	return call.Contact{ID: id, Initiated: at, Disconnected: at.Add(time.Second), Sight: call.Sight{Initiated: at, Disconnected: at.Add(time.Second)}}, nil
}

// accept accepts n calls of a Region at this instant, in turn by each process.
func (d *drainage) accept(region string, n int) {
	d.t.Helper()
	d.acceptAs(region, n, false)
}

func (d *drainage) acceptAs(region string, n int, urgent bool) {
	d.t.Helper()
	for range n {
		d.mu.Lock()
		k := d.counts[region]
		d.counts[region]++
		d.mu.Unlock()
		request := call.Request{NotificationID: fmt.Sprintf("%s-%d", region, k), RecipientID: "user", Profile: region, Destination: phoneOf(d.t, k), Urgent: urgent}
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
	p, err := call.ParsePhone(number(n % 10000))
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

func (d *drainage) firstRing(region string) time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.rings[region][0].at
}

// drained is what a drained Region was like.
type drained struct {
	rings, most  int     // and of one call
	rate         float64 // after the burst
	displacement int
	excess       float64 // rings more than the bucket allows
	writes       float64 // a call, of all Regions
	reads        float64
}

func (d *drainage) measure(region string) (m drained) {
	d.mu.Lock()
	defer d.mu.Unlock()
	rings, all := d.rings[region], 0
	for _, n := range d.ringing {
		m.most = max(m.most, n)
		all += n
	}
	m.rings, m.writes, m.reads = len(rings), float64(d.writes.Load())/float64(max(all, 1)), float64(d.reads.Load())/float64(max(all, 1))
	interval := time.Duration(float64(time.Second) / (d.pool.pace * headroom))
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
	paced := d.pool.pace * headroom
	d.t.Logf("%d rings, %.3f a second of %.3f, displaced by %d, %.2f writes and %.2f reads a call", m.rings, m.rate, paced, m.displacement, m.writes, m.reads)
	for _, breach := range m.breaches(paced, rings, displacement, writes) {
		d.t.Errorf("%s: %+v", breach, m)
	}
}

// breaches says what a backlog should not have been like.
func (m drained) breaches(paced float64, rings, displacement int, writes float64) (all []string) {
	for _, judged := range []struct {
		what string
		bad  bool
	}{
		{"a call rang twice or never", m.most != 1 || m.rings != rings},
		{"the pace is not kept", m.excess > 0.001},
		{"the pace is not reached", m.rate < 0.98*paced},
		{"the order is not that of acceptance", m.displacement > displacement},
		{"calls are written again and again", m.writes > writes},
	} {
		if judged.bad {
			all = append(all, judged.what)
		}
	}
	return all
}

// backlogSize is the number of calls of the longest backlog; RINGONCE_BACKLOG is another one (docs/benchmarks.md).
func backlogSize(t *testing.T) int {
	t.Helper()
	text, ok := os.LookupEnv("RINGONCE_BACKLOG")
	if !ok {
		return 3000
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The writes of a call: accepted, dialed, answered; and what became of it, where that is asked.
const (
	leastWrites  = 3
	trackedWrite = 1
)

func TestABacklogDrainsAtThePaceInTheOrderOfAcceptance(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]pool{
		"2 a second":                         {pace: 2},
		"20 a second":                        {pace: 20},
		"2 a second, no patience":            {pace: 2, patience: "0s"},
		"20 a second, no patience":           {pace: 20, patience: "0s"},
		"one in 3 seconds":                   {pace: 0.33},
		"outcomes are asked for":             {pace: 2, tracked: true},
		"two processes":                      {pace: 2, processes: 2, shared: true},
		"two fast processes and no patience": {pace: 20, processes: 2, shared: true, patience: "0s"},
		"on SQLite":                          {pace: 20, driver: "sqlite"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				n, writes := 500, leastWrites+0.1
				if p.tracked {
					writes += trackedWrite
				}
				if p.processes > 1 { // they meet on some
					writes += 0.4
				}
				d := drain(t, p)
				d.accept(testRegion, n)
				d.await(testRegion, n, time.Duration(2*float64(n)/p.pace)*time.Second)
				d.end()
				d.want(d.measure(testRegion), n, paceBurst, writes)
			})
		})
	}
}

// The long one, a million of them when asked for.
func TestALongBacklogDrainsAtThePaceInTheOrderOfAcceptance(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d, n := drain(t, pool{pace: 20}), backlogSize(t)
		d.accept(testRegion, n)
		d.await(testRegion, n, time.Duration(n/10)*time.Second)
		d.end()
		d.want(d.measure(testRegion), n, paceBurst, leastWrites+0.1)
	})
}

// Without turns and lanes a backlog is slower than the pace, or written again for every look at it.
func TestPlantedASweepWithoutLanesIsTooSlowOrWritesAgainAndAgain(t *testing.T) {
	t.Parallel()
	for what, p := range map[string]pool{
		"the pace is not reached":           {pace: 20, before: true},
		"calls are written again and again": {pace: 2, patience: "0s", before: true},
	} {
		synctest.Test(t, func(t *testing.T) {
			const n = 300
			d := drain(t, p)
			d.accept(testRegion, n)
			d.await(testRegion, n, time.Hour)
			d.end()
			if m := d.measure(testRegion); !slices.Contains(m.breaches(p.pace*headroom, n, paceBurst, leastWrites+0.1), what) {
				t.Errorf("not seen: %s: %+v", what, m)
			}
		})
	}
}

func TestABacklogOfOneRegionKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	for _, patience := range []string{"10s", "0s"} {
		synctest.Test(t, func(t *testing.T) {
			const hour, others = 3600, 50
			d := drain(t, pool{pace: 2, patience: patience})
			d.accept(testRegion, hour)
			time.Sleep(5 * time.Minute)
			accepted := time.Now()
			d.accept(otherRegion, others)
			d.await(otherRegion, others, time.Minute)
			if first := d.firstRing(otherRegion).Sub(accepted); first > 2*time.Second {
				t.Errorf("the first call of the other Region rang after %s", first)
			}
			d.want(d.measure(otherRegion), others, paceBurst, 100)
			d.end()
			if m := d.measure(testRegion); m.excess > 0.001 || m.rings < 6*2*50 {
				t.Errorf("%+v", m)
			}
		})
	}
}

func TestAnUrgentCallDoesNotStandInLine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drain(t, pool{pace: 2})
		d.accept(testRegion, 1000)
		time.Sleep(time.Minute)
		rang := d.rang(testRegion)
		d.acceptAs(testRegion, 1, true)
		time.Sleep(3 * time.Second)
		d.end()
		if !slices.ContainsFunc(d.rings[testRegion][rang:rang+6], func(r ring) bool { return r.order == 1000 }) {
			t.Errorf("it did not ring among the next: %+v", d.rings[testRegion][rang:rang+6])
		}
	})
}

// What is due all at once, as at the end of quiet hours, gets its turns from the sweep: a write more for each.
func TestWhatIsDueAtOneInstantIsLinedUpByTheSweep(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const n, others = 1500, 10
		d := drain(t, pool{pace: 2, unlined: true}) // this one accepts
		d.stops[0]()
		d.pool.unlined, d.stops = false, nil
		quiet := d.open(9)
		d.apps = []*app.App{quiet}
		quiet.Engine.Pacer = struct{ call.Pacer }{quiet.Engine.Pacer}
		d.accept(testRegion, n)
		d.apps = nil
		d.start()
		time.Sleep(10 * time.Second)
		d.accept(otherRegion, others)
		d.await(otherRegion, others, 10*time.Second)
		if d.rang(otherRegion) != others {
			t.Errorf("%d rings of the other Region after 10 s", d.rang(otherRegion))
		}
		d.await(testRegion, n, time.Hour)
		d.end()
		if err := quiet.Close(); err != nil {
			t.Error(err)
		}
		m := d.measure(testRegion)
		if d.want(m, n, paceBurst, leastWrites+1.1); m.reads > 8 {
			t.Errorf("what found no room is read again and again: %+v", m)
		}
	})
}

// A process that starts on a backlog does not know the line: what it accepts comes between, and is written a few times more.
func TestARestartLosesTheLineAndNoCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const before, after = 1500, 700
		d := drain(t, pool{pace: 2})
		d.accept(testRegion, before)
		time.Sleep(time.Minute)
		d.end()
		time.Sleep(5 * time.Second) // its bucket is full again, and the next process believes so
		d.start()
		d.accept(testRegion, after)
		d.await(testRegion, before+after, time.Hour)
		d.end()
		d.want(d.measure(testRegion), before+after, before+after, leastWrites+3)
	})
}
