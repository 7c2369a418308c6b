package river_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/wake/river"
)

// TestADrainEndsWhatRunsAndBeginsNothing has one job running and others behind it: those are done by the next process, and so is what is asked for later.
func TestADrainEndsWhatRunsAndBeginsNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "hints.sqlite")
	began, release := make(chan string, 10), make(chan struct{})
	var cut error
	hints := open(t, path, river.Options{Workers: 1, Woken: func(ctx context.Context, row string, _ time.Time) error {
		began <- row
		<-release
		cut = ctx.Err()
		return nil
	}})
	wake := func(row string) {
		t.Helper()
		if err := hints.Wake(t.Context(), row, time.Now().Add(-time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	wake("row-0")
	if err := hints.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-began
	wake("row-1")
	drained := make(chan error)
	go func() { drained <- hints.Drain(t.Context()) }()
	for !hints.IsDraining() {
		time.Sleep(time.Millisecond)
	}
	wake("row-2")
	close(release)
	if err := <-drained; err != nil || cut != nil || len(began) != 0 {
		t.Errorf("drained: %v, the job that ran: %v, %d more began", err, cut, len(began))
	}
	wake("row-3")
	stop(t, hints)
	h := newHeard()
	next := open(t, path, river.Options{Woken: h.woken})
	if err := next.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		h.wait(t)
	}
	stop(t, next)
	if len(h.rows) != 3 || h.rows["row-0"] != 0 {
		t.Errorf("the next process answered %v", h.rows)
	}
}

func TestADrainGivesUpWhatRunsTooLong(t *testing.T) {
	t.Parallel()
	began := make(chan struct{})
	hints := open(t, "", river.Options{Woken: func(ctx context.Context, _ string, _ time.Time) error {
		close(began)
		<-ctx.Done()
		return ctx.Err()
	}})
	if err := hints.Wake(t.Context(), "row-1", time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := hints.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-began
	over, end := context.WithCancel(t.Context())
	end()
	if err := hints.Drain(over); err == nil {
		t.Error("a job that was given up is no error")
	}
	stop(t, hints)
}
