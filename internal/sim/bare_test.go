package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
	"github.com/ringonce/ringonce/internal/sim/transport"
)

// bareSeeds are the seeds of `make test` for the world without a ledger.
const bareSeeds = 120

// bareWorld is a function without a ledger: the token alone protects, under A1 and for 6 days (protocol.md section 9). It has no rows for the
// oracle of other worlds, whose place its own rule takes: what was acknowledged rang once.
type bareWorld struct {
	rng      *rand.Rand
	emu      *connectemu.Server
	app      *app.App
	net      *transport.Network
	calm     bool
	counts   sim.Counts
	findings []string
	numbers  map[string]string // by message
	taken    map[string]int    // how often each was acknowledged
}

// drifting is the clock of a process that is off by a little.
type drifting struct {
	app.SystemClock

	by time.Duration
}

// Now implements call.Clock.
func (c drifting) Now() time.Time { return time.Now().UTC().Round(0).Add(c.by) }

// mortalDialer dies around a dial.
type mortalDialer struct {
	call.Dialer
	w *bareWorld
}

// Dial implements call.Dialer.
func (d mortalDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	if !d.w.calm && d.w.rng.Float64() < 0.1 {
		panic("planted: the process died before the dial")
	}
	a := d.Dialer.Dial(ctx, s)
	if !d.w.calm && d.w.rng.Float64() < 0.1 {
		d.w.counts["crash after dial"]++
		panic("planted: the process died after the dial")
	}
	d.w.counts["class "+string(a.Class)]++
	return a
}

func pickOne[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

// bareFaults draws the faults of the telephone network.
func bareFaults(rng *rand.Rand, seed uint64) connectemu.Plan {
	plan := connectemu.Plan{Seed: seed + 1}
	for range rng.IntN(6) {
		rule := connectemu.Rule{Fault: pickOne(rng, connectemu.Faults()...), Times: 1 + rng.IntN(5), Probability: pickOne(rng, 0.3, 0.6, 1)}
		switch rule.Fault { //nolint:exhaustive // the others take neither
		case connectemu.PlaceThenDelay, connectemu.Slow, connectemu.ArriveLate:
			rule.Delay = pickOne(rng, 5*time.Second, 20*time.Second, 90*time.Second, 6*time.Minute)
		case connectemu.Refuse:
			rule.Code = pickOne(rng, "", "", "AccessDeniedException", "ResourceNotFoundException", "DestinationNotAllowedException")
		case connectemu.Throttle:
			rule.Code = pickOne(rng, "", "LimitExceededException")
		}
		plan.Rules = append(plan.Rules, rule)
	}
	return plan
}

func newBareWorld(ctx context.Context, seed uint64, token func(call.TokenInput) (string, error)) (*bareWorld, error) {
	rng := rand.New(rand.NewPCG(seed, 1))
	w := &bareWorld{rng: rng, net: transport.New(rng, transport.Options{}), counts: sim.Counts{}, numbers: map[string]string{}, taken: map[string]int{}}
	const flow = "22222222-2222-4222-8222-222222222222"
	var err error
	w.emu, err = connectemu.New(connectemu.Config{
		Seed: seed, Reading: connectemu.A1, TokenOnRefusal: connectemu.TokenAges, TokenOnThrottle: connectemu.TokenAges, Flows: []string{flow},
		Faults: bareFaults(rng, seed), SignatureWindow: pickOne(rng, 5*time.Minute, 15*time.Minute), MaxConcurrentCalls: pickOne(rng, 10, 10, 1),
	})
	if err != nil {
		return nil, fmt.Errorf("make the emulator: %w", err)
	}
	production := false
	config := &app.Config{
		Production: &production, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"}, DefaultProfile: "alert", Pacing: app.Pacing{Patience: "2s"},
		Profiles: map[string]app.Profile{"alert": {
			Region: "us-east-1", InstanceID: connectemu.DefaultInstance, ContactFlowID: flow, QueueID: "33333333-3333-4333-8333-333333333333",
			LongestCall: pickOne(rng, "", "10m"),
		}},
		Lambda: app.Lambda{Concurrency: 1},
	}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	w.app, err = app.New(ctx, config, app.Options{
		Clock: drifting{by: pickOne(rng, 0, 0, 2*time.Second, -time.Minute, 4*time.Minute, -4*time.Minute)}, Random: rand.NewChaCha8([32]byte{byte(seed)}),
		HTTPClient: &http.Client{Transport: w.emu.RoundTripper()}, LookupEnv: app.LookupNothing, Token: token,
		WrapDialer: func(d call.Dialer) call.Dialer { return mortalDialer{d, w} },
	})
	return w, err
}

// offer delivers a message once and reports whether its source may forget it.
func (w *bareWorld) offer(ctx context.Context, id string) (gone bool) {
	d, err := w.net.Force(time.Now().UTC(), id)
	if err != nil {
		w.findings = append(w.findings, err.Error())
		return true
	}
	report, err := w.app.Handler.Process(ctx, d.Document)
	if err != nil || len(report.Results) != 1 {
		w.findings = append(w.findings, fmt.Sprintf("deliver: %d results, %v", len(report.Results), err))
		return true
	}
	out := report.Results[0].Outcome
	w.counts["met "+string(out.Met)]++
	if out.Ack == call.AckDone {
		w.taken[id]++
	}
	body, failure := report.Response()
	if ruling, err := w.net.Answer(d.ID, transport.Response{Body: body, Err: failure}, time.Now().UTC()); err == nil && ruling.Acknowledged[0] && out.Ack == call.AckRetry {
		w.findings = append(w.findings, id+" was to be delivered again, and its source forgets it")
	}
	return out.Ack != call.AckRetry
}

// live delivers four messages under faults, then until they are answered, and once more when the token is too old, so that it must not ring.
func (w *bareWorld) live(ctx context.Context) {
	var ids []string
	for i := range 4 {
		id, number, at := fmt.Sprintf("m%d", i+1), fmt.Sprintf("+81900000%04d", 10*i+1), time.Now().UTC()
		w.numbers[id], ids = number, append(ids, id)
		payload := fmt.Appendf(nil, `{"notificationId":"n%d","recipientId":"user-67890","destinationPhoneNumber":%q,"requestedAt":%q}`, i+1, number, at.Format(time.RFC3339))
		err := w.net.Publish(transport.Message{ID: id, Form: pickOne(w.rng, transport.Forms()...), Payload: payload}, at)
		if err != nil {
			w.findings = append(w.findings, err.Error())
		}
		for range 1 + w.rng.IntN(4) {
			w.offer(ctx, id)
			time.Sleep(time.Duration(1+w.rng.IntN(50)) * pickOne(w.rng, time.Second, time.Minute, 10*time.Minute))
		}
	}
	w.calm = true
	if err := w.emu.SetPlan(connectemu.Plan{}); err != nil {
		w.findings = append(w.findings, err.Error())
	}
	for _, id := range ids {
		for tries := 0; !w.offer(ctx, id); tries++ {
			if tries > 20 {
				w.findings = append(w.findings, id+" is never answered")
				break
			}
			time.Sleep(2 * time.Minute)
		}
	}
	time.Sleep(20 * 24 * time.Hour)
	for _, id := range ids {
		w.offer(ctx, id)
	}
	for _, id := range ids {
		if rings := len(w.emu.RingsFor(w.numbers[id])); rings > 1 || (w.taken[id] > 0 && rings != 1) {
			w.findings = append(w.findings, fmt.Sprintf("%s was acknowledged %d times and rang %d times", id, w.taken[id], rings))
		}
	}
	w.emu.Close()
}

// liveBare lives a seed without a ledger.
func liveBare(t *testing.T, seed uint64, token func(call.TokenInput) (string, error)) (w *bareWorld) {
	t.Helper()
	cryptotest.SetGlobalRandom(t, seed)
	synctest.Test(t, func(t *testing.T) {
		var err error
		if w, err = newBareWorld(t.Context(), seed, token); err != nil {
			t.Fatal(err)
		}
		w.live(t.Context())
	})
	return w
}

func TestWithoutALedgerTheTokenAloneRingsOnceForSixDays(t *testing.T) {
	first, count := seeds(t, bareSeeds)
	reached := sim.Counts{}
	for seed := first; seed < first+uint64(count); seed++ {
		w := liveBare(t, seed, nil)
		for name, n := range w.counts {
			reached[name] += n
		}
		for _, finding := range w.findings {
			t.Errorf("seed %d: %s", seed, finding)
		}
	}
	for _, name := range []string{
		"met placed", "met unknown", "met retry_later", "met stale", "met failed", "class ambiguous", "class throttled", "class refused_setup", "crash after dial",
	} {
		if reached[name] == 0 && count >= bareSeeds {
			t.Errorf("no seed reached: %s", name)
		}
	}
	t.Log(reached)
}

// TestWithoutALedgerARandomTokenIsSeenToRingTwice plants the token that nothing repeats.
func TestWithoutALedgerARandomTokenIsSeenToRingTwice(t *testing.T) {
	for seed := uint64(1); seed <= bareSeeds; seed++ {
		if w := liveBare(t, seed, randomToken()); len(w.findings) > 0 {
			t.Logf("seed %d: %s", seed, w.findings[0])
			return
		}
	}
	t.Fatal("no seed sees it")
}
