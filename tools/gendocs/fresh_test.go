package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// stale returns the names of generated documents in a folder that differ from what would be written now.
func stale(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	for name, want := range documents() {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || string(got) != want {
			found = append(found, name)
		}
	}
	return found
}

func TestTheCommittedDocumentsAreFresh(t *testing.T) {
	t.Parallel()
	if found := stale(t, filepath.Join("..", "..", "docs")); len(found) > 0 {
		t.Errorf("%v: run go generate ./...", found)
	}
}

func TestAStaleDocumentIsReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var errs bytes.Buffer
	if code := run([]string{dir}, &errs); code != 0 {
		t.Fatal(errs.String())
	}
	if found := stale(t, dir); len(found) > 0 {
		t.Errorf("freshly written and stale: %v", found)
	}
	path := filepath.Join(dir, "acknowledge.md")
	if err := os.WriteFile(path, []byte(strings.Replace(documents()["acknowledge.md"], "retry", "acknowledge", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if found := stale(t, dir); len(found) != 1 || found[0] != "acknowledge.md" {
		t.Errorf("a changed document is not reported: %v", found)
	}
}

func TestAWrongFolderIsSaid(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"a", "b"}, {filepath.Join(t.TempDir(), "missing")}} {
		var errs bytes.Buffer
		if code := run(args, &errs); code != exitFailed || !strings.HasPrefix(errs.String(), "gendocs:") {
			t.Errorf("%v: exit %d, %q", args, code, errs.String())
		}
	}
}

func TestTheDiagramNamesEveryStateAndTheTablesHaveNoHole(t *testing.T) {
	t.Parallel()
	for _, s := range call.States() {
		if !strings.Contains(diagram, string(s)) || attempts(s) == "" {
			t.Errorf("%s is missing", s)
		}
	}
	for _, k := range call.EventKinds() {
		if nature(k) == "" {
			t.Errorf("%s is neither a fact nor a decision", k)
		}
	}
	for name, text := range documents() {
		if strings.Contains(text, "| |\n|") && name == "acknowledge.md" || strings.Contains(text, "`` ") {
			t.Errorf("%s has an empty cell", name)
		}
	}
}
