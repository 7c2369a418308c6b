package auditlog

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// crowd appends from many sides at once, every third time what cannot be written, and returns how many acts were taken.
func crowd(t *testing.T, l *Log, expected error) (taken int) {
	t.Helper()
	endless := strings.Repeat("\x01", mostText)
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for n := range 30 {
				a := Act{Action: "x", Actor: "y"}
				if n%3 == 2 {
					a = Act{Actor: endless, Kind: endless, Action: endless, CallID: endless, Reason: endless, Answer: endless}
				}
				err := l.Append(t.Context(), a)
				mu.Lock()
				if err == nil {
					taken++
				}
				mu.Unlock()
				if n%3 != 2 && err != nil && !errors.Is(err, expected) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	return taken
}

func openLog(t *testing.T) (*Log, Options) {
	t.Helper()
	o := Options{Dir: t.TempDir(), Head: filepath.Join(t.TempDir(), "head"), Clock: still{}, Random: rand.Reader}
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return l, o
}

func TestWhatCannotBeWrittenHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	l, o := openLog(t)
	taken := crowd(t, l, nil)
	if err := l.Close(); err != nil || taken != 16*20 {
		t.Errorf("%d taken, %v", taken, err)
	}
	head, err := ReadHead(o.Head)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Verify(os.DirFS(o.Dir), Against{Head: head}); err != nil || !r.Sound() || r.Records != int64(taken)+1 {
		t.Errorf("%+v %v", r, err)
	}
}

func TestAppendsThatWaitForABrokenDiskAreAllToldAndNoneWaitsForEver(t *testing.T) {
	t.Parallel()
	l, _ := openLog(t)
	file, ok := l.file.(*os.File)
	if !ok {
		t.Fatal("the file is wrapped already")
	}
	l.file = &spoiled{File: file, sync: true}
	if taken := crowd(t, l, errDisk); taken != 0 {
		t.Errorf("%d acts were taken", taken)
	}
	_ = l.Close()
}

func TestALogThatIsClosedAnswersWhoeverWaits(t *testing.T) {
	t.Parallel()
	for range 20 {
		l, _ := openLog(t)
		var closed error
		var all sync.WaitGroup
		all.Go(func() { closed = l.Close() })
		crowd(t, l, os.ErrClosed)
		all.Wait()
		if closed != nil {
			t.Fatal(closed)
		}
	}
}
