//go:build integration

package stores_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/pgtest"
)

const hintedShared = `
production: false
connect: {endpoint: %q}
ledger: {driver: postgres, dsn_file: %q, witness: %q}
pacing: {per_second: 1000, burst: 100}
sweep: {every: 4m}
wake: {engine: river}
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
    outcome: "off"
`

// heldCalls is how many calls wait: more than the workers of one process take at a time.
const heldCalls = 40

// office is a ledger in PostgreSQL that two processes have open, with a telephone that throttled each of the calls once and answers slowly then.
type office struct {
	apps   [2]*app.App
	phones *connectemu.Server
	jobs   *pgx.Conn
	held   []string
	due    time.Time // of the last
}

func newOffice(t *testing.T, prepare ...func(o *office)) *office {
	t.Helper()
	o := &office{}
	plan, err := connectemu.ParsePlan(fmt.Sprintf("throttle times=%d\nplace-then-delay(200ms) times=%d", heldCalls, heldCalls))
	if err != nil {
		t.Fatal(err)
	}
	if o.phones, err = connectemu.New(connectemu.Config{StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, Faults: plan}); err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(o.phones)
	t.Cleanup(func() { o.phones.Close(); served.Close() })
	server := pgtest.Start(t)
	dsn := server.DSN(server.Schema(t), "")
	file := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(file, []byte(dsn), 0o600); err != nil {
		t.Fatal(err)
	}
	for i := range o.apps {
		c, err := app.Parse("test.yaml", fmt.Appendf(nil, hintedShared, served.URL, file, filepath.Join(t.TempDir(), "witness")))
		if err != nil {
			t.Fatal(err)
		}
		o.apps[i], err = app.New(t.Context(), c, app.Options{Stores: stores.All(), Random: rand.Reader, LookupEnv: app.LookupNothing})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := o.apps[i].Close(); err != nil {
				t.Error(err)
			}
		})
	}
	if o.jobs, err = pgx.Connect(t.Context(), dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.jobs.Close(context.WithoutCancel(t.Context())) })
	for _, p := range prepare {
		p(o)
	}
	o.throttled(t)
	return o
}

// throttled asks for the calls in both processes; all of them wait afterwards.
func (o *office) throttled(t *testing.T) {
	t.Helper()
	if _, err := o.apps[0].Engine.Sweep(t.Context(), 1); err != nil { // the heartbeat
		t.Fatal(err)
	}
	for n := range heldCalls {
		number, err := call.ParsePhone("+12025550" + strconv.Itoa(100+n))
		if err != nil {
			t.Fatal(err)
		}
		id := "n-" + strconv.Itoa(n)
		out := o.apps[n%2].Engine.Place(t.Context(), call.Delivery{
			Source: call.SourceSQS, ID: id, Request: call.Request{NotificationID: id, RecipientID: "r-1", Destination: number, Profile: "alert"},
		})
		if out.Call.State.Final() || out.Call.Due.IsZero() {
			t.Fatalf("the throttled request met %s, due %s", out.Met, out.Call.Due)
		}
		o.held = append(o.held, out.Call.ID)
		if out.Call.Due.After(o.due) {
			o.due = out.Call.Due
		}
	}
	if n := o.phones.RingCount(); n != 0 {
		t.Fatalf("%d rings before a job was worked", n)
	}
}

func (o *office) number(t *testing.T, query string) (n int) {
	t.Helper()
	if err := o.jobs.QueryRow(t.Context(), query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// once fails unless each call is placed and rang once.
func (o *office) once(t *testing.T) {
	t.Helper()
	for n, id := range o.held {
		row, err := o.apps[0].Store.Ledger.Get(t.Context(), id)
		if rings := len(o.phones.RingsFor("+12025550" + strconv.Itoa(100+n))); err != nil || row.State != call.Placed || rings != 1 {
			t.Errorf("call %d is %s after %d rings: %v", n, row.State, rings, err)
		}
	}
}

// until waits for something that jobs do in their own time.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within a minute: %s", what)
		}
	}
}

// TestProcessesOfADatabaseShareTheirHints lets both begin when all calls are due: each works some of the jobs, and one of them sweeps.
func TestProcessesOfADatabaseShareTheirHints(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if n := o.number(t, "SELECT count(*) FROM river_job WHERE kind = 'ringonce_wake'"); n != heldCalls {
		t.Fatalf("%d jobs for %d held calls", n, heldCalls)
	}
	until(t, "the calls are due", func() bool { return time.Now().After(o.due) })
	for _, a := range o.apps {
		if err := a.StartHints(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	until(t, "all jobs are worked", func() bool {
		return o.number(t, "SELECT count(*) FROM river_job WHERE state <> 'completed' AND kind = 'ringonce_wake'") == 0 && o.phones.RingCount() >= heldCalls
	})
	if n := o.number(t, "SELECT count(DISTINCT attempted_by[1]) FROM river_job WHERE kind = 'ringonce_wake'"); n != 2 {
		t.Errorf("%d of 2 processes worked", n)
	}
	until(t, "a process leads and has swept", func() bool {
		return o.number(t, "SELECT count(*) FROM river_job WHERE kind = 'ringonce_sweep' AND state = 'completed'") > 0
	})
	if n := o.number(t, "SELECT count(*) FROM river_job WHERE kind = 'ringonce_sweep'"); n > 2 { // one, or two where the period ended meanwhile
		t.Errorf("%d sweeps", n)
	}
	for _, a := range o.apps {
		if err := a.Hints.Stop(t.Context()); err != nil {
			t.Error(err)
		}
	}
	o.once(t)
}

// TestNothingIsLostWithAllSharedJobs deletes every job: the due times in the ledger are the truth, and the next sweep of either process rings.
func TestNothingIsLostWithAllSharedJobs(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	if _, err := o.jobs.Exec(t.Context(), "DELETE FROM river_job"); err != nil {
		t.Fatal(err)
	}
	until(t, "the calls are due", func() bool { return time.Now().After(o.due) })
	for _, a := range o.apps {
		if _, err := a.Engine.Sweep(t.Context(), heldCalls); err != nil {
			t.Fatal(err)
		}
	}
	o.once(t)
}

// TestManyProcessesMakeTheTablesOfJobsAtOnce opens hints in an empty schema from six sides.
func TestManyProcessesMakeTheTablesOfJobsAtOnce(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	file := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(file, []byte(server.DSN(server.Schema(t), "")), 0o600); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 6)
	for range cap(ended) {
		text := fmt.Appendf(nil, hintedShared, "http://127.0.0.1:1", file, filepath.Join(t.TempDir(), "witness"))
		go func() {
			c, err := app.Parse("test.yaml", text)
			if err == nil {
				var a *app.App
				if a, err = app.New(t.Context(), c, app.Options{Stores: stores.All(), Random: rand.Reader, LookupEnv: app.LookupNothing}); err == nil {
					err = a.Close()
				}
			}
			ended <- err
		}()
	}
	for range cap(ended) {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
}
