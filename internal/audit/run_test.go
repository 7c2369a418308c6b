package audit_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/audit"
	"github.com/ringonce/ringonce/internal/call"
)

// clock stands still but for short waits of the core, which pass at once.
type clock struct{ *connectemu.ManualClock }

func (c clock) Sleep(ctx context.Context, d time.Duration) error {
	if d > 5*time.Second {
		return c.ManualClock.Sleep(ctx, d)
	}
	c.Advance(d)
	return ctx.Err()
}

// finished is what a run leaves behind: a ledger's file and a truth log.
type finished struct {
	ledger, truth []byte
}

// newRun places calls with lost answers, refusals, a cancel, duplicates and re-calls, forgets two recipients, and ends in order.
func newRun(t *testing.T) finished {
	t.Helper()
	var truth bytes.Buffer
	now := clock{connectemu.NewManualClock(time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC))}
	plan, err := connectemu.ParsePlan("place-then-reset nth=3; throttle nth=5; refuse(InvalidParameterException) nth=8; fail-500 nth=11; place-then-500 nth=14")
	if err != nil {
		t.Fatal(err)
	}
	telephone, err := connectemu.New(connectemu.Config{
		Clock: now.ManualClock, Faults: plan, TruthLog: &truth, StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off,
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "calls.db")
	a, err := app.New(t.Context(), configOf(path), app.Options{
		Stores: stores.All(), Clock: now, Random: rand.NewChaCha8([32]byte{1}), LookupEnv: app.LookupNothing,
		HTTPClient: &http.Client{Transport: telephone.RoundTripper()},
	})
	if err != nil {
		t.Fatal(err)
	}
	play(t, a, now)
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := telephone.EndTruth(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return finished{ledger: file, truth: truth.Bytes()}
}

func play(t *testing.T, a *app.App, now clock) {
	t.Helper()
	deliver := func(document string) {
		if _, err := a.Handler.Process(t.Context(), []byte(document)); err != nil {
			t.Log(err) // what is not acknowledged comes again, or is swept
		}
		now.Advance(time.Minute)
	}
	sweep := func() {
		if _, err := a.Engine.Sweep(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
	}
	ids := func(n int) string {
		return fmt.Sprintf(`"notificationId":"n-%d","recipientId":"r-%d","requestedAt":%q`, n, n%9, now.Now().Format(time.RFC3339))
	}
	sweep()
	for n := range 16 {
		deliver(fmt.Sprintf(`{%s,"destinationPhoneNumber":"+81900000%04d"}`, ids(n), n))
		sweep()
	}
	deliver(fmt.Sprintf(`{%s,"action":"cancel"}`, ids(70)))
	deliver(`{"notificationId":"n-1","recipientId":"r-1","destinationPhoneNumber":"+819000000001"}`)
	for range 30 {
		now.Advance(20 * time.Minute)
		sweep()
	}
	first := call.Naming{}.Row(call.Key{Kind: call.KindVoice, NotificationID: "n-2", RecipientID: "r-2"}, 0)
	if out := a.Engine.Recall(t.Context(), first, call.Recall{Reason: "nobody answered"}); out.Code != "" {
		t.Fatalf("re-call: %s: %s", out.Code, out.Message)
	}
	for range 20 {
		now.Advance(20 * time.Minute)
		sweep()
	}
	for _, recipient := range []string{"r-4", "r-7"} {
		forgot, err := a.Engine.Forget(t.Context(), call.Forgetting{RecipientID: recipient, Reason: "they asked"})
		if err != nil || len(forgot.Erased) == 0 {
			t.Fatalf("forget: %+v %v", forgot, err)
		}
	}
}

func configOf(path string) *app.Config {
	production := false
	c := &app.Config{
		Production: &production, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"},
		Ledger: app.Ledger{Driver: "sqlite", Path: path, Witness: path + ".witness.elsewhere/none"},
		Profiles: map[string]app.Profile{"alert": {
			Region: connectemu.DefaultRegion, InstanceID: connectemu.DefaultInstance, ContactFlowID: "22222222-2222-4222-8222-222222222222",
			QueueID: "33333333-3333-4333-8333-333333333333", Window: "30d",
		}},
	}
	c.Ledger.Witness = filepath.Join(filepath.Dir(filepath.Dir(path)), filepath.Base(filepath.Dir(path))+".witness")
	return c
}

// judge audits a ledger's file against a truth log. An error counts as noticed: somebody is told that the ledger cannot be read.
func judge(t *testing.T, path string, truth []byte) (*audit.Report, error) {
	t.Helper()
	config := configOf(path)
	if err := config.Validate(); err != nil {
		t.Fatal(err)
	}
	store, _, err := config.OpenLedger(t.Context(), app.Options{Stores: stores.All(), Clock: app.SystemClock{}, LookupEnv: app.LookupNothing, ReadOnly: true, Random: rand.NewChaCha8([32]byte{2})})
	if err != nil {
		return nil, err
	}
	read, err := connectemu.ReadTruth(bytes.NewReader(truth))
	if err != nil {
		t.Fatal(err)
	}
	report, err := audit.Compare(t.Context(), booksOf(store), read, audit.Options{})
	if closeErr := store.Close(); closeErr != nil {
		t.Fatal(closeErr)
	}
	return report, err
}

func booksOf(store *app.Store) audit.Books {
	return audit.Books{
		Each: store.Admin.Each, Identity: store.Ledger.Identity, LastBeat: store.Journal.LastBeat, Inspect: store.Inspect, Period: time.Minute,
	}
}

func written(t *testing.T, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "calls.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestALedgerThatNobodyTouchedAgreesWithItsTruthLog(t *testing.T) {
	t.Parallel()
	run := newRun(t)
	report, err := judge(t, written(t, run.ledger), run.truth)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Sound() || report.Forgotten < 2 || report.Rings < 12 || report.Sends <= report.Rings || report.Calls < 18 || !report.Closed {
		t.Errorf("got %+v", report)
	}
}
