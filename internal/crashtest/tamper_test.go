package crashtest

import (
	"bytes"
	"database/sql"
	"os"
	"slices"
	"testing"

	"github.com/ringonce/ringonce/internal/cli"
)

// TestTheAuditOfARunWithKillsNoticesOneEventEditedRemovedOrReordered tampers with what a run left behind, on either side, and asks the command line.
// That every tampering is noticed, and not these few, is held by the tests of internal/audit.
func TestTheAuditOfARunWithKillsNoticesOneEventEditedRemovedOrReordered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{seed: 5, pacing: "{per_second: 200, burst: 8, patience: 0s}"})
	for _, name := range []string{"dial:after", "commit:after", pointRequestSent} {
		w.publish(4, kindPlain)
		w.dies(name, 2)
	}
	w.settle()
	for _, found := range w.verdict() { // among it that both commands end with 0
		t.Error(found)
	}
	for name, change := range map[string]string{
		"edited":    `UPDATE history SET body = CAST(replace(CAST(body AS TEXT), '"at":"20', '"at":"19') AS BLOB) WHERE number = 5`,
		"removed":   `DELETE FROM history WHERE number = 5`,
		"reordered": `UPDATE history SET body = (SELECT b.body FROM history b WHERE b.number = 11 - history.number) WHERE number IN (5, 6)`,
	} {
		w.noticed(t, "an event of the ledger, "+name, "ledger/calls.db", func(path string) { execute(t, path, change) })
	}
	for name, change := range map[string]func(lines [][]byte) [][]byte{
		"edited": func(lines [][]byte) [][]byte {
			lines[3] = bytes.Replace(lines[3], []byte(`"at":"20`), []byte(`"at":"19`), 1)
			return lines
		},
		"removed":   func(lines [][]byte) [][]byte { return slices.Delete(lines, 3, 4) },
		"reordered": func(lines [][]byte) [][]byte { lines[3], lines[4] = lines[4], lines[3]; return lines },
	} {
		w.noticed(t, "an event of the truth log, "+name, "truth.log", func(path string) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, bytes.Join(change(bytes.SplitAfter(text, []byte("\n"))), nil), 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// noticed changes a file, audits, and puts the file back.
func (w *world) noticed(t *testing.T, what, file string, change func(path string)) {
	t.Helper()
	path := w.path(file)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	change(path)
	if now, err := os.ReadFile(path); err != nil || bytes.Equal(now, whole) {
		t.Errorf("%s: nothing was changed, %v", what, err)
	}
	if code, said := w.command("ledger", "audit", "--truth", w.path("truth.log")); code != cli.ExitRefused {
		t.Errorf("%s: the audit ends with %d: %s", what, code, said)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
}

// execute changes a ledger's file behind the program's back.
func execute(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path+"?_pragma=journal_mode(DELETE)")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
