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
