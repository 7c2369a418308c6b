package sqlite

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// record is the row of table ledger, as of the last commit.
type record struct {
	identity call.LedgerIdentity
	beat     time.Time
	indexed  int64 // number of the newest write that the indexes know
}

const (
	selectRecord = `SELECT id, mode, proof, epoch, high_water, last_write, backup, restored, beat, indexed, reading FROM ledger`
	insertRecord = `INSERT INTO ledger (one, id, created, mode, proof, epoch, high_water, indexed) VALUES (1, ?, ?, ?, ?, 1, 0, 0)`
	moveRecord   = `UPDATE ledger SET high_water = ?, last_write = ?`
)

// Identity implements [call.Ledger].
func (l *Ledger) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	if err := l.refresh(ctx); err != nil {
		return call.LedgerIdentity{}, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	identity := l.record.identity
	if open := identity.Recovery; open != nil {
		copied := *open
		identity.Recovery = &copied
	}
	return identity, nil
}

// refresh re-reads the record of a ledger that another process writes.
func (l *Ledger) refresh(ctx context.Context) error {
	if err := l.usable(ctx); err != nil || !l.options.ReadOnly {
		return err
	}
	return l.read(ctx, "read its identity", func(p prepare) error {
		found, _, err := readRecord(p)
		if err != nil {
			return err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		l.record = found
		return nil
	})
}

func readRecord(p prepare) (record, bool, error) {
	row, err := p.one(selectRecord)
	if err != nil || row == nil {
		return record{}, false, err
	}
	found := record{beat: instant(row[8]), indexed: numberOf(row[9])}
	found.identity = call.LedgerIdentity{
		ID: textOf(row[0]), Mode: call.IdentityMode(textOf(row[1])), Check: textOf(row[2]),
		Epoch: numberOf(row[3]), HighWater: numberOf(row[4]), LastWrite: instant(row[5]), Reading: textOf(row[10]),
	}
	if row[6] != nil {
		found.identity.Recovery = &call.Recovery{Backup: instant(row[6]), Restored: instant(row[7])}
	}
	return found, true, nil
}

// introduce reads the record, makes it in a new file, and refuses a ledger that was made with another identity.
func (l *Ledger) introduce(p prepare) error {
	found, made, err := readRecord(p)
	if err != nil {
		return explain(err, "read its identity")
	}
	switch {
	case !made && l.options.ReadOnly:
		return misconfigured("ledger.path", "Run ringonce serve once: it finishes the ledger.", "The file at ledger.path holds no finished ledger.")
	case !made:
		o := l.options
		if _, err := p.exec(insertRecord, o.RandomID(), nanos(o.Clock.Now()), string(o.Mode), o.Check); err != nil {
			return explain(err, "write its identity")
		}
		if found, _, err = readRecord(p); err != nil {
			return explain(err, "read its identity")
		}
	}
	l.record = found
	return l.sameIdentity(found.identity)
}

// sameIdentity refuses a mode or secret that would turn every key into a new one. A reader that brings no check names no rows.
func (l *Ledger) sameIdentity(made call.LedgerIdentity) error {
	o := l.options
	switch {
	case o.ReadOnly && (o.Check == "" || o.Mode == call.IdentityPlain):
		return nil
	case made.Mode == call.IdentityHMAC && o.Mode == call.IdentityPlain:
		return misconfigured("identity.key_file", "Configure identity: hmac and identity.key_file.",
			"The ledger was made with identity: hmac, and no key is configured.")
	case made.Mode != o.Mode:
		return misconfigured("identity", "Configure identity: "+string(made.Mode)+", or start a new ledger.",
			"The ledger was made with identity: %s, and %s is configured; the choice cannot change.", made.Mode, o.Mode)
	case made.Check != o.Check:
		return misconfigured("identity.key_file", "Configure the key that the ledger was made with; it never rotates.",
			"The ledger was made with another identity key than the configured one.")
	}
	return nil
}
