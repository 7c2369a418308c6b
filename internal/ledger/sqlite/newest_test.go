package sqlite_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// TestARowIsReadAsItWasLastWritten reads rows while they are written, many more than are remembered, and compares each with what was answered last.
func TestARowIsReadAsItWasLastWritten(t *testing.T) {
	t.Parallel()
	const rows, readers = 2500, 3
	l := open(t, settings(t))
	sqlite.RememberRows(l, 1000) // in each of two generations
	var written [rows]struct {
		sync.Mutex

		version int64
	}
	ctx, end := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	for r := range readers {
		reading.Go(func() {
			for n := r * 997; ctx.Err() == nil; n += 7919 {
				of := &written[n%rows]
				of.Lock()
				least := of.version
				of.Unlock()
				c, err := l.Get(ctx, fmt.Sprint("row-", n%rows))
				if err == nil && c.Version < least {
					t.Errorf("row %d was read at version %d after version %d was answered", n%rows, c.Version, least)
					return
				}
			}
		})
	}
	var writing sync.WaitGroup
	for lane := range 64 {
		writing.Go(func() {
			for n := lane; n < rows; n += 64 {
				c := create(t, l, fmt.Sprint("row-", n))
				w, err := l.Update(t.Context(), held(t, c))
				if err != nil || !w.Applied {
					t.Errorf("update: %+v, %v", w, err)
					return
				}
				written[n].Lock()
				written[n].version = 2
				written[n].Unlock()
			}
		})
	}
	writing.Wait()
	end()
	reading.Wait()
	for n := range rows {
		if c, err := l.Get(t.Context(), fmt.Sprint("row-", n)); err != nil || c.Version != 2 {
			t.Fatalf("row %d: version %d, %v", n, c.Version, err)
		}
	}
}

// TestWhatAReaderGotIsNotSharedWithTheNext changes what a reader got in every way that a program may.
func TestWhatAReaderGotIsNotSharedWithTheNext(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t))
	create(t, l, "a")
	first, err := l.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	later := first.Apply(call.Event{Kind: call.EventHeld, At: noon.Add(time.Second), Due: noon.Add(time.Hour), Reason: "test"})
	second, err := l.Get(t.Context(), "a")
	if err != nil || second.Version != 1 || later.Version != 2 {
		t.Errorf("versions %d and %d, %v", second.Version, later.Version, err)
	}
}
