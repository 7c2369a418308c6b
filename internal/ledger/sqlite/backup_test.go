package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// What was answered before the backup began is in it, whole, while others are being written.
func TestABackupBesideAWriterHoldsEverythingOfAnEarlierInstant(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		create(t, l, fmt.Sprintf("before-%d", i))
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	var writing sync.WaitGroup
	writing.Go(func() {
		for i := range 50 {
			create(t, l, fmt.Sprintf("beside-%d", i))
		}
	})
	if err := l.Backup(t.Context(), copied); err != nil {
		t.Error(err)
	}
	writing.Wait()
	refused(t, l.Backup(t.Context(), copied), call.CodeConfiguration, "--to")
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(copied); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	again := o
	again.Path, again.ReadOnly = copied, true
	c, err := sqlite.Open(t.Context(), again)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	err = c.Each(t.Context(), func(row call.Call, entries []call.Entry) error {
		n++
		if found := call.CheckHistory(row, entries); len(found) > 0 {
			t.Errorf("%v", found)
		}
		return nil
	})
	if err != nil || n < 20 || n > 70 {
		t.Errorf("%d rows, %v", n, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}

	// In the place of the ledger it is refused, since its witness went on.
	text, err := os.ReadFile(copied)
	if err != nil {
		t.Fatal(err)
	}
	used(t, o, "after")
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(o.Path + suffix)
	}
	if err := os.WriteFile(o.Path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	wentBack(t, o)
}

func TestABackupThatCannotBeWrittenLeavesNothing(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	refused(t, l.Backup(t.Context(), filepath.Join(dir, "absent", "copy.db")), call.CodeConfiguration, "--to")
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := l.Backup(ended, filepath.Join(dir, "copy.db")); err == nil {
		t.Error("a backup that was called off reported success")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}
