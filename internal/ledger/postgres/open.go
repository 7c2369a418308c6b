package postgres

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// Ledger is an open ledger. It is safe for concurrent use, also beside other processes on the same database.
type Ledger struct {
	options Options
	pool    *pgxpool.Pool
	queries *queries.Queries
	witness *witness
	id      string // the ledger's own

	beside   atomic.Pointer[Beside]
	queue    chan *job
	done     chan struct{} // closed when the writer has ended
	gone     chan struct{} // closed when the ledger is of no use any more
	dead     atomic.Pointer[deadReason]
	wentBack atomic.Bool
	closing  sync.Once
	closed   error

	mu          sync.Mutex
	opened      bool   // guarded by mu, like what follows
	incarnation string // whose writes this process may make
	seen        int64  // the number of the newest write that this process knows of

	journal journal
	asking  asking
}

// planMode is the setting by which a session plans each of the ledger's statements once. They are written for one plan whatever their arguments are,
// and planning one for a group of a few rows anew takes as long as writing them.
const planMode = "plan_cache_mode"

// deadReason is why the ledger answers nothing any more.
type deadReason struct{ err error }

// Open opens the ledger in the schema that the connection string leads to, making its tables if they do not exist. The errors are
// [call.Error] values that name the field and the fix; one of a ledger that went back in time is also call.ErrWentBack, one of a newer version
// call.ErrNewerRow. The connection string is in none of them.
func Open(ctx context.Context, o Options) (*Ledger, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	config, err := configure(o, map[string]string{planMode: "force_generic_plan"})
	if err != nil {
		return nil, err
	}
	l := &Ledger{options: o, queue: make(chan *job, queued), done: make(chan struct{}), gone: make(chan struct{})}
	config.AfterConnect = l.greet
	if l.pool, err = pgxpool.NewWithConfig(ctx, config); err != nil {
		return nil, explain(err, "open it")
	}
	l.queries = queries.New(bounded{l.pool, groupTime})
	l.journal.begin(o.Suppressions)
	if err := l.start(ctx); err != nil {
		l.pool.Close()
		if l.witness != nil {
			err = errors.Join(err, l.witness.close())
		}
		return nil, err
	}
	if o.ReadOnly {
		close(l.done)
	} else {
		go l.write()
	}
	return l, nil
}

func (l *Ledger) start(ctx context.Context) error {
	if err := l.pool.Ping(ctx); err != nil {
		return explain(wrongServer(err), "connect")
	}
	if err := checkDurability(ctx, l.options, l.queries); err != nil {
		return err
	}
	if err := migrate(ctx, l.pool, l.options); err != nil {
		return err
	}
	var said testimony
	if !l.options.ReadOnly {
		// The witness before the ledger: other processes write both, the ledger first, so it is never behind what was read before.
		var err error
		if l.witness, said, err = openWitness(l.options.WitnessPath); err != nil {
			return witnessTrouble(err, "opened", l.options.WitnessPath)
		}
	}
	found, err := l.introduce(ctx, l.queries)
	if err != nil {
		return err
	}
	if !l.options.ReadOnly {
		if err := l.confront(ctx, found, said); err != nil {
			return err
		}
	}
	l.id = found.identity.ID
	l.mu.Lock()
	defer l.mu.Unlock()
	l.incarnation, l.seen = found.incarnation, found.identity.HighWater
	l.opened = !l.wentBack.Load() && !l.options.ReadOnly
	return nil
}

// sight returns what this process knows of the ledger, for the comparison with a new connection.
func (l *Ledger) sight() (seen int64, incarnation string, opened bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen, l.incarnation, l.opened
}

// saw remembers how far the ledger is, here and in the witness.
func (l *Ledger) saw(highWater int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.seen = max(l.seen, highWater)
}

// usable says why the ledger cannot be used, nil when it can.
func (l *Ledger) usable(ctx context.Context) error {
	if reason := l.dead.Load(); reason != nil {
		return reason.err
	}
	return ctx.Err()
}

// writable says why the ledger cannot be written.
func (l *Ledger) writable(ctx context.Context) error {
	if err := l.usable(ctx); err != nil {
		return err
	}
	if l.options.ReadOnly {
		return errReadOnly
	}
	if l.wentBack.Load() {
		return wentBack("It must not be written before its recovery has begun.")
	}
	return nil
}

// failed returns the reason of a ledger that died meanwhile, or the error.
func (l *Ledger) failed(err error) error {
	if err == nil {
		return nil
	}
	if reason := l.dead.Load(); reason != nil {
		return reason.err
	}
	return err
}

// poison ends the use of a ledger that is not the one that was opened any more. The first reason stays.
func (l *Ledger) poison(err error) {
	if l.dead.CompareAndSwap(nil, &deadReason{err}) {
		close(l.gone)
	}
}

// Gone is closed when the ledger can no longer be used: it went back in time or was recovered while it was open, or it was closed. Only a
// reopening helps, which tells what is to be done.
func (l *Ledger) Gone() <-chan struct{} { return l.gone }

// Close waits for the writes that were begun, keeps the notes, and closes the connections. Closing twice is no error.
func (l *Ledger) Close() error {
	l.closing.Do(func() {
		l.poison(errClosed)
		if !l.options.ReadOnly {
			l.queue <- &job{kind: jobStop}
			<-l.done
		}
		l.pool.Close()
		if l.witness != nil {
			l.closed = l.witness.close()
		}
	})
	return l.closed
}

var (
	_ call.Ledger     = (*Ledger)(nil)
	_ call.Index      = (*Ledger)(nil)
	_ call.Beginnings = (*Ledger)(nil)
	_ call.Journal    = (*Ledger)(nil)
	_ call.Eraser     = (*Ledger)(nil)
	_ call.Parking    = (*Ledger)(nil)
	_ call.Cells      = (*Ledger)(nil)
)
