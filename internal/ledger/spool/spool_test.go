package spool_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/spool"
)

func fact(op string) call.Fact {
	return call.Fact{RowID: "row", Op: op, Event: call.Event{Kind: call.EventContact, At: time.Unix(1, 0).UTC(), ContactID: "c-" + op, From: "answer"}}
}

func TestAKeptFactIsPendingAfterReopenUntilItIsDone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	if err := spool.Open(dir).Keep(fact("a1")); err != nil {
		t.Fatal(err)
	}
	again := spool.Open(dir)
	facts, err := again.Pending()
	if err != nil || len(facts) != 1 || facts[0].Event.ContactID != "c-a1" {
		t.Fatalf("pending = %v, %v; want the fact a1", facts, err)
	}
	if err := again.Done(facts[0]); err != nil {
		t.Fatal(err)
	}
	if facts, err = again.Pending(); err != nil || len(facts) != 0 {
		t.Fatalf("pending = %v, %v; want none", facts, err)
	}
}

func TestAnEmptySpoolHasNothingPending(t *testing.T) {
	t.Parallel()
	facts, err := spool.Open(filepath.Join(t.TempDir(), "never-made")).Pending()
	if err != nil || len(facts) != 0 {
		t.Fatalf("pending = %v, %v; want none", facts, err)
	}
}

func TestAWriteThatACrashCutOffIsNotAFact(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "b2.json.new"), []byte(`{"rowId":`), 0o600); err != nil {
		t.Fatal(err)
	}
	facts, err := spool.Open(dir).Pending()
	if err != nil || len(facts) != 0 {
		t.Fatalf("pending = %v, %v; want none", facts, err)
	}
}

func TestADamagedFactStopsTheMergeInsteadOfBeingForgotten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "c3.json"), []byte(`{"rowId":`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := spool.Open(dir).Pending(); err == nil {
		t.Fatal("a damaged fact was passed over")
	}
}

func TestAFactThatCannotBeKeptLeavesNoHalfOfItself(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "a1.json", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := spool.Open(dir).Keep(fact("a1")); err == nil {
		t.Fatal("a fact was kept where it cannot be")
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*.new")); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAFileThatCannotBeReadStopsNoOtherFact(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "spool")
	dir := spool.Open(path)
	if err := dir.Keep(fact("b2")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(path, "a1.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	facts, err := dir.Pending()
	if err == nil || len(facts) != 1 || facts[0].Op != "b2" {
		t.Fatalf("pending = %v, %v; want b2 and an error about the other", facts, err)
	}
}
