package river

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivermigrate"
	"github.com/riverqueue/river/rivertype"
)

const (
	// answerTime bounds how long a hint may take (call.Waker).
	answerTime = 2 * time.Second
	// tries of a job: a hint that fails this often is left to the sweep.
	tries = 3
	// tellTries of a job that tells: with the waits of River, attempt^4 seconds, 15 hours. After that the call is found behind.
	tellTries = 12
	// jobTime bounds one look at a row: a dial, with its wait for the pace, and the writes around it.
	jobTime = time.Minute
	// tellQueue is the queue of River that those jobs wait in: an endpoint that hangs keeps no hint. It is stored, as their kind is; what an earlier
	// version left in the queue of the hints is told from there.
	tellQueue = "ringonce_tell"
	// Tellers is how many producers are told at a time.
	Tellers = 8
	// kept is how long River keeps a job that ended; nothing reads it.
	kept = 10 * time.Minute
)

// Options are the parts of hints.
type Options struct {
	// Woken answers a hint, as call.Engine.Woken. It is called by several goroutines at once.
	Woken func(ctx context.Context, row string, due time.Time) error
	// Tell tells the producer of a call what became of it; nil where nobody is told. busy means that another process is at it.
	Tell func(ctx context.Context, row string) (busy bool, err error)
	// Sweep is done every SweepEvery by one of the processes that share the database; nil means that no job sweeps.
	Sweep      func(ctx context.Context) error
	SweepEvery time.Duration
	// Workers is how many hints are answered at a time; 0 means 8.
	Workers int
	// Log takes what River has to tell, from warnings on; nil means none.
	Log *slog.Logger
}

// Hints is a call.Waker on River. Hints are taken from New on; they are answered between Start and Stop.
type Hints[Tx any] struct {
	client   *river.Client[Tx]
	draining *atomic.Bool
	close    func() error
}

// newHints brings the tables of River to their newest form and makes a client. The tables are River's own: no ledger reads them.
func newHints[Tx any](ctx context.Context, driver riverdriver.Driver[Tx], o Options, close func() error) (*Hints[Tx], error) {
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		return nil, fmt.Errorf("read the migrations of River: %w", err)
	}
	if _, err := migrator.Migrate(ctx, rivermigrate.DirectionUp, nil); err != nil {
		return nil, fmt.Errorf("make the tables of River: %w", err)
	}
	draining := &atomic.Bool{}
	config, err := o.config(draining)
	if err != nil {
		return nil, err
	}
	client, err := river.NewClient(driver, config)
	if err != nil {
		return nil, fmt.Errorf("make a client of River: %w", err)
	}
	return &Hints[Tx]{client: client, draining: draining, close: close}, nil
}

func (o Options) config(draining *atomic.Bool) (*river.Config, error) {
	if o.Woken == nil {
		return nil, errors.New("hints need Woken: nobody would answer them")
	}
	workers := river.NewWorkers()
	if err := river.AddWorkerSafely(workers, &wakeWorker{woken: o.Woken, draining: draining}); err != nil {
		return nil, fmt.Errorf("add a worker: %w", err)
	}
	if o.Tell != nil {
		if err := river.AddWorkerSafely(workers, &tellWorker{tell: o.Tell, draining: draining}); err != nil {
			return nil, fmt.Errorf("add a worker: %w", err)
		}
	}
	hinters := o.Workers
	if hinters <= 0 {
		hinters = 8
	}
	c := &river.Config{
		Logger: o.Log, Workers: workers, JobTimeout: jobTime, MaxAttempts: tries,
		CompletedJobRetentionPeriod: kept, CancelledJobRetentionPeriod: kept, DiscardedJobRetentionPeriod: kept,
		Queues: map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: hinters}},
	}
	if o.Tell != nil {
		c.Queues[tellQueue] = river.QueueConfig{MaxWorkers: Tellers}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Sweep != nil && o.SweepEvery > 0 {
		if err := river.AddWorkerSafely(workers, &sweepWorker{sweep: o.Sweep, draining: draining}); err != nil {
			return nil, fmt.Errorf("add a worker: %w", err)
		}
		c.PeriodicJobs = []*river.PeriodicJob{river.NewPeriodicJob(river.PeriodicInterval(o.SweepEvery), func() (river.JobArgs, *river.InsertOpts) {
			return sweepArgs{}, &river.InsertOpts{MaxAttempts: 1, UniqueOpts: river.UniqueOpts{ByPeriod: o.SweepEvery}}
		}, &river.PeriodicJobOpts{RunOnStart: true})}
	}
	return c, nil
}

// Wake implements call.Waker. The same hint that waits already is not given twice.
func (h *Hints[Tx]) Wake(ctx context.Context, row string, due time.Time) error {
	ctx, end := context.WithTimeout(ctx, answerTime)
	defer end()
	if _, err := h.client.Insert(ctx, wakeArgs{Row: row, Due: due}, hint(due)); err != nil {
		return fmt.Errorf("give a hint: %w", err)
	}
	return nil
}

// Notice asks that the producer of a call is told what became of it.
func (h *Hints[Tx]) Notice(ctx context.Context, row string) error {
	return h.notice(ctx, row, &river.InsertOpts{Queue: tellQueue, MaxAttempts: tellTries})
}

// NoticeBehind does so for a call that was found behind, unless an earlier one of its kind still waits: while an endpoint is away for hours, each
// look finds the same calls. It does not stand back for a Notice, and no Notice for it: what becomes of a call while it is being told is told
// by a job of its own.
func (h *Hints[Tx]) NoticeBehind(ctx context.Context, row string) error {
	return h.notice(ctx, row, &river.InsertOpts{Queue: tellQueue, MaxAttempts: tellTries, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: alive()}})
}

func (h *Hints[Tx]) notice(ctx context.Context, row string, how *river.InsertOpts) error {
	ctx, end := context.WithTimeout(ctx, answerTime)
	defer end()
	if _, err := h.client.Insert(ctx, tellArgs{Row: row}, how); err != nil {
		return fmt.Errorf("ask that a producer is told: %w", err)
	}
	return nil
}

// WakeTx gives a hint within the transaction that makes the row due: both are there, or neither.
func (h *Hints[Tx]) WakeTx(ctx context.Context, tx Tx, row string, due time.Time) error {
	if _, err := h.client.InsertTx(ctx, tx, wakeArgs{Row: row, Due: due}, hint(due)); err != nil {
		return fmt.Errorf("give a hint: %w", err)
	}
	return nil
}

// Due is a row and the time at which it has to be looked at.
type Due struct {
	Row string
	At  time.Time
}

// WakeManyTx is WakeTx for several rows, in one statement.
func (h *Hints[Tx]) WakeManyTx(ctx context.Context, tx Tx, rows []Due) error {
	ctx, end := context.WithTimeout(ctx, answerTime)
	defer end()
	jobs := make([]river.InsertManyParams, len(rows))
	for i, d := range rows {
		jobs[i] = river.InsertManyParams{Args: wakeArgs{Row: d.Row, Due: d.At}, InsertOpts: hint(d.At)}
	}
	if _, err := h.client.InsertManyTx(ctx, tx, jobs); err != nil {
		return fmt.Errorf("give hints: %w", err)
	}
	return nil
}

// hint leaves out the states of jobs that ended: a row may be due again at the same instant, after an error.
func hint(due time.Time) *river.InsertOpts {
	return &river.InsertOpts{ScheduledAt: due, UniqueOpts: river.UniqueOpts{ByArgs: true, ByState: alive()}}
}

// alive are the states of jobs that have not ended.
func alive() []rivertype.JobState {
	return []rivertype.JobState{
		rivertype.JobStateAvailable, rivertype.JobStatePending, rivertype.JobStateRetryable, rivertype.JobStateRunning, rivertype.JobStateScheduled,
	}
}

// Start begins to answer hints.
func (h *Hints[Tx]) Start(ctx context.Context) error {
	if err := h.client.Start(ctx); err != nil {
		return fmt.Errorf("start answering hints: %w", err)
	}
	return nil
}

// Drain begins no further job and waits for those that run until the context ends; then they are given up, and the sweep, or another process, finds their
// rows. Hints are still taken, for whoever answers them later.
func (h *Hints[Tx]) Drain(ctx context.Context) error {
	h.draining.Store(true)
	err := h.client.Stop(ctx)
	if err != nil {
		err = errors.Join(err, h.client.StopAndCancel(context.WithoutCancel(ctx)))
	}
	return err
}

// Stop drains, and closes what the hints lie in if they opened it.
func (h *Hints[Tx]) Stop(ctx context.Context) error {
	return errors.Join(h.Drain(ctx), h.close())
}
