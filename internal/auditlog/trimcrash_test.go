package auditlog

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// calendar is a clock that somebody turns.
type calendar struct {
	still

	at *time.Time
}

func (c calendar) Now() time.Time { return *c.at }

var errKilled = errors.New("the process ended here")

// sixDays returns a log of six days, each with its salt.
func sixDays(t *testing.T) (*Log, Options) {
	t.Helper()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	o := Options{Dir: filepath.Join(t.TempDir(), "a[*]"), Head: filepath.Join(t.TempDir(), "head"), Clock: calendar{at: &now}, Random: rand.Reader}
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	for n := range 12 {
		if err := l.Append(t.Context(), Act{Actor: "ann", Kind: "operator", Action: fmt.Sprint("act", n), Personal: map[string]string{"number": "+12025550101"}}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(12 * time.Hour)
	}
	torn := filepath.Join(o.Dir, fileName("2026-12-01")+".torn-100-1")
	if err := os.WriteFile(torn, []byte("half a rec"), 0o600); err != nil {
		t.Fatal(err)
	}
	return l, o
}

// TestAProcessThatEndsWhileItTrimsLeavesALogThatVerifies ends it before each removal and after it, and before and after the record.
func TestAProcessThatEndsWhileItTrimsLeavesALogThatVerifies(t *testing.T) {
	t.Parallel()
	removals := 0
	for end := 0; ; end++ {
		for _, after := range []bool{false, true} {
			l, o := sixDays(t)
			met := 0
			l.remove = func(path string) error {
				if removals = max(removals, met+1); met == end && !after {
					return errKilled
				}
				err := os.Remove(path)
				if met++; met == end+1 && after {
					return errKilled
				}
				return err
			}
			_, err := l.Trim(Keep{Days: 2}, "")
			if killed := errors.Is(err, errKilled); !killed {
				if err != nil || end < removals {
					t.Fatalf("%d of %d: %v", end, removals, err)
				}
				if removals < 10 { // five days, their salts, one torn end
					t.Fatalf("%d removals were tried", removals)
				}
				return
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
			trimmedAgain(t, o, fmt.Sprintf("ended at removal %d, after it: %v", end, after))
		}
	}
}

func trimmedAgain(t *testing.T, o Options, where string) {
	t.Helper()
	verifies := func(when string) {
		head, err := ReadHead(o.Head)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Verify(os.DirFS(o.Dir), Against{Head: head}); err != nil || !r.Sound() {
			t.Fatalf("%s, %s: %+v %v", where, when, r, err)
		}
	}
	verifies("as it was left")
	l, err := Open(o)
	if err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	if err := l.Append(t.Context(), Act{Actor: "ann", Action: "goes on"}); err != nil {
		t.Fatal(err)
	}
	if _, err := l.Trim(Keep{Days: 2}, "again"); err != nil {
		t.Fatalf("%s: %v", where, err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	verifies("trimmed again")
	days, err := daysOf(os.DirFS(o.Dir))
	if err != nil || len(days) > 3 { // those of the removal again has a record of its own, perhaps on a new day
		t.Errorf("%s: %q stayed: %v", where, days, err)
	}
}

// TestNothingIsRemovedWithoutItsRecord: neither where the record was not written nor where nobody knows.
func TestNothingIsRemovedWithoutItsRecord(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]spoiled{"not written": {write: true}, "written, and the answer lost": {write: true, done: true}, "not synced": {sync: true}} {
		l, o := sixDays(t)
		file, ok := l.file.(*os.File)
		if !ok {
			t.Fatal("the file is wrapped already")
		}
		fault.File = file
		l.file = &fault
		l.remove = func(path string) error { t.Errorf("%s: %s is removed", name, filepath.Base(path)); return nil }
		if r, err := l.Trim(Keep{Days: 2}, ""); !errors.Is(err, errDisk) || len(r.Days) != 0 {
			t.Errorf("%s: %+v %v", name, r, err)
		}
		if days, err := daysOf(os.DirFS(o.Dir)); err != nil || len(days) < 6 {
			t.Errorf("%s: %q %v", name, days, err)
		}
	}
}
