package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// killed leaves the ledger's files as a process leaves them that is killed after these creates: the newest writes lie in the log alone.
func killed(t *testing.T, o sqlite.Options, ids ...string) {
	t.Helper()
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		create(t, l, id)
	}
	left := map[string][]byte{}
	for _, name := range []string{"", "-wal"} {
		if left[name], err = os.ReadFile(o.Path + name); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for name, content := range left {
		if err := os.WriteFile(o.Path+name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// disaster is a ledger with a backup of its first call, and a process that was killed after the others. The log of the second process belongs to a file
// that a clean end had rewritten.
func disaster(t *testing.T) (o sqlite.Options, backup string) {
	t.Helper()
	o, backup = settings(t), filepath.Join(t.TempDir(), "backup.db")
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	create(t, l, "before")
	if err := errors.Join(l.Backup(t.Context(), backup), l.Close()); err != nil {
		t.Fatal(err)
	}
	used(t, o, "after-1", "after-2", "after-3", "after-4")
	killed(t, o, "after-5", "after-6")
	return o, backup
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestABackupThatIsCopiedByHandMeetsTheLogOfTheFileBefore shows why there is a Restore.
func TestABackupThatIsCopiedByHandMeetsTheLogOfTheFileBefore(t *testing.T) {
	t.Parallel()
	o, backup := disaster(t)
	copyFile(t, backup, o.Path)
	o.AllowRecovery = true
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		refused(t, err, call.CodeLedgerUnavailable, "ledger.path")
		return
	}
	found, err := l.Inspect(t.Context())
	if err == nil && len(found) == 0 {
		t.Error("the log did no harm")
	}
	t.Log(found, err, l.Close())
}

func TestARestoredLedgerIsTheBackupAndIsRefusedUntilItWasRecovered(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, o sqlite.Options){
		"a process was killed": func(*testing.T, sqlite.Options) {},
		"the file is damaged": func(t *testing.T, o sqlite.Options) {
			t.Helper()
			if err := os.WriteFile(o.Path, []byte("nothing of use"), 0o600); err != nil {
				t.Fatal(err)
			}
		},
		"the file is lost and its log is not": func(t *testing.T, o sqlite.Options) {
			t.Helper()
			if err := os.Remove(o.Path); err != nil {
				t.Fatal(err)
			}
		},
		"a restore was cut off": func(t *testing.T, o sqlite.Options) {
			t.Helper()
			for _, name := range []string{"", "-wal", "-shm"} {
				if err := os.WriteFile(o.Path+".restoring"+name, []byte("half"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, backup := disaster(t)
			spoil(t, o)
			looked, err := sqlite.Restore(t.Context(), o, backup, ".before", true)
			if err != nil || looked.Ledger.ID == "" || looked.Kept != "" {
				t.Fatalf("looked at: %+v, %v", looked, err)
			}
			done, err := sqlite.Restore(t.Context(), o, backup, ".before", false)
			if err != nil || done.Ledger.ID != looked.Ledger.ID || done.Kept != o.Path+".before" {
				t.Fatalf("%+v, %v", done, err)
			}
			for _, name := range []string{"-wal", "-shm", ".restoring", ".restoring-wal", ".restoring-shm"} {
				if _, err := os.Lstat(o.Path + name); err == nil {
					t.Errorf("%s is left", name)
				}
			}
			if info, err := os.Stat(o.Path); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
			wentBack(t, o)
			o.AllowRecovery = true
			if n := whole(t, open(t, o)); n != 1 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// TestTheFileBeforeIsKeptWithItsLog reads what a killed process wrote from the file that a restore set aside.
func TestTheFileBeforeIsKeptWithItsLog(t *testing.T) {
	t.Parallel()
	o, backup := disaster(t)
	done, err := sqlite.Restore(t.Context(), o, backup, ".before", false)
	if err != nil {
		t.Fatal(err)
	}
	o.Path, o.ReadOnly = done.Kept, true
	if n := whole(t, open(t, o)); n != 7 {
		t.Errorf("%d calls, want 7", n)
	}
}

func TestWhatIsNoBackupReplacesNothing(t *testing.T) {
	t.Parallel()
	o, backup := disaster(t)
	dir := t.TempDir()
	empty, live, damaged := filepath.Join(dir, "empty.db"), filepath.Join(dir, "live.db"), filepath.Join(dir, "damaged.db")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	copyFile(t, o.Path, live)
	copyFile(t, o.Path+"-wal", live+"-wal")
	text, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	for i := len(text) / 3; i < len(text)*2/3; i++ {
		text[i] ^= 0x55
	}
	if err := os.WriteFile(damaged, text, 0o600); err != nil {
		t.Fatal(err)
	}
	stranger, foreign := settings(t), filepath.Join(dir, "foreign.db")
	stranger.RandomID = func() string { return "another" }
	l, err := sqlite.Open(t.Context(), stranger)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Backup(t.Context(), foreign), l.Close()); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{
		"an empty file": empty, "a copy of a ledger in use": live, "a damaged one": damaged, "none": filepath.Join(dir, "absent"), "a directory": dir, "that of another ledger": foreign,
	} {
		if _, err := sqlite.Restore(t.Context(), o, from, ".before", false); err == nil {
			t.Errorf("%s was restored", name)
		} else if _, ok := errors.AsType[*call.Error](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(o.Path + ".before"); err == nil {
		t.Error("the ledger was moved")
	}
	if n := whole(t, open(t, o)); n != 7 {
		t.Errorf("%d calls, want 7", n)
	}
	if _, err := sqlite.Restore(t.Context(), o, backup, ".before", true); err != nil {
		t.Errorf("a look beside a process: %v", err)
	}
	if _, err := sqlite.Restore(t.Context(), o, backup, ".before", false); !errors.Is(err, call.ErrInUse) { // the open one is closed with the test
		t.Errorf("beside a process: %v", err)
	}
}
