package stores_test

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
)

const hinted = `
production: false
connect: {endpoint: %q}
ledger: {driver: sqlite, path: %q, witness: %q}
wake: {engine: river}
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
    outcome: "off"
`

// desk is a ledger in SQLite with jobs beside it, and a telephone that throttles the first dial.
type desk struct {
	app    *app.App
	phones *connectemu.Server
	clock  *connectemu.RunningClock
	jobs   string
	held   call.Call
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{clock: connectemu.NewRunningClock()}
	plan, err := connectemu.ParsePlan("throttle times=1")
	if err != nil {
		t.Fatal(err)
	}
	if d.phones, err = connectemu.New(connectemu.Config{Clock: d.clock, Faults: plan}); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d.phones)
	t.Cleanup(server.Close)
	ledger := filepath.Join(t.TempDir(), "calls.db")
	d.jobs = ledger + ".hints"
	c, err := app.Parse("test.yaml", fmt.Appendf(nil, hinted, server.URL, ledger, filepath.Join(t.TempDir(), "witness")))
	if err != nil {
		t.Fatal(err)
	}
	d.app, err = app.New(t.Context(), c, app.Options{Stores: stores.All(), Clock: d.clock, Random: rand.Reader, LookupEnv: app.LookupNothing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.app.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := d.app.Engine.Sweep(t.Context(), 10); err != nil { // the heartbeat
		t.Fatal(err)
	}
	number, err := call.ParsePhone("+12025550101")
	if err != nil {
		t.Fatal(err)
	}
	out := d.app.Engine.Place(t.Context(), call.Delivery{
		Source: call.SourceSQS, ID: "m-1",
		Request: call.Request{NotificationID: "n-1", RecipientID: "r-1", Destination: number, Profile: "alert"},
	})
	if out.Call.State.Final() || out.Call.Due.IsZero() || d.phones.RingCount() != 0 {
		t.Fatalf("the throttled request met %s, due %s, %d rings", out.Met, out.Call.Due, d.phones.RingCount())
	}
	d.held = out.Call
	return d
}

// count returns how many jobs of hints there are.
func (d *desk) count(t *testing.T, then string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+d.jobs+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM river_job WHERE kind = 'ringonce_wake'").Scan(&n); err != nil {
		t.Fatal(err)
	}
	if then != "" {
		if _, err := db.ExecContext(t.Context(), then); err != nil {
			t.Fatal(err)
		}
	}
	return n
}

// TestAHeldCallIsWokenByItsJobWithoutASweep throttles the first dial: the job that the hold left rings, and nothing sweeps.
func TestAHeldCallIsWokenByItsJobWithoutASweep(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if n := d.count(t, ""); n != 1 {
		t.Fatalf("%d jobs for one held call", n)
	}
	if err := d.app.StartHints(t.Context()); err != nil {
		t.Fatal(err)
	}
	for d.phones.RingCount() == 0 && t.Context().Err() == nil {
		time.Sleep(20 * time.Millisecond)
	}
	if err := d.app.Close(); err != nil { // waits for the job
		t.Fatal(err)
	}
	if n := d.phones.RingCount(); n != 1 {
		t.Errorf("%d rings", n)
	}
}

// TestNothingIsLostWithAllJobs deletes every job: the due time in the ledger is the truth, and the next sweep rings, once.
func TestNothingIsLostWithAllJobs(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if n := d.count(t, "DELETE FROM river_job"); n != 1 {
		t.Fatalf("%d jobs for one held call", n)
	}
	d.clock.Advance(d.held.Due.Sub(d.clock.Now()) + time.Millisecond)
	for range 2 {
		if _, err := d.app.Engine.Sweep(t.Context(), 10); err != nil {
			t.Fatal(err)
		}
	}
	row, err := d.app.Store.Ledger.Get(t.Context(), d.held.ID)
	if err != nil || row.State != call.Placed || d.phones.RingCount() != 1 {
		t.Errorf("the call is %s with %d rings: %v", row.State, d.phones.RingCount(), err)
	}
}
