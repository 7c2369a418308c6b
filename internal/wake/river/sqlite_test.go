package river_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/wake/river"
)

var _ call.Waker = (*river.Hints[*sql.Tx])(nil)

// heard gathers the hints that were answered.
type heard struct {
	mu   sync.Mutex
	rows map[string]int
	came chan string
	fail atomic.Int32 // how many answers fail first
}

func (h *heard) woken(_ context.Context, row string, _ time.Time) error {
	if h.fail.Add(-1) >= 0 {
		return errors.New("planted: the ledger is down")
	}
	h.mu.Lock()
	h.rows[row]++
	h.mu.Unlock()
	h.came <- row
	return nil
}

func newHeard() *heard { return &heard{rows: map[string]int{}, came: make(chan string, 100)} }

func open(t *testing.T, path string, o river.Options) *river.Hints[*sql.Tx] {
	t.Helper()
	hints, err := river.OpenSQLite(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	return hints
}

func stop(t *testing.T, hints *river.Hints[*sql.Tx]) {
	t.Helper()
	if err := hints.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

func (h *heard) wait(t *testing.T) string {
	t.Helper()
	select {
	case row := <-h.came:
		return row
	case <-t.Context().Done():
	}
	t.Fatal("no hint came")
	return ""
}

func TestAHintOfADueRowIsAnswered(t *testing.T) {
	t.Parallel()
	h := newHeard()
	hints := open(t, filepath.Join(t.TempDir(), "hints db?#.sqlite"), river.Options{Woken: h.woken})
	if err := hints.Wake(t.Context(), "row-1", time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := hints.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if row := h.wait(t); row != "row-1" {
		t.Errorf("woken: %s", row)
	}
	stop(t, hints)
}

func TestHintsOutliveTheProcessThatGaveThem(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hints.sqlite")
	first := open(t, path, river.Options{Woken: newHeard().woken})
	if err := first.Wake(t.Context(), "row-1", time.Now()); err != nil {
		t.Fatal(err)
	}
	stop(t, first)
	h := newHeard()
	second := open(t, path, river.Options{Woken: h.woken})
	if err := second.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.wait(t)
	stop(t, second)
}

func TestTheSameHintIsNotGivenTwice(t *testing.T) {
	t.Parallel()
	h := newHeard()
	hints := open(t, "", river.Options{Woken: h.woken})
	due := time.Now().Add(-time.Minute).UTC()
	for range 5 {
		if err := hints.Wake(t.Context(), "row-1", due); err != nil {
			t.Fatal(err)
		}
	}
	if err := hints.Wake(t.Context(), "row-2", due); err != nil {
		t.Fatal(err)
	}
	if err := hints.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.wait(t)
	h.wait(t)
	stop(t, hints)
	if h.rows["row-1"] != 1 || h.rows["row-2"] != 1 {
		t.Errorf("hints answered: %v", h.rows)
	}
}

func TestAHintWhoseAnswerFailsIsGivenAgain(t *testing.T) {
	t.Parallel()
	h := newHeard()
	h.fail.Store(1)
	hints := open(t, "", river.Options{Woken: h.woken})
	if err := hints.Wake(t.Context(), "row-1", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := hints.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.wait(t)
	stop(t, hints)
}

func TestAPeriodicJobSweepsFromTheStart(t *testing.T) {
	t.Parallel()
	swept := make(chan struct{}, 10)
	hints := open(t, "", river.Options{
		Woken: newHeard().woken, SweepEvery: time.Hour,
		Sweep: func(context.Context) error { swept <- struct{}{}; return nil },
	})
	if err := hints.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	select {
	case <-swept:
	case <-t.Context().Done():
	}
	stop(t, hints)
}

func TestAHintEndsWithItsContext(t *testing.T) {
	t.Parallel()
	hints := open(t, "", river.Options{Woken: newHeard().woken})
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := hints.Wake(ctx, "row-1", time.Now()); !errors.Is(err, context.Canceled) {
		t.Errorf("a hint under a context that ended: %v", err)
	}
	stop(t, hints)
}

func TestHintsThatNobodyWouldAnswerAreRefused(t *testing.T) {
	t.Parallel()
	if _, err := river.OpenSQLite(t.Context(), "", river.Options{}); err == nil {
		t.Error("hints without an answer were opened")
	}
}

// TestACallThatIsFoundBehindAgainIsToldByOneJob looks behind five times while nobody answers: one job waits, beside those of notices.
func TestACallThatIsFoundBehindAgainIsToldByOneJob(t *testing.T) {
	t.Parallel()
	told := make(chan string, 10)
	hints := open(t, "", river.Options{Woken: newHeard().woken, Tell: func(_ context.Context, row string) (bool, error) {
		told <- row
		return false, nil
	}})
	for range 5 {
		if err := hints.NoticeBehind(t.Context(), "row-1"); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if err := hints.Notice(t.Context(), "row-1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := hints.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		select {
		case <-told:
		case <-t.Context().Done():
			t.Fatal("a job is missing")
		}
	}
	stop(t, hints)
	if n := len(told); n != 0 {
		t.Errorf("%d jobs too many", n)
	}
}
