package app_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// bareWorld is a function without a ledger: the token alone protects, under A1 and for 6 days (protocol.md section 9).
type bareWorld struct {
	*world
	worker worker
	taken  map[string]int // acknowledged messages by notification
	rung   map[string]int
}

// mortalDialer dies around a dial.
type mortalDialer struct {
	call.Dialer
	w *bareWorld
}

// Dial implements call.Dialer.
func (d mortalDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	if !d.w.calm && d.w.chance(0.1) {
		panic(crashed{"before dial"})
	}
	a := d.Dialer.Dial(ctx, s)
	if !d.w.calm && d.w.chance(0.1) {
		d.w.coverage["crash after dial"]++
		panic(crashed{"after dial"})
	}
	d.w.coverage["class "+string(a.Class)]++
	return a
}

func newBareWorld(t *testing.T, seed uint64) *bareWorld {
	t.Helper()
	w := &bareWorld{world: newWorld(plan{}, seed, t.TempDir()), taken: map[string]int{}, rung: map[string]int{}}
	for _, k := range w.workers {
		w.end(k)
	}
	err := w.emu.Update(func(c *connectemu.Config) {
		c.Reading = connectemu.A1
		c.TokenOnRefusal, c.TokenOnThrottle = connectemu.TokenAges, connectemu.TokenAges
	})
	if err != nil {
		t.Fatal(err)
	}
	config := w.config("")
	config.Ledger, config.Lambda.Concurrency = app.Ledger{}, 1
	profile := config.Profiles["alert"]
	profile.Resend, profile.Window, profile.WindowReopen, profile.Deadline = "", "", "", ""
	config.Profiles = map[string]app.Profile{"alert": profile}
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	w.worker.app, err = app.New(t.Context(), config, app.Options{
		Clock: &w.worker, Random: w.ops, HTTPClient: &http.Client{Transport: w.emu.RoundTripper()}, LookupEnv: app.LookupNothing,
		WrapDialer: func(d call.Dialer) call.Dialer { return mortalDialer{d, w} },
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// offer delivers a message once and reports whether its source forgets it.
func (w *bareWorld) offer(ctx context.Context, m *message) (gone bool) {
	m.received++
	report, err := w.worker.app.Handler.Process(ctx, document([]*message{m}))
	if err != nil && !errors.Is(err, context.Canceled) {
		w.find("deliver: %v", err)
		return true
	}
	out := report.Results[0].Outcome
	w.coverage["met "+string(out.Met)]++
	if out.Ack == call.AckDone {
		w.taken[m.subject.name]++
	}
	return out.Ack != call.AckRetry
}

func (w *bareWorld) play(ctx context.Context) {
	for i := range 4 {
		s := &subject{name: "notification-" + string(rune('a'+i)), number: number(10*i + 1)}
		at := time.Now().UTC().Truncate(time.Second)
		a := &ask{at: at, number: s.number, payload: object{
			"notificationId": s.name, "recipientId": "user-67890", "destinationPhoneNumber": s.number, "requestedAt": at.Format(time.RFC3339),
		}}
		m := &message{id: w.nextID(), form: pick(w.world, forms()...), subject: s, ask: a, born: at}
		w.subjects, w.history = append(w.subjects, s), append(w.history, m)
		for range 1 + w.rng.IntN(4) {
			w.offer(ctx, m)
			time.Sleep(time.Duration(1+w.rng.IntN(50)) * pick(w.world, time.Second, time.Minute, 10*time.Minute))
		}
	}
	w.calm = true
	if err := w.emu.SetPlan(connectemu.Plan{}); err != nil {
		w.find("end the faults: %v", err)
	}
	for _, m := range w.history {
		for tries := 0; !w.offer(ctx, m); tries++ {
			if tries > 20 {
				w.find("%s is never answered", m.subject.name)
				break
			}
			time.Sleep(2 * time.Minute)
		}
	}
	time.Sleep(20 * day) // a DLQ is redriven: too old for the token, so it must not ring
	for _, m := range w.history {
		w.offer(ctx, m)
	}
	for _, ring := range w.emu.Rings() {
		w.rung[ring.Token]++
		if w.rung[ring.Token] > 1 {
			w.find("%d rings of one token", w.rung[ring.Token])
		}
	}
	for _, s := range w.subjects {
		if w.taken[s.name] > 0 && len(w.emu.RingsFor(s.number)) != 1 {
			w.find("%s was acknowledged and rang %d times", s.name, len(w.emu.RingsFor(s.number)))
		}
	}
	w.emu.Close()
}

// bareSeeds are the seeds of `make test` for the world without a ledger.
const bareSeeds = 120

func TestWithoutALedgerTheTokenAloneRingsOnceForSixDays(t *testing.T) {
	t.Parallel()
	first, count := seeds(t, bareSeeds)
	reached := coverage{}
	for seed := first; seed < first+uint64(count); seed++ {
		synctest.Test(t, func(t *testing.T) {
			w := newBareWorld(t, seed)
			w.play(t.Context())
			reached.add(w.coverage)
			for _, finding := range w.findings {
				t.Errorf("seed %d: %s", seed, finding)
			}
		})
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
