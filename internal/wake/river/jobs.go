package river

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
)

// wakeArgs is the job of a hint. It holds no personal data: a row's id says nothing.
type wakeArgs struct {
	Row string    `json:"row"`
	Due time.Time `json:"due"`
}

// Kind implements river.JobArgs. It is stored: a change orphans the jobs that wait.
func (wakeArgs) Kind() string { return "ringonce_wake" }

// sweepArgs is the periodic job of a sweep: of all the processes of a database one does it.
type sweepArgs struct{}

// Kind implements river.JobArgs.
func (sweepArgs) Kind() string { return "ringonce_sweep" }

type wakeWorker struct {
	river.WorkerDefaults[wakeArgs]

	woken    func(ctx context.Context, row string, due time.Time) error
	draining *atomic.Bool
}

// Work implements river.Worker. An error lets River try again; after the last try the sweep finds the row.
func (w *wakeWorker) Work(ctx context.Context, job *river.Job[wakeArgs]) error {
	if w.draining.Load() {
		return laterOn()
	}
	return w.woken(ctx, job.Args.Row, job.Args.Due)
}

// tellArgs is the job of telling a producer what became of a call.
type tellArgs struct {
	Row string `json:"row"`
}

// Kind implements river.JobArgs.
func (tellArgs) Kind() string { return "ringonce_tell" }

type tellWorker struct {
	river.WorkerDefaults[tellArgs]

	tell     func(ctx context.Context, row string) (busy bool, err error)
	draining *atomic.Bool
}

// soon is when a call is told that another process was telling.
const soon = 5 * time.Second

// Work implements river.Worker.
func (w *tellWorker) Work(ctx context.Context, job *river.Job[tellArgs]) error {
	if w.draining.Load() {
		return laterOn()
	}
	busy, err := w.tell(ctx, job.Args.Row)
	if busy {
		return river.JobSnooze(soon)
	}
	return err
}

type sweepWorker struct {
	river.WorkerDefaults[sweepArgs]

	sweep    func(ctx context.Context) error
	draining *atomic.Bool
}

// sweepTime bounds a sweep, which dials at the pace of the profile: longer than a job that looks at one row.
const sweepTime = 10 * time.Minute

// Timeout implements river.Worker.
func (w *sweepWorker) Timeout(*river.Job[sweepArgs]) time.Duration { return sweepTime }

// Work implements river.Worker.
func (w *sweepWorker) Work(ctx context.Context, _ *river.Job[sweepArgs]) error {
	if w.draining.Load() {
		return laterOn()
	}
	return w.sweep(ctx)
}

// laterOn leaves a job that was fetched when the end began to another process, or to the next one.
func laterOn() error { return river.JobSnooze(0) }
