package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// told returns the lines of a table with their first two cells: the id, and the sentence or the kind.
func told(text string) map[string]string {
	lines := map[string]string{}
	for line := range strings.Lines(text) {
		if cells := strings.Split(line, " | "); len(cells) > 2 && strings.HasPrefix(line, "| `") {
			lines[cells[0]+" "+cells[1]] = line
		}
	}
	return lines
}

// differing names the lines that one of two documents has alone. What was measured may differ.
func differing(want, got string) (only []string) {
	a, b := told(want), told(got)
	for line := range a {
		if b[line] == "" {
			only = append(only, "missing: "+line)
		}
	}
	for line := range b {
		if a[line] == "" {
			only = append(only, "too much: "+line)
		}
	}
	return only
}

func TestTheCommittedTableHasEveryMutantAndVariant(t *testing.T) {
	t.Parallel()
	committed, err := os.ReadFile(filepath.Join(here, "docs", "proof-mutants.md"))
	if err != nil {
		t.Fatal(err)
	}
	want := theData(t).markdown()
	for _, line := range differing(want, string(committed)) {
		t.Errorf("%s: run go generate ./...", line)
	}
	if len(differing(want, strings.Replace(want, "`R15` | ", "`R15` | not ", 1))) != 2 {
		t.Error("a changed sentence is not noticed")
	}
}

func TestTheTablesAreWrittenWithoutPlantingAnything(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table.md")
	var out, errs bytes.Buffer
	if code := run(context.Background(), []string{"-markdown", path}, &out, &errs); code != 0 || out.Len() > 0 {
		t.Fatalf("exit %d: %s%s", code, out.String(), errs.String())
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != theData(t).markdown() {
		t.Errorf("another table is written: %v", err)
	}
}

func TestAWrongCommandLineIsSaid(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-nope"}, {"argument"}, {"-only", "nobody"}, {"-markdown", filepath.Join(t.TempDir(), "missing", "x")}} {
		var out, errs bytes.Buffer
		if code := run(context.Background(), args, &out, &errs); code != exitWrong || !strings.Contains(errs.String(), "mutate:") {
			t.Errorf("%v: exit %d, %q", args, code, errs.String())
		}
	}
}

func TestTheShortTableStandsBetweenTheMarksOfAPageAndNothingElseChanges(t *testing.T) {
	t.Parallel()
	page := filepath.Join(t.TempDir(), "proof.md")
	write := func(text string) {
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("before\n" + tableBegins + "| old |\n" + tableEnds + "after\n")
	d := theData(t)
	if err := d.insert(page); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil || string(text) != "before\n"+tableBegins+"\n"+d.shortTable()+"\n"+tableEnds+"after\n" {
		t.Errorf("%v: %.200s", err, text)
	}
	if rows := strings.Count(d.shortTable(), "\n"); rows != len(d.mutants)+2 {
		t.Errorf("%d lines for %d mutants", rows, len(d.mutants))
	}
	for _, marks := range []string{"", tableBegins, tableEnds + tableBegins} {
		write("before\n" + marks)
		if d.insert(page) == nil {
			t.Errorf("a page with the marks %q was written", marks)
		}
	}
}
