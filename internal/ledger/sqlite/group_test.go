package sqlite

import "testing"

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
