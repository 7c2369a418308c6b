package postgres

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// TestNotesThatFillATransactionAreNotWaitedFor tells the writer of notes as [Ledger.Note] does, with nothing of PostgreSQL behind it.
func TestNotesThatFillATransactionAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		before, meanwhile int // rows that have notes before the writer lingers, and after a millisecond
		want              time.Duration
	}{{1, 0, noteTime}, {1, largestGroup - 2, noteTime}, {1, largestGroup - 1, time.Millisecond}, {largestGroup, 0, 0}} {
		synctest.Test(t, func(t *testing.T) {
			l := &Ledger{queue: make(chan *job, queued)}
			l.journal.begin(suppressionsFirst)
			rows := 0
			note := func(n int) {
				for range n {
					rows++
					_, wake, err := l.journal.add(call.Note{RowID: fmt.Sprint(rows), Kind: call.NoteSuppressed})
					if err != nil {
						t.Error(err)
					}
					if wake {
						l.wake()
					}
				}
			}
			note(c.before)
			go func() {
				time.Sleep(time.Millisecond)
				note(c.meanwhile)
			}()
			begun := time.Now()
			l.linger([]*job{<-l.queue})
			if took := time.Since(begun); took != c.want {
				t.Errorf("%d rows and then %d: the writer waits for %s, want %s", c.before, c.meanwhile, took, c.want)
			}
			time.Sleep(time.Second) // the other one ends too
		})
	}
}
