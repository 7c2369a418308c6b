package postgres

import (
	"context"
	"embed"
	"errors"
	"hash/fnv"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

//go:embed migrations/*.sql
var migrations embed.FS

// schemaNeeds is what a ledger that is made now says of its schema: programs that know this version can use it. A migration that takes away what
// older programs use raises ledger.needs (docs/postgres.md, "Migrations").
const schemaNeeds = 1

// migrationTries is how often, once a second, a process asks whether another one has ended its migration: that waits for transactions which are older,
// and a backup may take hours. The one that migrates may be killed; its session, and with it the lock, ends then.
const migrationTries = 24 * 60 * 60

// noticeTime is how long a start brings the schema up to date before it says so. Most take a fraction of a second.
const noticeTime = 2 * time.Second

// migrate brings the schema to the newest version. One that is newer still is used when it says that this program may.
func migrate(ctx context.Context, pool *pgxpool.Pool, o Options) (err error) {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return explain(err, "read its migrations")
	}
	var schema string
	if err := (bounded{pool, groupTime}).QueryRow(ctx, "SELECT coalesce(current_schema(), '')").Scan(&schema); err != nil {
		return explain(err, "find its schema")
	}
	if schema == "" {
		return misconfigured("ledger.driver", "Create the schema that search_path names.", "The connection string's search_path names no schema that exists.")
	}
	name := fnv.New64a()
	_, _ = name.Write([]byte("ringonce " + schema)) // never fails
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(int64(name.Sum64()>>1)), lock.WithLockTimeout(1, migrationTries))
	if err != nil {
		return explain(err, "lock its schema")
	}
	// A connection of its own: a migration changes the settings of its session, and one that fails midway does not change them back.
	db := stdlib.OpenDB(*pool.Config().ConnConfig)
	db.SetMaxOpenConns(1)
	defer func() { err = errors.Join(err, db.Close()) }()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true), goose.WithSessionLocker(locker))
	if err != nil {
		return explain(err, "read its migrations")
	}
	var current, known int64
	if o.ReadOnly { // goose would make its table
		known = schemaVersion(provider)
		err = (bounded{pool, groupTime}).QueryRow(ctx, "SELECT coalesce(max(version_id), 0) FROM goose_db_version WHERE is_applied").Scan(&current)
	} else {
		current, known, err = provider.GetVersions(ctx)
	}
	if err != nil {
		return explain(err, "read its schema version")
	}
	switch {
	case current > known:
		return usableSchema(ctx, pool, current, known)
	case current == known:
		return nil
	case o.ReadOnly:
		return misconfigured("ledger.driver", "Run ringonce serve once: it brings the schema up to date.", "The ledger has schema %d, and this program reads %d.", current, known)
	}
	if o.Waits != nil {
		defer time.AfterFunc(noticeTime, o.Waits).Stop()
	}
	if _, err := provider.Up(ctx); err != nil {
		return explain(err, "bring its schema up to date")
	}
	return nil
}

func schemaVersion(p *goose.Provider) int64 {
	newest := int64(0)
	for _, s := range p.ListSources() {
		newest = max(newest, s.Version)
	}
	return newest
}

// usableSchema refuses a newer schema that took something away which this program uses.
func usableSchema(ctx context.Context, pool *pgxpool.Pool, current, known int64) error {
	row, err := queries.New(bounded{pool, groupTime}).ReadLedger(ctx)
	if err != nil {
		return explain(err, "read its identity")
	}
	if row.Needs > known {
		return newer("The ledger has schema %d, which needs a program that knows %d; this one knows %d.", current, row.Needs, known)
	}
	return nil
}
