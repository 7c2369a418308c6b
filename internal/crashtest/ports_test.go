package crashtest

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// trappedLedger can die before a write and after it: after means durable, witness moved, and the writer not yet answered.
type trappedLedger struct {
	call.Ledger
	trap *trap
}

// Create implements call.Ledger.
func (l trappedLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	name := "create " + string(w.Entry.Kind)
	switch {
	case w.Row.Ring > 0:
		name = "create next ring"
	case w.Row.State == call.Dialing:
		name = "create with intent"
	}
	l.trap.at(name + ":before")
	written, err := l.Ledger.Create(ctx, w)
	l.trap.at(name + ":after")
	return written, err
}

// Update implements call.Ledger.
func (l trappedLedger) Update(ctx context.Context, w call.Write) (call.Written, error) {
	name := "write " + string(w.Entry.Kind)
	l.trap.at(name + ":before")
	written, err := l.Ledger.Update(ctx, w)
	l.trap.at(name + ":after")
	return written, err
}

// trappedJournal can die around a note and a sweeper's beat.
type trappedJournal struct {
	call.Journal
	trap *trap
}

// Note implements call.Journal.
func (j trappedJournal) Note(ctx context.Context, n call.Note) error {
	j.trap.at("note:before")
	err := j.Journal.Note(ctx, n)
	j.trap.at("note:after")
	return err
}

// Beat implements call.Journal.
func (j trappedJournal) Beat(ctx context.Context, at time.Time) error {
	j.trap.at("beat:before")
	err := j.Journal.Beat(ctx, at)
	j.trap.at("beat:after")
	return err
}

// trappedCells can die around the write of a cell.
type trappedCells struct {
	call.Cells
	trap *trap
}

// SetCell implements call.Cells.
func (c trappedCells) SetCell(ctx context.Context, cell call.Cell) (call.Cell, bool, error) {
	c.trap.at("cell:before")
	now, ok, err := c.Cells.SetCell(ctx, cell)
	c.trap.at("cell:after")
	return now, ok, err
}

// trappedDialer can die before it sends and after it has read the answer, and around every look.
type trappedDialer struct {
	call.Dialer
	trap *trap
}

// Dial implements call.Dialer.
func (d trappedDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	d.trap.at("dial:before")
	answer := d.Dialer.Dial(ctx, s)
	d.trap.at("dial:after")
	return answer
}

// Search implements call.Dialer.
func (d trappedDialer) Search(ctx context.Context, t call.Target, callID string, from, to time.Time) ([]call.Contact, error) {
	d.trap.at("search:before")
	found, err := d.Dialer.Search(ctx, t, callID, from, to)
	d.trap.at("search:after")
	return found, err
}

// Stop implements call.Dialer.
func (d trappedDialer) Stop(ctx context.Context, t call.Target, contactID string) error {
	d.trap.at("stop:before")
	err := d.Dialer.Stop(ctx, t, contactID)
	d.trap.at("stop:after")
	return err
}

// trappedSpool can die around everything that the spool does.
type trappedSpool struct {
	call.Spool
	trap *trap
}

// Keep implements call.Spool.
func (s trappedSpool) Keep(f call.Fact) error {
	s.trap.at("spool keep:before")
	err := s.Spool.Keep(f)
	s.trap.at("spool keep:after")
	return err
}

// Done implements call.Spool.
func (s trappedSpool) Done(f call.Fact) error {
	s.trap.at("spool done:before")
	err := s.Spool.Done(f)
	s.trap.at("spool done:after")
	return err
}
