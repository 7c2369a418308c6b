package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"io/fs"

	"github.com/pressly/goose/v3"

	"github.com/ringonce/ringonce/internal/call"
)

//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the file to the newest schema, or refuses one that is newer still.
func migrate(ctx context.Context, db *sql.DB, readOnly bool) error {
	files, err := fs.Sub(migrations, "migrations")
	if err != nil {
		return explain(err, "read its migrations")
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db, files,
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return explain(err, "read its migrations")
	}
	current, known, err := provider.GetVersions(ctx)
	if err != nil {
		return explain(err, "read its schema version")
	}
	switch {
	case current > known:
		return newer("The ledger at ledger.path has schema %d, and this program knows %d.", current, known)
	case current == known:
		return nil
	case readOnly:
		return misconfigured("ledger.path", "Run ringonce serve once: it brings the schema up to date.",
			"The ledger at ledger.path has schema %d, and this program reads %d.", current, known)
	}
	if _, err := provider.Up(ctx); err != nil {
		return explain(err, "bring its schema up to date")
	}
	return nil
}

func newer(format string, args ...any) error {
	return &refusal{cause: call.ErrNewerRow, shown: misconfigured("ledger.path", "Run the newer version of ringonce that wrote it.", format, args...)}
}
