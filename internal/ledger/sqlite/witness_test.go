package sqlite_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// backup is a copy of a closed ledger and its witness.
type backup struct{ ledger, witness string }

func backedUp(t *testing.T, o sqlite.Options) backup {
	t.Helper()
	return backup{read(t, o.Path), read(t, o.WitnessPath)}
}

// used opens the ledger, creates rows and closes it.
func used(t *testing.T, o sqlite.Options, ids ...string) {
	t.Helper()
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		create(t, l, id)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

func wentBack(t *testing.T, o sqlite.Options) {
	t.Helper()
	l, err := sqlite.Open(t.Context(), o)
	if err == nil {
		t.Fatalf("a ledger that went back was opened; close: %v", l.Close())
	}
	refused(t, err, call.CodeLedgerWentBack, "ledger.witness")
	if !errors.Is(err, call.ErrWentBack) {
		t.Errorf("open: %v, want ErrWentBack", err)
	}
	if reason := seenToGoBack(t, o); reason == "" {
		t.Error("a reader does not see that the ledger went back")
	}
}

// seenToGoBack asks a reader, which must leave the witness as it is.
func seenToGoBack(t *testing.T, o sqlite.Options) string {
	t.Helper()
	before, err := os.ReadFile(o.WitnessPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	o.ReadOnly = true
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	reason, err := l.WentBack(t.Context())
	if err != nil {
		t.Error(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(o.WitnessPath); !bytes.Equal(before, after) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the reader changed the witness: %v", err)
	}
	return reason
}

func TestAReaderSeesASoundLedgerAsSound(t *testing.T) {
	t.Parallel()
	o := settings(t)
	used(t, o, "a", "b")
	if reason := seenToGoBack(t, o); reason != "" {
		t.Errorf("went back: %s", reason)
	}
}

func TestARestoredLedgerIsRefused(t *testing.T) {
	t.Parallel()
	o := settings(t)
	used(t, o, "a")
	old := backedUp(t, o)
	used(t, o, "b", "c")
	put(t, o.Path, old.ledger)
	wentBack(t, o)
	wentBack(t, o) // asking twice does not make it younger
}

// A rollback of the whole disk cannot be noticed (protocol.md section 11). This test says so; it is not a wish.
func TestALedgerRestoredWithItsWitnessIsNotNoticed(t *testing.T) {
	t.Parallel()
	o := settings(t)
	used(t, o, "a")
	old := backedUp(t, o)
	used(t, o, "b")
	put(t, o.Path, old.ledger)
	put(t, o.WitnessPath, old.witness)
	used(t, o, "b")
}

func TestAWitnessThatLagsIsNoRestore(t *testing.T) {
	t.Parallel()
	o := settings(t)
	used(t, o, "a")
	old := backedUp(t, o)
	used(t, o, "b")
	put(t, o.WitnessPath, old.witness) // a power cut kept the older page of the witness
	used(t, o, "c")
	put(t, o.Path, old.ledger)
	wentBack(t, o)
}

func TestALedgerIsRefusedWithout(t *testing.T) {
	t.Parallel()
	cases := map[string]func(*testing.T, sqlite.Options){
		"its witness": func(t *testing.T, o sqlite.Options) {
			if err := os.Remove(o.WitnessPath); err != nil {
				t.Fatal(err)
			}
		},
		"a readable witness":      func(t *testing.T, o sqlite.Options) { put(t, o.WitnessPath, string(bytes.Repeat([]byte("x"), 512))) },
		"a witness of its own":    func(t *testing.T, o sqlite.Options) { elsewhere(t, o) },
		"the file it was told of": func(t *testing.T, o sqlite.Options) { remove(t, o.Path) },
	}
	for name, spoil := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := settings(t)
			used(t, o, "a", "b")
			spoil(t, o)
			if name == "the file it was told of" {
				o.RandomID = func() string { return "another" }
			}
			wentBack(t, o)
		})
	}
}

// elsewhere puts another ledger's witness in place.
func elsewhere(t *testing.T, o sqlite.Options) {
	t.Helper()
	other := settings(t)
	other.RandomID = func() string { return "another" }
	used(t, other, "a")
	put(t, o.WitnessPath, read(t, other.WitnessPath))
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func TestATornSlotLeavesTheOtherOne(t *testing.T) {
	t.Parallel()
	for slot := range 2 {
		o := settings(t)
		used(t, o, "a")
		old := backedUp(t, o)
		used(t, o, "b", "c", "d")
		torn := []byte(read(t, o.WitnessPath))
		copy(torn[slot*256+40:], "torn in the middle")
		put(t, o.WitnessPath, string(torn))
		used(t, o, "e")
		put(t, o.WitnessPath, string(torn))
		put(t, o.Path, old.ledger)
		wentBack(t, o)
	}
}

func TestAFirstStartMayBeCutShort(t *testing.T) {
	t.Parallel()
	o := settings(t)
	used(t, o)
	put(t, o.WitnessPath, "") // the file was made, its first slot was not written
	used(t, o, "a")
}

func TestRecoveryMakesARestoredLedgerUsableAndOlderCopiesNot(t *testing.T) {
	t.Parallel()
	o := settings(t)
	used(t, o, "a")
	old := backedUp(t, o)
	used(t, o, "b")
	put(t, o.Path, old.ledger)

	recovering := o
	recovering.AllowRecovery = true
	l := open(t, recovering)
	c, err := l.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Update(t.Context(), held(t, c)); !errors.Is(err, call.ErrWentBack) {
		t.Errorf("update before the recovery began: %v, want ErrWentBack", err)
	}
	if err := l.Beat(t.Context(), noon); !errors.Is(err, call.ErrWentBack) {
		t.Errorf("beat before the recovery began: %v, want ErrWentBack", err)
	}
	if err := l.BeginRecovery(t.Context(), call.Recovery{Backup: noon, Restored: noon}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Update(t.Context(), held(t, c)); err != nil {
		t.Errorf("update during the recovery: %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	used(t, o, "b")
	put(t, o.Path, old.ledger)
	wentBack(t, o) // the epoch grew
}
