package river_test

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"github.com/ringonce/ringonce/internal/wake/river"
)

// TestEveryMigrationOfRiverWasRead fails when an update of River brings a migration that docs/postgres.md says nothing about: somebody has to read
// what it takes away from the processes of the version before.
func TestEveryMigrationOfRiverWasRead(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/postgres.md")
	if err != nil {
		t.Fatal(err)
	}
	newest := max(newestOf(t, riverpgxv5.New(nil)), newestOf(t, riversqlite.New(nil)))
	if row := fmt.Sprintf("\n| %d | ", newest); newest < 8 || !strings.Contains(string(text), row) {
		t.Errorf("migration %d of River has no row in docs/postgres.md, Migrations without downtime", newest)
	}
	if strings.Contains(string(text), fmt.Sprintf("\n| %d | ", newest+1)) {
		t.Errorf("docs/postgres.md knows a migration after %d", newest)
	}
}

func newestOf[Tx any](t *testing.T, driver riverdriver.Driver[Tx]) int {
	t.Helper()
	migrator, err := rivermigrate.New(driver, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := migrator.AllVersions()
	return all[len(all)-1].Version
}

// TestAProcessStartsOnTablesOfANewerRiver plants a migration that this River does not know.
func TestAProcessStartsOnTablesOfANewerRiver(t *testing.T) {
	t.Parallel()
	path, h := filepath.Join(t.TempDir(), "hints.db"), newHeard()
	stop(t, open(t, path, river.Options{Woken: h.woken}))
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: url.PathEscape(path)}).String())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `INSERT INTO river_migration (line, version) VALUES ('main', 99); ALTER TABLE river_job ADD COLUMN later TEXT`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	hints := open(t, path, river.Options{Woken: h.woken})
	defer stop(t, hints)
	if err := hints.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := hints.Wake(t.Context(), "row", time.Now()); err != nil {
		t.Fatal(err)
	}
	if row := <-h.came; row != "row" {
		t.Errorf("%s came", row)
	}
}
