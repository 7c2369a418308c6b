package river

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	"github.com/riverqueue/river/riverdriver/riversqlite"
	_ "modernc.org/sqlite" // the driver of database/sql
)

// OpenSQLite opens hints in a file of their own. It is not the ledger's: losing it, or power with it, costs time, so its writes do not wait for
// the disk, and the one writer of the ledger never waits for a hint. An empty path keeps them in memory.
func OpenSQLite(ctx context.Context, path string, o Options) (*Hints[*sql.Tx], error) {
	name := ":memory:"
	if path != "" {
		name = (&url.URL{Scheme: "file", Opaque: url.PathEscape(path), RawQuery: "_pragma=journal_mode(WAL)&_pragma=synchronous(OFF)&_pragma=busy_timeout(5000)&_txlock=immediate"}).String()
	}
	db, err := sql.Open("sqlite", name)
	if err != nil {
		return nil, fmt.Errorf("open the file of hints: %w", err)
	}
	db.SetMaxOpenConns(1) // SQLite has one writer, and River's SQLite driver asks for one connection
	hints, err := newHints(ctx, riversqlite.New(db), o, db.Close)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return hints, nil
}
