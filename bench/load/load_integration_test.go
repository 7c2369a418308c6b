//go:build integration

package main

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/pgtest"
)

// wanted returns what a variable says, or what is measured without it.
func wanted(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// TestAllStagesAreMeasuredOnBothLedgers runs few requests and judges no figure; RINGONCE_LOAD_REQUESTS runs more, with RINGONCE_LOAD_DUPLICATES, by default three times
// as many, and from RINGONCE_LOAD_LANES connections; -v shows the table.
func TestAllStagesAreMeasuredOnBothLedgers(t *testing.T) {
	requests := wanted(t, "RINGONCE_LOAD_REQUESTS", 300)
	duplicates, lanes := wanted(t, "RINGONCE_LOAD_DUPLICATES", 3*requests), wanted(t, "RINGONCE_LOAD_LANES", 32)
	server := pgtest.Start(t)
	dsn := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(dsn, []byte(server.DSN(server.Schema(t), "")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []settings{{ledger: "sqlite"}, {ledger: "postgres", dsnFile: dsn}} {
		s.requests, s.duplicates, s.lanes, s.most = requests, duplicates, lanes, time.Minute
		rows, err := run(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		write(&out, s, rows)
		t.Logf("\n%s", &out)
		// Before the first sweep of a service its requests are dialed at once and answered 200: nobody else would finish them.
		if n := rows[0].statuses[http.StatusAccepted] + rows[0].statuses[http.StatusOK]; n != requests || rows[0].replayed != 0 {
			t.Errorf("%s: %d of %d new calls were accepted, %d as duplicates", s.ledger, n, requests, rows[0].replayed)
		}
		if rows[1].replayed != duplicates {
			t.Errorf("%s: %d of %d duplicates were seen", s.ledger, rows[1].replayed, duplicates)
		}
		if rows[2].statuses[http.StatusServiceUnavailable] == 0 {
			t.Errorf("%s: an overloaded service refused nothing: %v", s.ledger, rows[2].statuses)
		}
	}
}
