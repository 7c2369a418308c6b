package rules

import (
	"cmp"
	"slices"
	"time"
)

// take is what one pass of the gate took for a row. A row counts once however many takes it has: those of another process and those before a
// lost answer stay when one of them is given back.
type take struct {
	Row    string `json:"r"` // the first characters of the row's id, a hash
	Ticket string `json:"k"`
	At     int64  `json:"t"`           // in Unix nanoseconds: of a ring when it was taken, of a slot when its lease ends
	More   int    `json:"m,omitempty"` // what it counts beside one: of a ceiling of money, where one is a millionth
}

// mostTakes bounds a list of takes, so that its cell stays below call.MaxCellBytes. The oldest are left out: no limit counts that far.
const mostTakes = 500

// shortRow is how much of a row's id tells it from every other.
const shortRow = 22

func rowOf(id string) string { return id[:min(len(id), shortRow)] }

func (t take) at() time.Time { return time.Unix(0, t.At) }

func (t take) weight() int { return 1 + t.More }

// takes are ordered by their instants.
type takes []take

// with returns the takes with one more. A ticket that is there already changes nothing.
func (l takes) with(t take) takes {
	if slices.ContainsFunc(l, func(o take) bool { return o.Row == t.Row && o.Ticket == t.Ticket }) {
		return l
	}
	at, _ := slices.BinarySearchFunc(l, t, func(a, b take) int { return cmp.Or(a.at().Compare(b.at()), -1) }) // behind those of its instant
	l = slices.Insert(slices.Clone(l), at, t)
	return l[max(len(l)-mostTakes, 0):]
}

// without returns the takes without those of a ticket, or of the whole row when the ticket is empty.
func (l takes) without(row, ticket string) takes {
	return slices.DeleteFunc(slices.Clone(l), func(t take) bool { return t.Row == row && (ticket == "" || t.Ticket == ticket) })
}

// of returns the take by which a row is counted: the latest whose date is not far ahead.
func (l takes) of(row string, now time.Time) (t take, counted bool) {
	for _, o := range l { // ascending
		if o.Row == row && (!counted || !o.at().After(now.Add(mostAhead))) {
			t, counted = o, true
		}
	}
	return t, counted
}

// after returns the takes whose instants come after t.
func (l takes) after(t time.Time) takes {
	return slices.DeleteFunc(slices.Clone(l), func(o take) bool { return !o.at().After(t) })
}

// mostAhead is how far the clock of who took something may be ahead of this one. Amazon Connect refuses a signature that is 5 minutes off, or 15 at
// most, in either direction, so two processes that both ring may be 30 minutes apart. What a process took whose clock was further ahead, and died before
// it gave it back, rang nobody, or is looked at by one that rings nobody: it must not count until its date.
const mostAhead = 30 * time.Minute

// until returns the takes whose instants do not come after t.
func (l takes) until(t time.Time) takes {
	return slices.DeleteFunc(slices.Clone(l), func(o take) bool { return o.at().After(t) })
}

// others returns the latest instant of every row but one, ascending.
func (l takes) others(row string) []time.Time {
	latest := map[string]time.Time{}
	for _, t := range l {
		if t.Row != row {
			latest[t.Row] = t.at() // ascending: the last one is the latest
		}
	}
	all := make([]time.Time, 0, len(latest))
	for _, at := range latest {
		all = append(all, at)
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}
