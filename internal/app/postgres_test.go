package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

func TestTheSettingsOfADatabaseAreCheckedByName(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		"ledger: {driver: postgres, witness: w, dsn_file: f}":                                                                 "",
		"ledger: {driver: postgres, witness: w, dsn_secret: 'arn:aws:ssm:us-east-1:111122223333:parameter/dsn'}":              "",
		"ledger: {driver: postgres, witness: w}":                                                                              "ledger.dsn_file",
		"ledger: {driver: postgres, dsn_file: f}":                                                                             "ledger.witness",
		"ledger: {driver: postgres, witness: w, dsn_secret: mine}":                                                            "ledger.dsn_secret",
		"ledger: {driver: postgres, witness: w, dsn_file: f, dsn_secret: 'arn:aws:ssm:us-east-1:111122223333:parameter/dsn'}": "ledger.dsn_secret",
		"ledger: {driver: postgres, witness: w, dsn_file: f, path: p}":                                                        "ledger.path",
		"ledger: {driver: postgres, witness: w, dsn_file: f, table: t}":                                                       "ledger.table",
		"ledger: {driver: sqlite, path: p, dsn_file: f}":                                                                      "ledger.dsn_file",
		"ledger: {dsn_secret: x}":                                                                                             "ledger.dsn_secret",
	} {
		_, err := Parse("test.yaml", []byte(head+text+"\n"))
		refused, ok := errors.AsType[*call.Error](err)
		if (field == "") != (err == nil) || (ok && refused.Field != field) {
			t.Errorf("%s: %v, want a refusal of %q", text, err, field)
		}
	}
}

func TestTheConnectionStringIsReadFromAPrivateFileAndNeverShown(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "dsn")
	const text = "postgres://ringonce:hunter2@127.0.0.1/calls"
	if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := &Config{Ledger: Ledger{Driver: "postgres", DSNFile: path, Witness: "w"}}
	var got StoreRequest
	o := Options{Stores: map[string]OpenStore{"postgres": func(_ context.Context, r StoreRequest) (*Store, error) {
		got = r
		return &Store{}, nil
	}}}.withDefaults()
	if _, _, err := c.OpenLedger(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if string(got.DSN.Reveal()) != text || got.DSNField != "ledger.dsn_file" || got.Relaxed {
		t.Errorf("the store was asked for with %q of %s, relaxed %t", got.DSN.Reveal(), got.DSNField, got.Relaxed)
	}
	if c.spoolPath() != "w.spool" {
		t.Errorf("the spool is %q", c.spoolPath())
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	_, _, err := c.OpenLedger(t.Context(), o)
	refused, ok := errors.AsType[*call.Error](err)
	if !ok || refused.Field != "ledger.dsn_file" || strings.Contains(err.Error(), "hunter2") || strings.Contains(refused.Fix, "32") {
		t.Errorf("a file that others can read: %v", err)
	}
}
