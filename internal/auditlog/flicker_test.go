package auditlog

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// ticking is a clock on which each look lasts a while.
type ticking struct {
	still

	looks atomic.Int64
}

func (c *ticking) Now() time.Time {
	return still{}.Now().Add(time.Duration(c.looks.Add(1)) * 200 * time.Millisecond)
}

// flicker is a file on a disk that fails now and then: every so many syncs.
type flicker struct {
	*os.File

	syncs *atomic.Int64
	every int64
}

func (f *flicker) Sync() error {
	if f.syncs.Add(1)%f.every == 0 {
		return errDisk
	}
	return f.File.Sync()
}

func TestWhoeverActsWhileALogFailsAndIsTakenUpIsAnsweredAndTheChainHolds(t *testing.T) {
	t.Parallel()
	clock := &ticking{}
	o := Options{Dir: t.TempDir(), Head: filepath.Join(t.TempDir(), "head"), Clock: clock, Random: rand.Reader}
	l, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	disk := &flicker{syncs: &atomic.Int64{}, every: 7}
	l.mu.Lock()
	l.open = func(path string) (appended, error) {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		return &flicker{file, disk.syncs, disk.every}, err
	}
	l.mu.Unlock()
	taken := map[string]bool{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for side := range 8 {
		all.Go(func() {
			for n := range 200 {
				name := string(rune('a'+side)) + string(rune('A'+n%26)) + string(rune('A'+n/26))
				if l.Append(t.Context(), Act{Action: name, At: still{}.Now().Add(24 * time.Hour)}) == nil {
					mu.Lock()
					taken[name] = true
					mu.Unlock()
				}
				if n%10 == 0 {
					_ = l.Usable()
				}
			}
		})
	}
	acting := atomic.Bool{}
	acting.Store(true)
	go func() {
		all.Wait()
		acting.Store(false)
	}()
	for disk.syncs.Load() < 40 && acting.Load() {
		runtime.Gosched()
	}
	_ = l.Close() // while others still act
	all.Wait()
	if len(taken) == 0 || len(taken) == 8*200 {
		t.Errorf("%d acts were taken", len(taken))
	}
	heldAfter(t, o, taken)
}

// heldAfter opens a log once more, and checks that it is sound, was taken up, and holds what was answered.
func heldAfter(t *testing.T, o Options, taken map[string]bool) {
	t.Helper()
	again, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := again.Close(); err != nil {
		t.Fatal(err)
	}
	head, err := ReadHead(o.Head)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Verify(os.DirFS(o.Dir), Against{Head: head}); err != nil || !r.Sound() {
		t.Errorf("%+v %v", r, err)
	}
	reopened := 0
	err = errors.Join(err, Each(os.DirFS(o.Dir), func(r Record) bool {
		delete(taken, r.Action)
		if r.Action == ActionReopened {
			reopened++
		}
		return true
	}))
	if err != nil || len(taken) > 0 || reopened == 0 {
		t.Errorf("%d acts were answered and are not there, taken up %d times, %v", len(taken), reopened, err)
	}
}
