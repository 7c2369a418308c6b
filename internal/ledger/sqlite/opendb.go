package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/ringonce/ringonce/internal/call"
)

// readers is how many connections read beside the writer.
const readers = 4

// Ledger is an open ledger. It is safe for concurrent use.
type Ledger struct {
	options Options
	writeDB *sql.DB
	readDB  *sql.DB
	writer  *connection
	pool    chan *connection
	pooled  int // connections that belong to the pool
	lock    *lock
	witness *witness

	queue    chan *job
	done     chan struct{} // closed when the writer has ended
	gone     chan struct{} // closed when the ledger is of no use any more
	dead     atomic.Pointer[deadReason]
	wentBack atomic.Bool
	ending   sync.Once // of the writer
	closing  sync.Once
	closed   error

	mu      sync.RWMutex
	record  record // guarded by mu
	journal journal
	tail    tail
	newest  newest
}

// deadReason is why the ledger answers nothing any more.
type deadReason struct{ err error }

// OpenDB opens a ledger on databases that are already open: writer for the one connection that writes, readers for those that
// read beside it. It takes both over and closes them, also when it fails. Both must speak SQLite's dialect through the context
// interfaces of database/sql/driver, in WAL mode with synchronous=FULL or more, which is read back and not set: an opener that
// forgot it is refused. The lock on the file is the opener's business; a witness is kept when o names one.
func OpenDB(ctx context.Context, writer, readers *sql.DB, o Options) (*Ledger, error) {
	o, err := o.complete()
	if err != nil {
		return nil, errors.Join(err, writer.Close(), readers.Close())
	}
	l := &Ledger{options: o, writeDB: writer, readDB: readers, queue: make(chan *job, queued), done: make(chan struct{}), gone: make(chan struct{})}
	l.journal.begin(o.Suppressions)
	if err := l.start(ctx); err != nil {
		return nil, errors.Join(err, l.disconnect())
	}
	if o.ReadOnly {
		close(l.done)
	} else {
		go l.write()
	}
	return l, nil
}

func (l *Ledger) start(ctx context.Context) error {
	l.writeDB.SetMaxOpenConns(1)
	l.readDB.SetMaxOpenConns(readers)
	if err := migrate(ctx, l.writeDB, l.options.ReadOnly); err != nil {
		return err
	}
	var err error
	if l.writer, err = connect(ctx, l.writeDB); err != nil {
		return explain(err, "connect")
	}
	if err := l.writer.use(checkDurability); err != nil {
		return err
	}
	if !l.options.ReadOnly || l.options.Cells {
		if err := l.writer.use(overwriteFreed); err != nil {
			return err
		}
	}
	if err := l.writer.use(l.introduce); err != nil {
		return err
	}
	l.journal.beat = l.record.beat
	l.pool = make(chan *connection, readers)
	for range readers {
		c, err := connect(ctx, l.readDB)
		if err != nil {
			return explain(err, "connect")
		}
		l.pool <- c
		l.pooled++
	}
	if l.options.ReadOnly {
		return nil
	}
	if l.options.WitnessPath != "" {
		if err := l.confront(); err != nil {
			return err
		}
	}
	return l.writer.use(l.readTail)
}

// checkDurability reads back what every promise rests on. protocol.md section 12: FULL loses 0 of 300 power cuts, NORMAL all.
func checkDurability(p prepare) error {
	mode, err := p.one("PRAGMA journal_mode")
	if err != nil {
		return explain(err, "read its journal mode")
	}
	level, err := p.one("PRAGMA synchronous")
	if err != nil {
		return explain(err, "read its sync level")
	}
	const full = 2
	if textOf(mode[0]) != "wal" {
		return misconfigured("ledger.path", "Put the file on a local disk that supports shared memory.",
			"The ledger's file is in journal mode %q instead of wal.", textOf(mode[0]))
	}
	if numberOf(level[0]) < full {
		return misconfigured("ledger.path", "Open it with synchronous=FULL.",
			"The ledger's file is open with synchronous=%d, which loses answered writes in a power cut.", numberOf(level[0]))
	}
	return nil
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

// poison ends the use of a ledger whose file is in an unknown state. The first reason stays.
func (l *Ledger) poison(err error) {
	if l.dead.CompareAndSwap(nil, &deadReason{err}) {
		close(l.gone)
	}
}

// Gone is closed when the ledger can no longer be used: its file is in an unknown state after an I/O error, or it was closed. Only a reopening
// helps (protocol.md section 12).
func (l *Ledger) Gone() <-chan struct{} { return l.gone }

// Close waits for the writes that were begun, keeps the notes, and releases the file. Closing twice is no error.
func (l *Ledger) Close() error {
	l.closing.Do(func() {
		l.end(errClosed)
		l.closed = errors.Join(l.disconnect(), l.lock.release())
	})
	return l.closed
}

// end lets nothing new in, and waits until the writer has ended.
func (l *Ledger) end(reason error) {
	l.ending.Do(func() {
		l.poison(reason)
		if !l.options.ReadOnly {
			l.queue <- &job{kind: jobStop}
			<-l.done
		}
	})
}

// Kill ends the ledger as the death of its process would: what waits is dropped, notes too, nothing is answered any more, and when it returns
// nobody writes to its files. Nothing but a simulation needs it: the files then are what a killed process leaves, until Close moves the log into
// the database, as SQLite does with the last connection. Who wants to see the next start recover them copies them in between.
func (l *Ledger) Kill() { l.end(errKilled) }

// disconnect closes everything that start opened. The last connection to close moves the WAL into the file.
func (l *Ledger) disconnect() error {
	var errs []error
	for range l.pooled {
		errs = append(errs, (<-l.pool).close())
	}
	if l.writer != nil {
		errs = append(errs, l.writer.close())
	}
	if l.witness != nil {
		errs = append(errs, l.witness.close())
	}
	return errors.Join(append(errs, l.readDB.Close(), l.writeDB.Close())...)
}

var (
	_ call.Index      = (*Ledger)(nil)
	_ call.Beginnings = (*Ledger)(nil)
	_ call.Journal    = (*Ledger)(nil)
	_ call.Eraser     = (*Ledger)(nil)
)
