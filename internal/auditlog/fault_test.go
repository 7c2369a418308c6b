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

// moving is a clock that a test moves.
type moving struct{ at time.Time }

func (m *moving) Now() time.Time                           { return m.at }
func (*moving) Sleep(context.Context, time.Duration) error { return nil }

// disk is what a log opens its files on; it is full, or it cannot sync, until it is mended.
type disk struct {
	fault  spoiled
	opened int
}

func (d *disk) open(path string) (appended, error) {
	d.opened++
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	fault := d.fault
	fault.File = file
	return &fault, nil
}

func TestALogIsTakenUpOnlyWhenARecordCouldBeWritten(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]spoiled{
		"a full disk": {write: true}, "a disk that writes and says no": {write: true, done: true}, "a disk that cannot sync": {sync: true}, "one that says so": {sync: true, done: true},
	} {
		now := &moving{time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
		o := Options{Dir: t.TempDir(), Head: filepath.Join(t.TempDir(), "head"), Clock: now, Random: rand.Reader}
		l, err := Open(o)
		if err != nil {
			t.Fatal(err)
		}
		bad := &disk{fault: fault}
		l.open = bad.open
		now.at = now.at.Add(24 * time.Hour) // into a file that is opened on it
		if err := l.Append(t.Context(), Act{Action: "lost"}); !errors.Is(err, errDisk) {
			t.Errorf("%s: %v", name, err)
		}
		for range 600 { // a minute, asked ten times a second
			now.at = now.at.Add(100 * time.Millisecond)
			if err := l.Usable(); !errors.Is(err, errDisk) {
				t.Fatalf("%s: it is usable: %v", name, err)
			}
		}
		if bad.opened < 5 || bad.opened > 8 { // after 1, 2, 4, 8, 16 and 30 seconds
			t.Errorf("%s: opened %d times in a minute", name, bad.opened)
		}
		bad.fault = spoiled{}
		now.at = now.at.Add(longestRest)
		if err := errors.Join(l.Usable(), l.Append(t.Context(), Act{Action: "after"}), l.Close()); err != nil {
			t.Fatalf("%s: %v", name, err)
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

func TestALogWhoseHeadCannotBeRememberedIsNotUsableUntilItIs(t *testing.T) {
	t.Parallel()
	l, o := openLog(t)
	head := l.head
	broken, err := os.Open(o.Head) // which cannot be written
	if err != nil {
		t.Fatal(err)
	}
	l.head = broken
	if l.Append(t.Context(), Act{Action: "x"}) == nil || l.Usable() == nil {
		t.Error("a log is usable whose head cannot be written")
	}
	l.head = head
	if err := errors.Join(broken.Close(), l.Usable(), l.Append(t.Context(), Act{Action: "y"}), l.Close()); err != nil {
		t.Error(err)
	}
}
