package sqlite_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// The simulation runs the real ledger in virtual time. A goroutine that outlives Close would hang the bubble.
func TestTheLedgerRunsInABubbleAndLeavesNoGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		o := settings(t)
		l, err := sqlite.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for g := range 8 {
			wg.Go(func() {
				time.Sleep(time.Duration(g+1) * time.Hour)
				c := create(t, l, fmt.Sprintf("row-%d", g))
				if written, err := l.Update(t.Context(), held(t, c)); err != nil || !written.Applied {
					t.Errorf("update: applied %t, error %v", written.Applied, err)
				}
				if err := l.Note(t.Context(), call.Note{RowID: c.ID, Kind: call.NoteSuppressed, At: time.Now()}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if passed := time.Since(began); passed != 8*time.Hour {
			t.Errorf("%s of virtual time passed, want 8 h", passed)
		}
	})
}
