package localdisk_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ringonce/ringonce/internal/doctor"
	"github.com/ringonce/ringonce/internal/doctor/localdisk"
)

func write(t *testing.T, mode os.FileMode, elements ...string) string {
	t.Helper()
	path := filepath.Join(elements...)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("1234"), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func found(t *testing.T, path, witness string) []string {
	t.Helper()
	d, err := localdisk.Read(path, witness)
	if err != nil {
		t.Fatal(err)
	}
	if d.Size != 8 || d.Free == 0 {
		t.Errorf("%d bytes, %d free", d.Size, d.Free)
	}
	d.Free = 1 << 40
	var checks []string
	for _, f := range doctor.JudgeDisk(d) {
		if f.Level != doctor.OK {
			checks = append(checks, f.Check)
		}
	}
	return checks
}

func TestTheFilesAroundALedgerAreSeen(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	ledger := write(t, 0o600, root, "data", "calls.db")
	write(t, 0o600, root, "data", "calls.db-wal")
	outside := write(t, 0o600, root, "state", "witness")
	if got := found(t, ledger, outside); !slices.Equal(got, []string{"witness-disk"}) { // one temporary directory is one disk
		t.Errorf("found %q", got)
	}
	if got := found(t, ledger, filepath.Join(root, "state", "none")); !slices.Equal(got, []string{"witness"}) {
		t.Errorf("without a witness: found %q", got)
	}
	inside := write(t, 0o600, root, "data", "deeper", "witness")
	link := filepath.Join(root, "link")
	if err := os.Symlink(inside, link); err != nil {
		t.Fatal(err)
	}
	for _, witness := range []string{inside, link} {
		if got := found(t, ledger, witness); !slices.Equal(got, []string{"witness", "witness-disk"}) {
			t.Errorf("with %s: found %q", witness, got)
		}
	}
	write(t, 0o604, root, "data", "calls.db-wal")
	if got := found(t, ledger, outside); !slices.Equal(got, []string{"file-mode", "witness-disk"}) {
		t.Errorf("with a log that others can read: found %q", got)
	}
	if _, err := localdisk.Read(filepath.Join(root, "nothing"), outside); err == nil {
		t.Error("a ledger that is not there was looked at")
	}
}
