package auditlog

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// HashForTest seals what a test has forged.
func HashForTest(raw []byte) string { return hashOf(raw) }

type still struct{}

func (still) Now() time.Time                             { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }
func (still) Sleep(context.Context, time.Duration) error { return nil }

// spoiled is a file whose next write or sync fails, before or after it was done.
type spoiled struct {
	*os.File

	write, sync, done bool
}

var errDisk = errors.New("the disk failed")

func (s *spoiled) Write(p []byte) (int, error) {
	if !s.write {
		return s.File.Write(p)
	}
	if s.done {
		if n, err := s.File.Write(p); err != nil {
			return n, err
		}
	}
	return 0, errDisk
}

func (s *spoiled) Sync() error {
	if s.sync && s.done {
		return errors.Join(s.File.Sync(), errDisk)
	}
	if s.sync {
		return errDisk
	}
	return s.File.Sync()
}

func TestAfterAWriteOfUnknownFateNothingIsWrittenUntilTheLogIsOpenedAgain(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]spoiled{
		"a write that was not done": {write: true}, "a write that was done": {write: true, done: true}, "a sync that was not done": {sync: true},
		"a sync that was done": {sync: true, done: true},
	} {
		o := Options{Dir: t.TempDir(), Head: filepath.Join(t.TempDir(), "head"), Clock: still{}, Random: rand.Reader}
		l, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		file, ok := l.file.(*os.File)
		if !ok {
			t.Fatal("the file is wrapped already")
		}
		fault.File = file
		l.file = &fault
		if err := l.Append(t.Context(), Act{Action: "in doubt"}); !errors.Is(err, errDisk) {
			t.Errorf("%s: %v", name, err)
		}
		fault.write, fault.sync = false, false
		if err := l.Append(t.Context(), Act{Action: "after"}); !errors.Is(err, errDisk) {
			t.Errorf("%s: the log goes on after a write of unknown fate: %v", name, err)
		}
		_ = l.Close()
		again, err := Open(o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := errors.Join(again.Append(t.Context(), Act{Action: "later"}), again.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		head, err := ReadHead(o.Head)
		if err != nil {
			t.Fatal(err)
		}
		if r, err := Verify(os.DirFS(o.Dir), Against{Head: head}); err != nil || !r.Sound() {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
}
