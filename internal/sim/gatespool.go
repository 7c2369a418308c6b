package sim

import (
	"context"
	"errors"

	"github.com/ringonce/ringonce/internal/call"
)

// gatedSpool is the spool of a worker: a disk that is full takes no fact.
type gatedSpool struct {
	call.Spool
	gate *gate
}

// Keep implements call.Spool.
func (s gatedSpool) Keep(f call.Fact) error {
	s.gate.at(context.Background(), "before spool", f.RowID)
	if err := s.gate.w.ledgerDown(true); errors.Is(err, errDiskFull) {
		s.gate.w.giveSpool(f, false)
		return err
	}
	if err := s.Spool.Keep(f); err != nil {
		return err
	}
	s.gate.w.mark("spooled")
	s.gate.w.giveSpool(f, true)
	s.gate.at(context.Background(), "after spool", f.RowID)
	return nil
}

// Done implements call.Spool.
func (s gatedSpool) Done(f call.Fact) error {
	s.gate.at(context.Background(), "before unspool", f.RowID)
	err := s.Spool.Done(f)
	if err == nil {
		s.gate.w.leftSpool(f)
	}
	s.gate.at(context.Background(), "after unspool", f.RowID)
	return err
}

// leftSpool notes a contact id that the spool holds no more.
func (w *World) leftSpool(f call.Fact) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.inSpool, f.RowID+" "+f.Event.ContactID)
}

// giveSpool notes a contact id that the spool took, which is owed from then on, or had no room for, so that only the log has it.
func (w *World) giveSpool(f call.Fact, took bool) {
	if f.Event.ContactID == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spooled[f.RowID+" "+f.Event.ContactID] = true
	if took {
		w.inSpool[f.RowID+" "+f.Event.ContactID] = true
		w.owed[f.RowID+" "+f.Event.ContactID] = true
	}
}
