package dynamodb

import (
	"context"
	"strings"
	"sync/atomic"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ringonce/ringonce/internal/call"
)

// How much a process remembers: about 10 KB for each row, 100 bytes for each name.
const (
	mostRecords = 256
	mostNames   = 4096
)

// Ledger is one process's handle on a table. It is safe for concurrent use, and many processes may use one table.
type Ledger struct {
	options Options
	client  *awsdynamodb.Client
	packer  packer
	keyring *keyring

	records *recent[record]   // the rows met last, as they were
	written *recent[struct{}] // side items that are known to exist
	full    *recent[struct{}] // rows whose notes are complete
	chunks  *recent[int]      // where the newest notes of a row lie
	stamp   atomic.Int64      // the newest time of creation

	table    tableState
	dead     atomic.Bool
	wentBack atomic.Bool

	encrypted atomic.Bool // the ledger's own item says that calls are
	keyless   atomic.Bool // an encrypted blob was met, and the configuration names no key
}

var (
	_ call.Ledger  = (*Ledger)(nil)
	_ call.Index   = (*Ledger)(nil)
	_ call.Journal = (*Ledger)(nil)
	_ call.Eraser  = (*Ledger)(nil)
	_ call.Cells   = (*Ledger)(nil)
)

func newLedger(o Options) *Ledger {
	return &Ledger{
		options: o, client: newClient(o), records: newRecent[record](mostRecords), written: newRecent[struct{}](mostNames),
		full: newRecent[struct{}](mostNames), chunks: newRecent[int](mostNames),
		keyring: newKeyring(),
	}
}

// Close ends the ledger. There is nothing to flush. Closing twice is no error.
func (l *Ledger) Close() error {
	l.dead.Store(true)
	return nil
}

// Flush waits until every note given so far can be read. Here they can at once.
func (l *Ledger) Flush(context.Context) error { return l.usable(context.Background()) }

func (l *Ledger) usable(ctx context.Context) error {
	if l.dead.Load() {
		return errClosed
	}
	return ctx.Err()
}

func (l *Ledger) writable(ctx context.Context) error {
	switch err := l.usable(ctx); {
	case err != nil:
		return err
	case l.options.ReadOnly:
		return errReadOnly
	case l.wentBack.Load():
		return call.ErrWentBack
	}
	return l.keyMissing()
}

// now returns the time of a row's creation: that of the clock, but later than that of every row this process created before.
func (l *Ledger) now() int64 {
	for {
		last := l.stamp.Load()
		next := max(l.options.Clock.Now().UnixNano(), last+1)
		if l.stamp.CompareAndSwap(last, next) {
			return next
		}
	}
}

// isRow reports whether a key can be that of a call.
func isRow(id string) bool { return id != "" && !strings.HasPrefix(id, reserved) }
