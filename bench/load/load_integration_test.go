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

// TestAllStagesAreMeasuredOnBothLedgers runs few requests and judges no figure; RINGONCE_LOAD_REQUESTS runs more, with three times as many duplicates,
// and -v shows the table.
func TestAllStagesAreMeasuredOnBothLedgers(t *testing.T) {
	requests := 300
	if text := os.Getenv("RINGONCE_LOAD_REQUESTS"); text != "" {
		var err error
		if requests, err = strconv.Atoi(text); err != nil {
			t.Fatal(err)
		}
	}
	server := pgtest.Start(t)
	dsn := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(dsn, []byte(server.DSN(server.Schema(t), "")), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []settings{{ledger: "sqlite"}, {ledger: "postgres", dsnFile: dsn}} {
		s.requests, s.duplicates, s.lanes, s.most = requests, 3*requests, 32, time.Minute
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
		if rows[1].replayed != 3*requests {
			t.Errorf("%s: %d of %d duplicates were seen", s.ledger, rows[1].replayed, 3*requests)
		}
		if rows[2].statuses[http.StatusServiceUnavailable] == 0 {
			t.Errorf("%s: an overloaded service refused nothing: %v", s.ledger, rows[2].statuses)
		}
	}
}
