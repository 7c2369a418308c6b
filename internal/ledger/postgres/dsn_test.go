package postgres_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/secret"
)

// Nothing listens on port 1, so that what is not refused before ends as a server that cannot be reached.
func TestConnectionsToOtherMachinesNeedTLS(t *testing.T) {
	t.Parallel()
	const unreachable, refusedByRule = call.CodeLedgerUnavailable, call.CodeConfiguration
	for dsn, want := range map[string]call.Code{
		"postgres://u:hunter2@127.0.0.1:1/d?sslmode=disable":                     unreachable,
		"postgres://u:hunter2@localhost:1/d":                                     unreachable,
		"host=/nowhere user=u password=hunter2 dbname=d":                         unreachable,
		"postgres://u:hunter2@203.0.113.1:1/d?sslmode=disable":                   refusedByRule,
		"postgres://u:hunter2@203.0.113.1:1/d?sslmode=prefer":                    refusedByRule,
		"postgres://u:hunter2@203.0.113.1:1/d":                                   refusedByRule,
		"postgres://u:hunter2@127.0.0.1:1,203.0.113.1:1/d?sslmode=disable":       refusedByRule,
		"postgres://u:hunter2@203.0.113.1:1/d?sslmode=require&connect_timeout=1": "tls",
		"":                           refusedByRule,
		"postgres://u:hunter2@[::1":  refusedByRule,
		"postgres://u:hunter2@h:x/d": refusedByRule,
		"host=127.0.0.1 user=u password=hunter2 sslmode=maybe": refusedByRule,
	} {
		if want == "tls" {
			want = unreachable
		}
		o := postgres.Options{
			DSN: secret.New([]byte(dsn)), WitnessPath: filepath.Join(t.TempDir(), "witness"), Clock: app.SystemClock{}, RandomID: func() string { return "id" },
		}
		l, err := postgres.Open(t.Context(), o)
		if err == nil {
			t.Fatalf("%s was opened; close: %v", dsn, l.Close())
		}
		if call.CodeOf(err) != want || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want code %s and no password", dsn, err, want)
		}
	}
}

func TestOptionsThatContradictEachOtherAreRefused(t *testing.T) {
	t.Parallel()
	good := postgres.Options{
		DSN: secret.New([]byte("postgres://u@127.0.0.1:1/d")), WitnessPath: filepath.Join(t.TempDir(), "witness"), Clock: app.SystemClock{},
		RandomID: func() string { return "id" },
	}
	for field, spoil := range map[string]func(*postgres.Options){
		"ledger.suppressions": func(o *postgres.Options) { o.Suppressions = "some" },
		"identity":            func(o *postgres.Options) { o.Mode = "rot13" },
		"identity.key_file":   func(o *postgres.Options) { o.Mode = call.IdentityHMAC },
		"ledger.witness":      func(o *postgres.Options) { o.WitnessPath = "" },
		"ledger":              func(o *postgres.Options) { o.Clock = nil },
	} {
		o := good
		spoil(&o)
		_, err := postgres.Open(t.Context(), o)
		refused(t, err, call.CodeConfiguration, field)
	}
}
