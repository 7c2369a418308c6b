package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

func TestAnIdempotencyKeyIsAnsweredOnceAndReplayed(t *testing.T) {
	t.Parallel()
	for _, durable := range []bool{true, false} {
		w := newWorld(t, func(o *httpapi.Options) {
			if !durable {
				o.Cells = nil
			}
		})
		first := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", `"k-1"`), http.StatusAccepted, "accepted")
		w.sweep()
		again := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", "k-1"), http.StatusAccepted, "accepted")
		if again.Header.Get("Idempotency-Replayed") != "true" || first.Header.Get("Idempotency-Replayed") != "" || again.Text != first.Text {
			t.Error(again.Header, again.Text)
		}
		w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)+" ", "Idempotency-Key", "k-1"), http.StatusUnprocessableEntity, "idempotency_mismatch")
		w.want(w.do(&clinic, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", "k-1"), http.StatusAccepted, "accepted") // somebody else's key
		refused := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 2), "Idempotency-Key", "k-2"), http.StatusConflict, "conflict")
		if b := w.do(&shop, "POST", "/v1/calls", request("n", 2), "Idempotency-Key", "k-2"); b.Header.Get("Idempotency-Replayed") != "true" || b.Text != refused.Text {
			t.Error(b.Text)
		}
		batch := `{"calls":[` + request("n", 1) + `]}`
		one := w.do(&shop, "POST", "/v1/calls:batch", batch, "Idempotency-Key", "k-3")
		if two := w.do(&shop, "POST", "/v1/calls:batch", batch, "Idempotency-Key", "k-3"); two.Text != one.Text || two.Header.Get("Idempotency-Replayed") != "true" {
			t.Error(two.Text)
		}
		w.sweep()
		w.rings(2)
	}
}

func TestScenarioI59AnIdempotencyKeyMustBeOneGoodText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(o *httpapi.Options) { o.RequireIdempotencyKey = true })
	w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)), http.StatusBadRequest, "idempotency_key_missing")
	for _, headers := range [][]string{
		{"Idempotency-Key", ""},
		{"Idempotency-Key", "a,b"},
		{"Idempotency-Key", strings.Repeat("k", 257)},
		{"Idempotency-Key", "a b"},
		{"Idempotency-Key", "a", "Idempotency-Key", "b"},
	} {
		w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), headers...), http.StatusBadRequest, "idempotency_key_invalid")
	}
	w.sweep()
	w.rings(0)
}

func TestScenarioI59I64TheSameIdempotencyKeyAtOnceIsInProgressOrReplayed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			a := w.do(&shop, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", "k", "Prefer", "wait=20")
			switch {
			case a.Status == http.StatusOK && a.text("answer") == "placed":
			case a.Status == http.StatusConflict && a.text("code") == "idempotency_in_progress" && a.Header.Get("Retry-After") != "":
			default:
				t.Errorf("%d %s", a.Status, a.Text)
			}
		})
	}
	all.Wait()
	w.rings(1)
}

func TestScenarioV4TwoHundredRequestsAtOnceAreToldOneCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	ids, answers := map[string]int{}, map[string]int{}
	for range 200 {
		all.Go(func() {
			a := w.do(&shop, "POST", "/v1/calls", request("n", 1))
			mu.Lock()
			defer mu.Unlock()
			ids[a.text("callId")]++
			answers[a.text("answer")]++
		})
	}
	all.Wait()
	if len(ids) != 1 || answers["accepted"] != 1 || answers["duplicate"] != 199 {
		t.Errorf("ids %v, answers %v", ids, answers)
	}
	w.sweep()
	w.rings(1)
}

func TestScenarioI59AnotherBodyWithTheKeyOfARequestInProgressIsAMismatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	who := access.Local()
	w.do(&who, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", "k")
	w.want(w.do(&who, "POST", "/v1/calls:batch", `{"calls":[`+request("n", 1)+`]}`, "Idempotency-Key", "k"), http.StatusUnprocessableEntity, "idempotency_mismatch")
}

func TestAKeptAnswerThatACallWaitsIsGivenOnlyWhileASweeperRuns(t *testing.T) {
	t.Parallel()
	for path, body := range map[string]string{"/v1/calls": request("n", 1), "/v1/calls:batch": `{"calls":[` + request("n", 1) + `]}`} {
		var options httpapi.Options
		w := newWorld(t, func(o *httpapi.Options) { options = *o })
		w.do(&shop, "POST", path, body, "Idempotency-Key", "k")
		if again := w.do(&shop, "POST", path, body, "Idempotency-Key", "k"); again.Header.Get("Idempotency-Replayed") == "" {
			t.Errorf("%s: a sweeper runs, and the answer is not given again: %s", path, again.Text)
		}
		w.rings(0)
		config := options.Engine.Config
		config.Journal = silentJournal{config.Journal}
		var err error
		if options.Engine, err = call.New(t.Context(), config); err != nil { // the next process, which hears of no sweep
			t.Fatal(err)
		}
		if w.handler, err = httpapi.New(options); err != nil {
			t.Fatal(err)
		}
		anew := w.do(&shop, "POST", path, body, "Idempotency-Key", "k")
		if anew.Header.Get("Idempotency-Replayed") != "" || !strings.Contains(anew.Text, `"state":"placed"`) {
			t.Errorf("%s: nobody sweeps, and the request is told that it waits: %s", path, anew.Text)
		}
		w.rings(1)
		if again := w.do(&shop, "POST", path, body, "Idempotency-Key", "k"); again.Text != anew.Text || again.Header.Get("Idempotency-Replayed") == "" {
			t.Errorf("%s: what is finished is not kept: %s", path, again.Text)
		}
	}
}

func TestABatchWithAnItemThatGoesBackIsAnsweredAnew(t *testing.T) {
	t.Parallel()
	broken := &breakableLedger{}
	w := newWorld(t, func(o *httpapi.Options) { broken.Ledger, o.Engine.Ledger = o.Engine.Ledger, broken })
	batch := `{"calls":[` + request("n", 1) + `]}`
	broken.down.Store(true)
	if first := w.do(&shop, "POST", "/v1/calls:batch", batch, "Idempotency-Key", "k"); first.Status != http.StatusOK || first.at("results", 0, "status") != float64(http.StatusServiceUnavailable) {
		t.Fatal(first.Text)
	}
	broken.down.Store(false)
	again := w.do(&shop, "POST", "/v1/calls:batch", batch, "Idempotency-Key", "k")
	if again.at("results", 0, "status") != float64(http.StatusAccepted) || again.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("an item that was to be sent again has its old answer: %s", again.Text)
	}
	w.sweep()
	w.rings(1)
}

func TestARefusedRequestIsAnsweredAnewOnceTheConfigurationTakesIt(t *testing.T) {
	t.Parallel()
	const asked = `{"notificationId":"n","recipientId":"user-1","destinationPhoneNumber":"+819000000001","profile":"late"}`
	for path, body := range map[string]string{"/v1/calls": asked, "/v1/calls:batch": `{"calls":[` + asked + `]}`} {
		var late atomic.Bool
		w := newWorld(t, func(o *httpapi.Options) {
			known := o.Engine.Profile
			o.Engine.Profile = func(name string) (call.Profile, bool) {
				if name == "late" && late.Load() {
					name = "alert"
				}
				return known(name)
			}
		})
		if a := w.do(&shop, "POST", path, body, "Idempotency-Key", "k"); !strings.Contains(a.Text, "profile_unknown") {
			t.Fatal(a.Text)
		}
		late.Store(true)
		again := w.do(&shop, "POST", path, body, "Idempotency-Key", "k")
		if !strings.Contains(again.Text, `"accepted"`) || again.Header.Get("Idempotency-Replayed") != "" {
			t.Errorf("%s: a refusal outlives what it refused for: %s", path, again.Text)
		}
		if third := w.do(&shop, "POST", path, body, "Idempotency-Key", "k"); third.Text != again.Text || third.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s: what was accepted is not kept: %s", path, third.Text)
		}
		w.sweep()
		w.rings(1)
	}
}

// silentJournal has no heartbeat.
type silentJournal struct{ call.Journal }

// LastBeat implements call.Journal.
func (silentJournal) LastBeat(context.Context) (time.Time, error) { return time.Time{}, nil }

// breakableLedger is one that can be away.
type breakableLedger struct {
	call.Ledger
	down atomic.Bool
}

var errAway = errors.New("planted: the ledger is away")

// Get implements call.Ledger.
func (l *breakableLedger) Get(ctx context.Context, id string) (call.Call, error) {
	if l.down.Load() {
		return call.Call{}, errAway
	}
	return l.Ledger.Get(ctx, id)
}
