package alerttest

import (
	"errors"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/service"
)

func nothing() {}

// trouble is one thing that goes wrong, in each half minute of it.
type trouble struct {
	within time.Duration // of its beginning the alert has to fire
	usual  bool          // what else a day has goes on
	once   bool          // it happens in the first half minute only
	wrong  func(w *world)
	also   []string // what fires too, as it is wrong too
}

// troubles has one for each alert.
var troubles = map[string]trouble{
	"RingonceDown":   {within: 3 * time.Minute, wrong: func(w *world) { w.down = true }},
	"RingonceAlarms": {within: time.Minute, usual: true, once: true, wrong: func(w *world) { w.metrics.Count("Alarms", "", 1) }},
	"RingonceNewCountry": {within: time.Minute, usual: true, once: true, also: []string{"RingonceAlarms"}, wrong: func(w *world) {
		w.metrics.Count("NewCountry", "", 1)
		w.metrics.Count("Alarms", "", 1)
	}},
	"RingonceCallsLate": {within: 6 * time.Minute, usual: true, wrong: func(w *world) {
		w.stands(func(s *service.Standing) { s.LateDial = 3 * time.Minute })
	}},
	"RingonceLooksLate": {within: 17 * time.Minute, usual: true, wrong: func(w *world) {
		w.stands(func(s *service.Standing) { s.LateLook = time.Hour })
	}},
	"RingonceBacklogGrows": {within: 70 * time.Minute, usual: true, wrong: func(w *world) {
		w.backlog += 5
		w.stands(func(s *service.Standing) { s.Held["pacing"] = w.backlog })
	}},
	"RingoncePauseLeftOn": {within: time.Minute, usual: true, wrong: func(w *world) {
		w.stands(func(s *service.Standing) { s.OldestPause = 13 * time.Hour })
	}},
	"RingonceDoubtStaysOpen": {within: time.Minute, usual: true, wrong: func(w *world) {
		w.stands(func(s *service.Standing) { s.OldestDoubt = 26 * time.Hour })
	}},
	"RingonceCallsExpire": {within: time.Minute, usual: true, once: true, wrong: func(w *world) { w.metrics.Count("Calls", "expired", 1) }},
	"RingonceCallsFail":   {within: 18 * time.Minute, usual: true, wrong: func(w *world) { w.metrics.Count("Calls", "failed", 3) }},
	"RingonceWebhooksBehind": {within: 32 * time.Minute, usual: true, wrong: func(w *world) {
		w.stands(func(s *service.Standing) { s.OldestUntold = 7 * time.Hour })
	}},
	"RingonceWebhooksGivenUp": {within: time.Minute, usual: true, once: true, wrong: func(w *world) { w.metrics.Count("WebhooksGivenUp", "", 1) }},
	"RingonceGaugesOld": {within: 22 * time.Minute, wrong: func(w *world) {
		w.metrics.Count("Sweeps", "", 1)
	}},
	"RingonceSweepsStopped":     {within: 16 * time.Minute, wrong: func(w *world) { w.metrics.Count("Calls", "placed", 1) }},
	"RingonceNotReady":          {within: 6 * time.Minute, usual: true, wrong: func(w *world) { w.ledger = errors.New("planted: it is away") }},
	"RingonceInDoubt":           {within: time.Minute, usual: true, once: true, wrong: func(w *world) { w.metrics.Count("InDoubt", "", 1) }},
	"RingonceAnomaly":           {within: time.Minute, usual: true, once: true, wrong: func(w *world) { w.metrics.Count("Anomaly", "", 1) }},
	"RingonceLedgerUnavailable": {within: 7 * time.Minute, usual: true, wrong: func(w *world) { w.metrics.Count("Unavailable", "", 1) }},
	"RingonceSetupRefused":      {within: time.Minute, usual: true, once: true, wrong: func(w *world) { w.metrics.Count("SetupRefused", "", 1) }},
	"RingonceUnreadable":        {within: time.Minute, usual: true, once: true, wrong: func(w *world) { w.metrics.Count("Unreadable", "", 1) }},
	"RingonceQueueNotReceived":  {within: 14 * time.Minute, usual: true, wrong: func(w *world) { w.metrics.Queue("orders", "receive_failed", 1) }},
	"RingonceQueueReturnsMessages": {within: 30 * time.Minute, wrong: func(w *world) {
		w.metrics.Count("Sweeps", "", 1)
		w.stands(func(*service.Standing) {})
		w.metrics.Queue("orders", "returned", 5)
	}},
	"RingonceCannotAcknowledge": {within: 7 * time.Minute, usual: true, wrong: func(w *world) { w.metrics.Queue("orders", "delete_failed", 1) }},
	"RingonceOverloaded": {within: 16 * time.Minute, usual: true, wrong: func(w *world) {
		w.status = 0
		for range 50 {
			w.ask(http.MethodPost, "/v1/calls", false)
		}
	}},
	"RingonceErrors": {within: 8 * time.Minute, usual: true, wrong: func(w *world) {
		w.status = http.StatusInternalServerError
		for range 5 {
			w.ask(http.MethodPost, "/v1/calls", false)
		}
	}},
	"RingonceDialsSlow":          {within: 26 * time.Minute, usual: true, wrong: func(w *world) { w.metrics.Measure("DialLatency", 9000) }},
	"RingonceCertificateEnds":    {within: time.Minute, usual: true, wrong: func(w *world) { w.expires = w.now.Add(6 * 24 * time.Hour) }},
	"RingonceCertificateNotRead": {within: time.Minute, usual: true, once: true, wrong: func(w *world) { w.metrics.Reloaded("failed") }},
}

func TestAGoodDayAlertsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.lives(2*time.Hour, w.usual, nothing)
	if fired := w.firing(); len(fired) > 0 {
		t.Errorf("%v fired", fired)
	}
}

func TestEachAlertFiresWhenWhatItIsForHappensAndNoOtherDoes(t *testing.T) {
	t.Parallel()
	for name, trouble := range troubles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.lives(30*time.Minute, w.usual, nothing)
			usual, first := nothing, true
			if trouble.usual {
				usual = w.usual
			}
			w.lives(trouble.within, usual, func() {
				if first || !trouble.once {
					trouble.wrong(w)
				}
				first = false
			})
			want := append(slices.Clone(trouble.also), name)
			slices.Sort(want)
			if fired := w.firing(); !slices.Equal(fired, want) {
				t.Errorf("%v fired, want %v", fired, want)
			}
		})
	}
}

func TestOneOfTwoProcessesThatIsDownAlerts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.other = true
	w.lives(30*time.Minute, w.usual, nothing)
	w.down = true
	w.lives(3*time.Minute, nothing, nothing)
	if fired := w.firing(); !slices.Equal(fired, []string{"RingonceDown"}) {
		t.Errorf("%v fired", fired)
	}
}

// A backlog that a burst left and that is worked off alerts nobody.
func TestABacklogThatIsWorkedOffAlertsNobody(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.lives(30*time.Minute, w.usual, nothing)
	w.backlog = 5000
	w.lives(3*time.Hour, w.usual, func() {
		w.backlog = max(w.backlog-20, 0)
		w.stands(func(s *service.Standing) { s.Held["pacing"] = w.backlog })
	})
	if fired := w.firing(); len(fired) > 0 {
		t.Errorf("%v fired", fired)
	}
}

func TestEveryAlertHasItsTrouble(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, r := range w.rules {
		if _, known := troubles[r.Alert]; !known {
			t.Errorf("nobody has seen %s fire", r.Alert)
		}
	}
	if len(w.rules) != len(troubles) {
		t.Errorf("%d rules, %d troubles", len(w.rules), len(troubles))
	}
}

// TestARuleThatCanNeverFireIsSeen plants the comparison that this file once had: its sides have different labels, so nothing is ever compared.
func TestARuleThatCanNeverFireIsSeen(t *testing.T) {
	t.Parallel()
	const name = "RingonceQueueReturnsMessages"
	w := newWorld(t)
	for i := range w.rules {
		if w.rules[i].Alert == name {
			w.rules[i].Expr = `increase(ringonce_queue_messages_total{what="returned"}[15m]) > 3 * increase(ringonce_queue_messages_total{what="deleted"}[15m]) + 10`
		}
	}
	w.lives(troubles[name].within, nothing, func() { troubles[name].wrong(w) })
	if fired := w.firing(); len(fired) > 0 {
		t.Errorf("%v fired", fired)
	}
}
