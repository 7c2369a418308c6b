package crashtest

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// trappedLedger can die before a write and after it: after means durable, witness moved, and the writer not yet answered.
type trappedLedger struct {
	call.Ledger
	parkedCalls

	eraser call.Eraser
	trap   *trap
}

// parkedCalls is call.ParkedCalls: a field of that name would hide its method.
type parkedCalls = call.ParkedCalls

// newTrappedLedger wraps a ledger, above a driver that also erases and finds parked calls.
func newTrappedLedger(above, driver call.Ledger, t *trap) trappedLedger {
	l := trappedLedger{Ledger: above, trap: t}
	l.eraser, _ = driver.(call.Eraser) // that of SQLite does; without it a victim would forget nobody, and a run would miss that
	l.parkedCalls, _ = driver.(call.ParkedCalls)
	return l
}

// Create implements call.Ledger.
func (l trappedLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	name := "create " + string(w.Entry.Kind)
	switch {
	case w.Row.Ring > 0:
		name = "create next ring"
	case w.Row.EscalatedFrom != "":
		name = "create turn"
	case w.Row.State == call.Dialing:
		name = "create with intent"
	}
	defer l.trap.around(name)()
	return l.Ledger.Create(ctx, w)
}

// Update implements call.Ledger.
func (l trappedLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	defer l.trap.around("write " + string(w.Entry.Kind))()
	return l.Ledger.Update(ctx, w)
}

// Erase implements call.Eraser.
func (l trappedLedger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	defer l.trap.around("write " + string(w.Entry.Kind))()
	return l.eraser.Erase(ctx, w)
}

// Scrub implements call.Eraser.
func (l trappedLedger) Scrub(ctx context.Context, recipient string, ids []string) error {
	defer l.trap.around("scrub")()
	return l.eraser.Scrub(ctx, recipient, ids)
}

// trappedDialer can die before it sends and after it has read the answer, and around every look.
type trappedDialer struct {
	call.Dialer
	trap *trap
}

// Dial implements call.Dialer.
func (d trappedDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	defer d.trap.around("dial")()
	return d.Dialer.Dial(ctx, s)
}

// Search implements call.Dialer.
func (d trappedDialer) Search(ctx context.Context, t call.Target, callID string, from, to time.Time) ([]call.Contact, error) {
	defer d.trap.around("search")()
	return d.Dialer.Search(ctx, t, callID, from, to)
}

// Describe implements call.Dialer.
func (d trappedDialer) Describe(ctx context.Context, t call.Target, contactID string) (call.Contact, error) {
	defer d.trap.around("describe")()
	return d.Dialer.Describe(ctx, t, contactID)
}

// Stop implements call.Dialer.
func (d trappedDialer) Stop(ctx context.Context, t call.Target, contactID string) error {
	defer d.trap.around("stop")()
	return d.Dialer.Stop(ctx, t, contactID)
}

// trappedSpool can die around everything that the spool does.
type trappedSpool struct {
	call.Spool
	trap *trap
}

// Keep implements call.Spool.
func (s trappedSpool) Keep(f call.Fact) error {
	defer s.trap.around("spool keep")()
	return s.Spool.Keep(f)
}

// Done implements call.Spool.
func (s trappedSpool) Done(f call.Fact) error {
	defer s.trap.around("spool done")()
	return s.Spool.Done(f)
}
