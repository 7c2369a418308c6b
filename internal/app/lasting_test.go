package app_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// TestADialOfTheSweeperIsNotCutOffByTheEndOfTheProcess ends a process in the middle of a dial: its answer is still waited for, and nothing else begins.
func TestADialOfTheSweeperIsNotCutOffByTheEndOfTheProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		d := drain(t, pool{pace: 1})
		d.accept(testRegion, paceBurst+20)
		for d.rang(testRegion) == 0 {
			time.Sleep(dialTakes / 10)
		}
		began := time.Now()
		d.stops[0]()
		if took := time.Since(began); took > 2*dialTakes {
			t.Errorf("the end took %s", took)
		}
		rang := d.rang(testRegion)
		for id, n := range d.ringing {
			row, err := d.first.Get(t.Context(), id)
			if err != nil || n != 1 || row.State != call.Placed {
				t.Errorf("a call that was being dialed is %s after %d dials: %v", row.State, n, err)
			}
		}
		if rang > paceBurst {
			t.Errorf("%d dials", rang)
		}
	})
}

// jobs are hints that only say what they are told.
type jobs struct {
	asked            app.HintRequest
	drained, stopped bool
	ends             time.Duration // what jobs that run need
}

func (*jobs) Wake(context.Context, string, time.Time) error { return nil }
func (*jobs) Start(context.Context) error                   { return nil }
func (*jobs) Notice(context.Context, string) error          { return nil }
func (*jobs) NoticeBehind(context.Context, string) error    { return nil }
func (j *jobs) Stop(context.Context) error                  { j.stopped = true; return nil }
func (j *jobs) Drain(ctx context.Context) error {
	j.drained = true
	return app.SystemClock{}.Sleep(ctx, j.ends)
}

func (j *jobs) open(_ context.Context, r app.HintRequest) (app.Hints, error) {
	j.asked = r
	return j, nil
}

func withJobs(t *testing.T, j *jobs, drain string) *app.App {
	t.Helper()
	production := false
	c := &app.Config{
		Production: &production, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"}, Ledger: app.Ledger{Driver: "memory"}, Wake: app.Wake{Engine: "river"},
		Serve: app.Serve{Drain: drain},
	}
	a, err := app.New(t.Context(), c, app.Options{
		Clock: app.SystemClock{}, Random: newSource(1), LookupEnv: lambdaEnv,
		Stores: map[string]app.OpenStore{"memory": func(context.Context, app.StoreRequest) (*app.Store, error) {
			l := memory.New(memory.Options{})
			return &app.Store{Ledger: l, Index: l, Journal: l, Cells: l, Admin: l, Close: l.Close, OpenHints: j.open}, nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestJobsEndWhenTheEndOfTheProcessBeginsAndTheirPlaceIsClosedLast(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ runs, most time.Duration }{"short jobs": {time.Second, time.Second}, "long ones": {time.Hour, 7 * time.Second}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				j := &jobs{ends: c.runs}
				a := withJobs(t, j, "7s")
				ctx, stop := context.WithCancel(t.Context())
				if err := a.StartHints(ctx); err != nil {
					t.Fatal(err)
				}
				if err := j.asked.Sweep(t.Context()); err != nil {
					t.Errorf("a sweep before the end: %v", err)
				}
				synctest.Wait()
				if j.drained {
					t.Error("they ended early")
				}
				began := time.Now()
				stop()
				synctest.Wait()
				if !j.drained || j.stopped {
					t.Errorf("when the end begins: no job begins any more %t, closed %t; want true and false", j.drained, j.stopped)
				}
				if err := j.asked.Sweep(t.Context()); err == nil {
					t.Error("a job sweeps while the process ends")
				}
				err := a.Close()
				if took := time.Since(began); !j.stopped || took != c.most || (err != nil) != (c.runs > c.most) {
					t.Errorf("closed %t after %s, want %s: %v", j.stopped, took, c.most, err)
				}
			})
		})
	}
}
