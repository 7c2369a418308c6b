package sqlite_test

import (
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

func TestOpenRefusesBadSettingsWithFieldAndFix(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		spoil func(*testing.T, *sqlite.Options)
		code  call.Code
		field string
	}{
		{"no path", func(_ *testing.T, o *sqlite.Options) { o.Path = "" }, call.CodeConfiguration, "ledger.path"},
		{"a path in a missing directory", func(_ *testing.T, o *sqlite.Options) { o.Path += "/missing/ledger.db" }, call.CodeConfiguration, "ledger.path"},
		{"a path that is a directory", func(_ *testing.T, o *sqlite.Options) { o.Path = filepath.Dir(o.Path) }, call.CodeConfiguration, "ledger.path"},
		{"an unwritable lock", func(t *testing.T, o *sqlite.Options) { mkdir(t, o.Path+".lock") }, call.CodeConfiguration, "ledger.path"},
		{"a file that is no database", func(t *testing.T, o *sqlite.Options) { put(t, o.Path, strings.Repeat("no database ", 1000)) }, call.CodeLedgerUnavailable, "ledger.path"},
		{"no witness", func(_ *testing.T, o *sqlite.Options) { o.WitnessPath = "" }, call.CodeConfiguration, "ledger.witness"},
		{"a witness beside the ledger", func(_ *testing.T, o *sqlite.Options) { o.WitnessPath = o.Path + ".witness" }, call.CodeConfiguration, "ledger.witness"},
		{"a witness below the ledger", func(t *testing.T, o *sqlite.Options) {
			mkdir(t, filepath.Dir(o.Path)+"/below")
			o.WitnessPath = filepath.Dir(o.Path) + "/below/witness"
		}, call.CodeConfiguration, "ledger.witness"},
		{"a witness behind a link to the ledger's directory", func(t *testing.T, o *sqlite.Options) {
			link := filepath.Join(t.TempDir(), "link")
			if err := os.Symlink(filepath.Dir(o.Path), link); err != nil {
				t.Fatal(err)
			}
			o.WitnessPath = filepath.Join(link, "witness")
		}, call.CodeConfiguration, "ledger.witness"},
		{"a witness in a missing directory", func(_ *testing.T, o *sqlite.Options) { o.WitnessPath += "/missing/witness" }, call.CodeConfiguration, "ledger.witness"},
		{"a witness that is a directory", func(t *testing.T, o *sqlite.Options) { mkdir(t, o.WitnessPath) }, call.CodeConfiguration, "ledger.witness"},
		{"an unknown setting of suppressions", func(_ *testing.T, o *sqlite.Options) { o.Suppressions = "some" }, call.CodeConfiguration, "ledger.suppressions"},
		{"an unknown identity", func(_ *testing.T, o *sqlite.Options) { o.Mode = "md5" }, call.CodeConfiguration, "identity"},
		{"hmac without its key", func(_ *testing.T, o *sqlite.Options) { o.Mode = call.IdentityHMAC }, call.CodeConfiguration, "identity.key_file"},
		{"a reader without a ledger", func(_ *testing.T, o *sqlite.Options) { o.ReadOnly = true }, call.CodeConfiguration, "ledger.path"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := settings(t)
			c.spoil(t, &o)
			l, err := sqlite.Open(t.Context(), o)
			if err == nil {
				t.Fatalf("the ledger opened; close: %v", l.Close())
			}
			refused(t, err, c.code, c.field)
		})
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAPathMayHoldAnyCharacter(t *testing.T) {
	t.Parallel()
	o := settings(t)
	o.Path = filepath.Join(filepath.Dir(o.Path), "led ger?mode=memory&x=%41#é.db")
	create(t, open(t, o), "a")
	if _, err := os.Stat(o.Path); err != nil {
		t.Errorf("the ledger lies elsewhere: %v", err)
	}
}

func TestALedgerKeepsItsIdentity(t *testing.T) {
	t.Parallel()
	hmac := func(secret string) func(*sqlite.Options) {
		return func(o *sqlite.Options) {
			naming := call.Naming{Mode: call.IdentityHMAC, Secret: []byte(secret)}
			o.Mode, o.Check, o.Recipient = call.IdentityHMAC, naming.Check(), naming.Recipient
		}
	}
	plain := func(*sqlite.Options) {}
	cases := []struct {
		name         string
		made, opened func(*sqlite.Options)
		field        string
	}{
		{"hmac opened without its key", hmac("one"), plain, "identity.key_file"},
		{"hmac opened with another key", hmac("one"), hmac("two"), "identity.key_file"},
		{"plain opened as hmac", plain, hmac("one"), "identity"},
		{"hmac opened with its key", hmac("one"), hmac("one"), ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := settings(t)
			made := o
			c.made(&made)
			l := open(t, made)
			create(t, l, "a")
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			c.opened(&o)
			again, err := sqlite.Open(t.Context(), o)
			if c.field == "" {
				if err != nil {
					t.Fatal(err)
				}
				create(t, again, "b")
				if err := again.Close(); err != nil {
					t.Error(err)
				}
				return
			}
			refused(t, err, call.CodeConfiguration, c.field)
		})
	}
}

// raw opens the file behind the ledger's back.
func raw(t *testing.T, o sqlite.Options, statement string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite", o.Path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestANewerSchemaIsNotTouched(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := open(t, o)
	create(t, l, "a")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, o, `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99, 1)`)
	before := read(t, o.Path)
	for _, readOnly := range []bool{false, true} {
		o.ReadOnly = readOnly
		_, err := sqlite.Open(t.Context(), o)
		refused(t, err, call.CodeConfiguration, "ledger.path")
		if !errors.Is(err, call.ErrNewerRow) {
			t.Errorf("open: %v, want ErrNewerRow", err)
		}
	}
	if read(t, o.Path) != before {
		t.Error("the refused open changed the file")
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestANewerRowIsNotMisread(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := open(t, o)
	c := create(t, l, "a")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, o, `UPDATE calls SET doc = CAST(replace(CAST(doc AS TEXT), '"schema":1', '"schema":99') AS BLOB), version = 7`)
	l = open(t, o)
	_, getErr := l.Get(t.Context(), "a")
	_, createErr := l.Create(t.Context(), accepted(t, "a"))
	_, updateErr := l.Update(t.Context(), held(t, c))
	_, _, listErr := l.List(t.Context(), call.Filter{})
	for what, err := range map[string]error{"get": getErr, "create": createErr, "update": updateErr, "list": listErr} {
		if !errors.Is(err, call.ErrNewerRow) {
			t.Errorf("%s: %v, want ErrNewerRow", what, err)
		}
	}
}
