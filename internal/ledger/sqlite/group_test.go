package sqlite

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// A group of the largest size is full, also when nobody waits for any note of it: one note more would not have a place for its answer.
func TestAGroupOfNotesNeverGrowsBeyondTheLargest(t *testing.T) {
	t.Parallel()
	for _, waiting := range []int{largestGroup - 1, largestGroup, largestGroup + 44} {
		l := &Ledger{queue: make(chan *job, 2*largestGroup)}
		for range waiting {
			l.queue <- &job{kind: jobNote}
		}
		group := l.gather([]*job{<-l.queue})
		for range largestGroup / 2 {
			l.queue <- &job{kind: jobNote}
		}
		if group = l.linger(group); len(group) > largestGroup {
			t.Errorf("of %d notes that waited, a group of %d was made", waiting, len(group))
		}
	}
}

// Notes that nobody waits for wait for more of them, and not for longer than until one transaction has enough: whoever brings them is held back meanwhile.
func TestNotesWaitForMoreOfThemOnlyUntilThereAreEnough(t *testing.T) {
	t.Parallel()
	for many, want := range map[int]time.Duration{mostLanding: noteTime / 5, mostLanding - 1: noteTime} {
		synctest.Test(t, func(t *testing.T) {
			l := &Ledger{queue: make(chan *job, largestGroup)}
			l.journal.begin(suppressionsOff)
			go func() {
				time.Sleep(noteTime / 5)
				for n := range many {
					if _, wake, err := l.journal.add(call.Note{RowID: strconv.Itoa(n), Kind: call.NoteSuppressed}); err != nil {
						t.Error(err)
					} else if wake {
						l.wake()
					}
				}
			}()
			begun := time.Now()
			l.linger([]*job{{kind: jobNote}})
			if waited := time.Since(begun); waited != want {
				t.Errorf("with %d notes the writer waited for %s, want %s", many, waited, want)
			}
		})
	}
}
