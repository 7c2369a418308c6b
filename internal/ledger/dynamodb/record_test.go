package dynamodb

import (
	"slices"
	"sync"
	"testing"
)

// TestTwoWritesOfARememberedRowShareNothing makes two records from one that is remembered, and spills from both at once. Under -race it also
// sees two writers of one array.
func TestTwoWritesOfARememberedRowShareNothing(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	writes := chain(t, "a", nil, 45)
	for _, w := range writes {
		if _, err := send(t.Context(), l, w); err != nil {
			t.Fatal(err)
		}
	}
	kept, _ := l.records.get("a")
	if len(kept.older) != spillEntries || len(kept.entries) != mostEntries {
		t.Fatalf("%d older op ids and %d entries: the next write spills nothing", len(kept.older), len(kept.entries))
	}
	kept.older = slices.Grow(kept.older, 2*spillEntries) // room that both would write to
	next := later(t, writes[44])
	one, two := kept.with(next), kept.with(next)
	one.older, two.older = append(one.older, "one"), append(two.older, "two")
	one.entries, two.entries = append(one.entries, next.Entry), append(two.entries, writes[0].Entry)
	if one.older[spillEntries] != "one" || one.entries[len(one.entries)-1].Op != next.Entry.Op {
		t.Error("what one record appends shows in the other")
	}
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			r := kept.with(next)
			if err := l.spill(t.Context(), &r); err != nil || len(r.older) != 2*spillEntries {
				t.Errorf("%d older op ids, error %v", len(r.older), err)
			}
		})
	}
	wait.Wait()
}
