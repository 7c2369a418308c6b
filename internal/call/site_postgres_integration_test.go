//go:build integration

package call_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
	"github.com/ringonce/ringonce/internal/secret"
)

// TestEveryWriteOfTheLedgerInPostgreSQLMayBeLostOrDoubled is TestEveryWriteOfEveryLedgerMayBeLostOrDoubled for the driver that needs a server. That a
// ledger without the op check is noticed is seen without one, since the defect lies above every driver.
func TestEveryWriteOfTheLedgerInPostgreSQLMayBeLostOrDoubled(t *testing.T) {
	t.Parallel()
	most := 1
	if os.Getenv("RINGONCE_NIGHT") != "" {
		most = everyWrite
	}
	fresh := onPostgreSQL(t, pgtest.Start(t))
	broken, clean, wrong := ambiguous(t, fresh, nil, most, everyWrite)
	for _, line := range wrong {
		t.Error(line)
	}
	for _, site := range slices.Sorted(maps.Keys(broken)) {
		t.Logf("%-32s %3d", site, broken[site])
	}
	reachesEverySite(t, "postgres", broken)
	for _, story := range siteStories() {
		want, _, said := story.once(t, onMemory, nil, 0, sent)
		for _, line := range append(said, clean[story.name].differs(want, "")...) {
			t.Errorf("%s, with nothing broken: %s", story.name, line)
		}
	}
}

// onPostgreSQL makes ledgers, one after the other, in one schema: each finds the tables as they were when they were made, since making them anew takes
// longer than a story. What the ledger before wrote is replaced by copies of that moment.
func onPostgreSQL(t *testing.T, server *pgtest.Server) maker {
	t.Helper()
	schema := server.Schema(t)
	open := func(t testing.TB, c *clock) ledgertest.Ledger {
		l, err := postgres.Open(context.Background(), postgres.Options{
			DSN: secret.New([]byte(server.DSN(schema, ""))), WitnessPath: filepath.Join(t.TempDir(), "witness"),
			RandomID: func() string { return "ledger" }, Clock: c,
		})
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	if err := open(t, &clock{now: start}).Close(); err != nil {
		t.Fatal(err)
	}
	server.Exec(t, strings.ReplaceAll(keepTables, "@", schema))
	again := strings.ReplaceAll(resetTables, "@", schema)
	return func(t testing.TB, c *clock) ledgertest.Ledger {
		server.Exec(t, again)
		return open(t, c)
	}
}

const (
	keepTables = `CREATE SCHEMA made_@;
DO $$ DECLARE name text; BEGIN
	FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '@' LOOP
		EXECUTE format('CREATE TABLE made_@.%1$I AS TABLE @.%1$I', name);
	END LOOP;
END $$`

	resetTables = `DO $$ DECLARE name text; BEGIN
	FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '@' LOOP
		EXECUTE format('DELETE FROM @.%1$I', name);
		EXECUTE format('INSERT INTO @.%1$I OVERRIDING SYSTEM VALUE SELECT * FROM made_@.%1$I', name);
	END LOOP;
	FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = '@' LOOP
		PERFORM setval(format('@.%I', name), 1, false);
	END LOOP;
END $$`
)
