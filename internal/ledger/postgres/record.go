package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// server tells one PostgreSQL server, and one past of it, from every other.
type server struct {
	cluster  string // system identifier
	timeline int64
}

// record is the row of table ledger, and the server that showed it.
type record struct {
	identity    call.LedgerIdentity
	incarnation string
	home        server // where it was made or recovered
	server      server // where it is
	beat        time.Time
}

// readRecord reads the record; one without an id is not made yet.
func readRecord(ctx context.Context, q *queries.Queries) (record, error) {
	at, err := q.Server(ctx)
	if err != nil {
		return record{}, explain(err, "read which server it is on")
	}
	found := record{server: server{cluster: at.Cluster, timeline: at.Timeline}}
	row, err := q.ReadLedger(ctx)
	if errors.Is(err, pgx.ErrNoRows) {
		return found, nil
	}
	if err != nil {
		return record{}, explain(err, "read its identity")
	}
	found.incarnation, found.home = row.Incarnation, server{cluster: row.Cluster, timeline: row.Timeline}
	found.beat = instant(row.Beat)
	found.identity = call.LedgerIdentity{
		ID: row.ID, Mode: call.IdentityMode(row.Mode), Check: row.Proof, Epoch: row.Epoch, HighWater: row.HighWater,
		LastWrite: instant(&row.LastWrite), Reading: row.Reading,
	}
	if row.Backup != nil {
		found.identity.Recovery = &call.Recovery{Backup: instant(row.Backup), Restored: instant(row.Restored)}
	}
	return found, nil
}

// introduce reads the record, makes it in a new ledger, and refuses a ledger that was made with another identity.
func (l *Ledger) introduce(ctx context.Context, q *queries.Queries) (record, error) {
	found, err := readRecord(ctx, q)
	if err != nil {
		return record{}, err
	}
	o := l.options
	if found.identity.ID == "" {
		if o.ReadOnly {
			return record{}, misconfigured("ledger.driver", "Run ringonce serve once: it finishes the ledger.", "The database holds no finished ledger.")
		}
		err := q.MakeLedger(ctx, queries.MakeLedgerParams{
			ID: o.RandomID(), Created: nanos(o.Clock.Now()), Mode: string(o.Mode), Proof: o.Check,
			Cluster: found.server.cluster, Timeline: found.server.timeline, Needs: schemaNeeds,
		})
		if err != nil {
			return record{}, explain(err, "write its identity")
		}
		if found, err = readRecord(ctx, q); err != nil { // another process may have been faster
			return record{}, err
		}
	}
	return found, l.sameIdentity(found.identity)
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

// Identity implements [call.Ledger]. It is read from the database, since other processes write it too.
func (l *Ledger) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	if err := l.usable(ctx); err != nil {
		return call.LedgerIdentity{}, err
	}
	found, err := readRecord(ctx, l.queries)
	if err == nil && found.identity.ID == "" {
		err = unavailable(pgx.ErrNoRows, "Restore the database from a backup and run ringonce ledger recover.", "The ledger's own record is gone.")
	}
	return found.identity, l.failed(err)
}
