package call

import (
	"slices"
	"testing"
)

func TestAHistoryWhoseBeginningIsKnownIsCheckedAsAWholeOne(t *testing.T) {
	t.Parallel()
	row, entries := story(t)
	for known := range len(entries) {
		folded := Begin(row.ID)
		for _, e := range entries[:known] {
			event, err := e.Event()
			if err != nil {
				t.Fatal(err)
			}
			folded = folded.Apply(event)
			folded.Head = e.Hash
		}
		breaches, sound := CheckGrownHistory(Checked{}, folded, entries[:known], func(*Call, *Event) {})
		if known > 0 && len(breaches) > 0 {
			t.Fatalf("the first %d entries: %v", known, breaches)
		}
		shown := 0
		breaches, whole := CheckGrownHistory(sound, row, entries, func(*Call, *Event) { shown++ })
		if len(breaches) > 0 || len(whole.entries) != len(entries) || shown != len(entries)-known {
			t.Errorf("after %d entries: %v, %d shown of %d", known, breaches, shown, len(entries))
		}
	}
}

func TestWhatWasChangedInAKnownBeginningIsReported(t *testing.T) {
	t.Parallel()
	row, entries := story(t)
	_, sound := CheckGrownHistory(Checked{}, row, entries, func(*Call, *Event) {})
	for name, change := range map[string]func([]Entry) []Entry{
		"a body":       func(e []Entry) []Entry { e[1].Body[3] ^= 1; return e },
		"a kind":       func(e []Entry) []Entry { e[1].Kind = EventNoted; return e },
		"a time":       func(e []Entry) []Entry { e[1].At = e[1].At.Add(1); return e },
		"an op id":     func(e []Entry) []Entry { e[1].Op = e[0].Op; return e },
		"a missing":    func(e []Entry) []Entry { return slices.Delete(e, 1, 2) },
		"another hash": func(e []Entry) []Entry { e[1].Hash = e[0].Hash; return e },
	} {
		changed := slices.Clone(entries)
		for i := range changed {
			changed[i].Body = slices.Clone(changed[i].Body)
		}
		breaches, left := CheckGrownHistory(sound, row, change(changed), func(*Call, *Event) {})
		if len(breaches) == 0 || len(left.entries) > 0 {
			t.Errorf("%s: nothing is reported", name)
		}
	}
}
