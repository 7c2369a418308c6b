package call

import (
	"reflect"
	"slices"
	"time"
)

// CheckHistory returns what is wrong with a row's history: a broken chain, or a row that is not the fold of it (I9), an attempt
// without a durable intent (I2), an intent after in doubt (I8), a forgotten row that is not bare or keeps what was before (I15).
func CheckHistory(row Call, entries []Entry) []Breach {
	return CheckHistoryStep(row, entries, func(*Call, *Event) {})
}

// Checked is a history in which nothing was found, for who checks it again when it has grown. The zero value is none.
type Checked struct {
	entries []Entry
	folded  Call
}

// begins reports whether a history goes on from this one, as far as the columns of its entries tell. Their bodies are told by their hashes, which
// are computed again each time.
func (k Checked) begins(entries []Entry) bool {
	if len(k.entries) == 0 || len(k.entries) > len(entries) {
		return false
	}
	for i := range k.entries {
		a, b := &k.entries[i], &entries[i]
		if a.Hash != b.Hash || a.RowID != b.RowID || a.Seq != b.Seq || a.Op != b.Op || a.Kind != b.Kind || !a.At.Equal(b.At) {
			return false
		}
	}
	return true
}

// CheckHistoryStep is [CheckHistory], and shows each event on the way, with the row as it was before it, so that who asks more of a history need
// not read it again. It shows nothing behind an entry that cannot be read.
func CheckHistoryStep(row Call, entries []Entry, step func(before *Call, e *Event)) []Breach {
	found, _ := CheckGrownHistory(Checked{}, row, entries, step)
	return found
}

// CheckGrownHistory is [CheckHistoryStep] for a history whose beginning may be known: of that it checks the hash chain and the op ids alone, and
// shows nothing of it again. It returns what is known then, which is nothing beside a breach.
func CheckGrownHistory(known Checked, row Call, entries []Entry, step func(before *Call, e *Event)) ([]Breach, Checked) {
	f := findings{row: row.ID}
	folded, prev := beginning(row.ID, entries)
	ops := map[string]bool{}
	past := 0
	if known.begins(entries) {
		past = len(known.entries)
		for _, entry := range entries[:past] {
			f.check(entry.Hash == entry.chain(prev), "I9", "entry %d fails the hash chain", entry.Seq)
			ops[entry.Op], prev = true, entry.Hash
		}
		folded = known.folded
	}
	for i, entry := range entries {
		if i < past {
			continue
		}
		f.check(entry.RowID == row.ID && entry.Seq == folded.Version+1, "I9", "entry %d stands at place %d", entry.Seq, folded.Version+1)
		f.check(entry.Hash == entry.chain(prev), "I9", "entry %d fails the hash chain", entry.Seq)
		f.check(!ops[entry.Op], "I13", "op id of entry %d is used twice", entry.Seq)
		ops[entry.Op] = true
		prev = entry.Hash
		event, err := entry.Event()
		if err != nil {
			f.check(false, "I9", "entry %d cannot be read", entry.Seq)
			return f.found, Checked{}
		}
		f.check(event.Kind == entry.Kind && event.At.Equal(entry.At), "I9", "entry %d disagrees with its own columns", entry.Seq)
		f.check(slices.Contains(EventKinds(), event.Kind), "I9", "entry %d is of the unknown kind %q", entry.Seq, event.Kind)
		f.check(event.Kind != EventForgotten || i == 0, "I15", "what was before entry %d was not destroyed", entry.Seq)
		f.checkStep(folded, event)
		step(&folded, &event)
		folded = folded.Apply(event)
	}
	whole := Checked{entries: entries, folded: folded}
	folded.Head = prev
	f.check(sameRow(row, folded) || sameRow(row, folded.asOlderWrote(entries)), "I9", "the row is not the fold of its history")
	if f.found = append(f.found, CheckRow(row)...); len(f.found) > 0 {
		return f.found, Checked{}
	}
	return nil, whole
}

// asOlderWrote returns the row without the members that a program of before drops when it writes a row that has them. The entry that brought such a
// member was written by a program that knows it, so only a later write can lack it.
func (c Call) asOlderWrote(entries []Entry) Call {
	if len(entries) > 0 && entries[len(entries)-1].Kind != EventJoined {
		c.JoinedTurn = time.Time{}
	}
	return c
}

// beginning returns the row that a history starts from, and the hash before its first entry. A history begins with the row; that of a
// forgotten row begins anew with the entry that says so, which names the hash it follows.
func beginning(id string, entries []Entry) (Call, string) {
	row := Begin(id)
	if len(entries) == 0 || entries[0].Kind != EventForgotten || entries[0].Seq < 2 {
		return row, ""
	}
	event, err := entries[0].Event()
	if err != nil || event.Prev == "" {
		return row, ""
	}
	row.Version = entries[0].Seq - 1
	return row, event.Prev
}

func (f *findings) checkStep(before Call, e Event) {
	switch e.Kind { //nolint:exhaustive // only these kinds need a look of their own
	case EventForgotten:
		f.check(e.Residue != nil && e.Residue.bare() && e.Residue.Forgotten.Equal(e.At), "I15", "the residue of a forgotten row is not bare")
	case EventForgetting:
		f.checkForgetting(before)
	case EventRingOpened:
		f.check(!before.leaves(), "I15", "a ring opened while its key is forgotten")
	case EventIntent:
		f.check(before.State != InDoubt, "I8", "an intent after in doubt")
	case EventResult:
		known := e.Class == ClassOK || before.State.Final()
		for _, a := range before.Open {
			known = known || a.ID == e.AttemptID
		}
		f.check(known, "I2", "an answer to an attempt that no intent precedes")
	}
}

// sameRow compares two rows as a ledger stores them; the pinned body is not in the history and is compared by its hash.
func sameRow(a, b Call) bool {
	a.Pin, b.Pin = "", ""
	if reflect.DeepEqual(a, b) { // then they are stored alike, too; the reverse does not hold
		return true
	}
	x, errX := a.Encode()
	y, errY := b.Encode()
	return errX == nil && errY == nil && string(x) == string(y)
}
