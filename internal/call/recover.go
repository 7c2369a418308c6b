package call

import (
	"context"
	"time"
)

// Taint returns the event by which a row of a restored ledger is made safe to dial from: it may have been dialed between the
// backup and the restore, so its signatures count from the backup and a phantom attempt stays open (protocol.md section 11).
func Taint(c Call, r Recovery, now time.Time) Event {
	return Event{Kind: EventTainted, At: now, Signed: r.signedFrom(), Reason: "restore", Attempt: r.phantom(c.ID)}
}

// RecoveryOf returns what a ledger that was restored now has forgotten, by the date of its newest write. A date that is still to come is of a clock that
// was wrong, and an empty copy has none: then everything may have been forgotten for which a token can still be used.
func RecoveryOf(newest, restored time.Time) Recovery {
	if newest.IsZero() || newest.After(restored) {
		newest = restored.Add(-TokenValidity)
	}
	return Recovery{Backup: newest, Restored: restored}
}

// signedFrom returns from when the signatures of a row that the restore may have forgotten count. A signature has whole seconds.
func (r Recovery) signedFrom() time.Time { return r.Backup.Truncate(time.Second) }

// covers reports whether a time may lie before the restore. Whoever wrote it may have had a clock that was as far ahead as a request's
// time is believed.
func (r Recovery) covers(at time.Time) bool { return !at.After(r.Restored.Add(futureTolerance)) }

// phantom returns the attempt that stands for those of a row which the restore forgot.
func (r Recovery) phantom(rowID string) *Attempt {
	return &Attempt{ID: "phantom-" + rowID, Opened: r.Backup, LeaseEnd: r.Restored.Add(LeaseTime), Answered: true, Phantom: true}
}

// TaintRow taints one row of a ledger under recovery. A final row, or one that is tainted already, is left as it is.
func (e *Engine) TaintRow(ctx context.Context, id string, r Recovery) (tainted bool, err error) {
	c, err := e.Ledger.Get(ctx, id)
	if err != nil {
		return false, err
	}
	_, err = e.merge(ctx, c, "", func(c Call) (Event, bool) {
		need := !c.State.Final() && !c.phantomOf(r)
		tainted = tainted || need
		return Taint(c, r, e.Clock.Now()), need
	})
	return tainted, err
}

// untainted reports whether an open recovery has not reached the row yet: the taint was interrupted, and nothing may be dialed from
// the row before it is done. Rows that the restored ledger accepted itself need none; what a restore may have forgotten about them
// came with their beginning.
func (c Call) untainted(r *Recovery) bool {
	return r != nil && !c.State.Final() && r.covers(c.AcceptedAt) && !c.phantomOf(*r)
}

// phantomOf reports whether the row was tainted by this recovery. The phantom of an earlier one says nothing about what the ledger
// forgot since.
func (c Call) phantomOf(r Recovery) bool {
	for _, a := range c.Open {
		if a.Phantom && !a.LeaseEnd.Before(r.Restored) {
			return true
		}
	}
	return false
}

func (c Call) phantom() bool {
	for _, a := range c.Open {
		if a.Phantom {
			return true
		}
	}
	return false
}
