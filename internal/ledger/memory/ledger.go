package memory

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Options are the settings of a ledger. The zero value is a working ledger of the plain identity mode.
type Options struct {
	ID           string                                    // of the ledger; empty means "memory"
	Mode         call.IdentityMode                         // empty means plain
	Check        string                                    // call.Naming.Check; empty means that of the plain mode
	Recipient    func(keySpace, recipientID string) string // call.Naming.Recipient; nil means that of the plain mode
	Suppressions string                                    // "off", "first-20" (default) or "all": texts kept; all are counted
}

var errClosed = errors.New("the ledger is closed")

// Ledger is one process's handle on a store. It is safe for concurrent use.
type Ledger struct {
	options Options
	store   *store
	dead    atomic.Bool
}

var (
	_ call.Ledger     = (*Ledger)(nil)
	_ call.Index      = (*Ledger)(nil)
	_ call.Beginnings = (*Ledger)(nil)
	_ call.Journal    = (*Ledger)(nil)
	_ call.Eraser     = (*Ledger)(nil)
	_ call.Cells      = (*Ledger)(nil)
)

// New returns a ledger on a fresh, empty store.
func New(o Options) *Ledger {
	plain := call.Naming{Mode: call.IdentityPlain}
	if o.ID == "" {
		o.ID = "memory"
	}
	if o.Mode == "" {
		o.Mode = call.IdentityPlain
	}
	if o.Check == "" {
		o.Check = plain.Check()
	}
	if o.Recipient == nil {
		o.Recipient = plain.Recipient
	}
	return &Ledger{options: o, store: newStore()}
}

// Reopen returns a new ledger on the same store, as a restarted process would. The old one keeps working until it is closed.
func (l *Ledger) Reopen() *Ledger { return &Ledger{options: l.options, store: l.store} }

// Crash ends the ledger as the death of its process would: every later use of it fails.
func (l *Ledger) Crash() { l.dead.Store(true) }

// Close ends the ledger. Closing twice is no error.
func (l *Ledger) Close() error {
	l.dead.Store(true)
	return nil
}

// Create implements [call.Ledger].
func (l *Ledger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.usable(ctx); err != nil {
		return call.Written{}, err
	}
	if err := wellFormed(w); err != nil {
		return call.Written{}, err
	}
	if w.Entry.Seq != 1 {
		return call.Written{}, fmt.Errorf("create row %s: the first write must have seq 1, not %d", w.Row.ID, w.Entry.Seq)
	}
	recipient := l.options.Recipient(w.Row.Key.KeySpace, w.Row.Key.RecipientID)
	return l.store.create(w, recipient)
}

// Update implements [call.Ledger].
func (l *Ledger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.usable(ctx); err != nil {
		return call.Written{}, err
	}
	if err := wellFormed(w); err != nil {
		return call.Written{}, err
	}
	return l.store.update(w)
}

// Get implements [call.Ledger].
func (l *Ledger) Get(ctx context.Context, id string) (call.Call, error) {
	if err := l.usable(ctx); err != nil {
		return call.Call{}, err
	}
	return l.store.get(id)
}

// Due implements [call.Ledger].
func (l *Ledger) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	return l.store.dueBy(now, limit), nil
}

// Identity implements [call.Ledger].
func (l *Ledger) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	if err := l.usable(ctx); err != nil {
		return call.LedgerIdentity{}, err
	}
	identity := call.LedgerIdentity{ID: l.options.ID, Mode: l.options.Mode, Check: l.options.Check}
	l.store.describe(&identity)
	return identity, nil
}

func (l *Ledger) usable(ctx context.Context) error {
	if l.dead.Load() {
		return errClosed
	}
	return ctx.Err()
}

func wellFormed(w call.Write) error {
	if w.Row.ID == "" || w.Row.ID != w.Entry.RowID || w.Row.Version != w.Entry.Seq || w.Entry.Op == "" {
		return fmt.Errorf("the write of row %q does not fit its entry %q: id, version and op must agree", w.Row.ID, w.Entry.Op)
	}
	return nil
}
