package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Velocity is how many calls may be dialed in a stretch of time, of those that a prefix and a producer choose: toll fraud and a producer that
// runs wild show themselves by their number (reliability-security.md D1).
type Velocity struct {
	Prefix   string // first digits of the numbers, without +; empty means every number
	Producer string // as the deliveries name it; empty means every one
	Most     int
	Per      time.Duration
	Stops    bool // reaching it pauses what it chooses until a person resumes it; otherwise calls only wait
}

// The bounds of a velocity limit.
const (
	MostOfVelocity    = 1_000_000
	LongestOfVelocity = 31 * 24 * time.Hour
)

// counts reports whether a dial of the call counts. One that is repeated because its answer was lost was counted when it was first sent. The attempt
// that stands for those which a restore forgot was counted by nobody: while a recovery is open, every request that is not proven to be new has one.
func (v Velocity) counts(c call.Call) bool {
	repeated := slices.ContainsFunc(c.Open, func(a call.Attempt) bool { return !a.Phantom })
	return !repeated && v.fits(c.Phone().Wire(), c.Producer)
}

func (v Velocity) fits(number, producer string) bool {
	if v.Prefix != "" && !strings.HasPrefix(digits(number), v.Prefix) {
		return false
	}
	return v.Producer == "" || v.Producer == producer
}

// String says what is limited.
func (v Velocity) String() string {
	text := strconv.Itoa(v.Most) + " calls per " + v.Per.String()
	if v.Prefix != "" {
		text += " to +" + v.Prefix
	}
	if v.Producer != "" {
		text += " of " + v.Producer
	}
	return text
}

// id names the limit, so that its count survives a change of the number of calls.
func (v Velocity) id() string { return v.Prefix + "\x00" + v.Producer + "\x00" + v.Per.String() }

// target returns what reaching the limit pauses.
func (v Velocity) target() Target {
	switch {
	case v.Producer != "":
		return Target{Kind: TargetProducer, Name: v.Producer}
	case v.Prefix != "":
		return Target{Kind: TargetPrefix, Name: "+" + v.Prefix}
	}
	return Target{Kind: TargetAll}
}

// partsOfVelocity is how many parts a stretch is counted in: a part leaves the count as a whole.
const partsOfVelocity = 24

// recentTakes is how many takes a count remembers by their rows, so that they can be given back and count once.
const recentTakes = 64

// speed is the cell of a velocity limit.
type speed struct {
	Parts  []part `json:"parts,omitempty"` // ascending
	Recent takes  `json:"recent,omitempty"`
}

type part struct {
	From  int64 `json:"f"` // Unix nanoseconds
	Count int   `json:"n"`
}

// count returns how many calls were dialed in the stretch that ends now, and when the oldest of them leave it. What was dialed before since,
// when a person resumed, does not count any more.
func (s speed) count(v Velocity, since, now time.Time) (n int, leaves time.Time) {
	for _, p := range s.Parts {
		from := time.Unix(0, p.From)
		if p.Count <= 0 || !v.looksAt(from, since, now) {
			continue
		}
		if leaves.IsZero() {
			leaves = v.leaves(from)
		}
		n += p.Count
	}
	return n, leaves
}

// looksAt reports whether a part is in the stretch that ends now.
func (v Velocity) looksAt(from, since, now time.Time) bool {
	return !from.Before(since) && v.leaves(from).After(now) && !from.After(now.Add(mostAhead))
}

// leaves returns when a part leaves the count.
func (v Velocity) leaves(from time.Time) time.Time { return from.Add(v.Per/partsOfVelocity + v.Per) }

// add counts a take. A row counts once, at the latest of its takes: whoever took an earlier one may have died before it rang.
func (s *speed) add(v Velocity, t take, since, now time.Time) {
	from := now.Truncate(v.Per / partsOfVelocity)
	if since.After(from) && !since.After(now) {
		from = since
	}
	t.At = from.UnixNano()
	s.change(t.Row, now, func(l takes) takes { return l.with(t) })
	for len(s.Recent) > recentTakes {
		old := s.Recent[0]
		s.Recent = s.Recent[1:]
		if slices.ContainsFunc(s.Recent, func(o take) bool { return o.Row == old.Row }) { // the later one may be given back
			s.count1(old.at(), 1)
		}
	}
	s.Parts = slices.DeleteFunc(s.Parts, func(p part) bool { return !v.leaves(time.Unix(0, p.From)).After(now) })
}

// drop takes back what a ticket, or with an empty one the row, has counted. What is not remembered any more stays counted.
func (s *speed) drop(row, ticket string, now time.Time) (changed bool) {
	before := len(s.Recent)
	s.change(row, now, func(l takes) takes { return l.without(row, ticket) })
	return len(s.Recent) < before
}

// change changes the takes of a row, and where it counts with them.
func (s *speed) change(row string, now time.Time, change func(takes) takes) {
	was, counted := s.Recent.partOf(row, now)
	s.Recent = change(s.Recent)
	is, counts := s.Recent.partOf(row, now)
	if counted {
		s.count1(was, -1)
	}
	if counts {
		s.count1(is, 1)
	}
}

// count1 adds n to the part that begins at from.
func (s *speed) count1(from time.Time, n int) {
	i, known := slices.BinarySearchFunc(s.Parts, from.UnixNano(), func(p part, at int64) int { return cmp.Compare(p.From, at) })
	switch {
	case known:
		s.Parts[i].Count += n
	case n > 0:
		s.Parts = slices.Insert(s.Parts, i, part{From: from.UnixNano(), Count: n})
	}
}

// partOf returns when the part begins in which the row is counted: the latest of its takes whose date is not far ahead.
func (l takes) partOf(row string, now time.Time) (from time.Time, counted bool) {
	for _, t := range l { // ascending
		if t.Row == row && (!counted || !t.at().After(now.Add(mostAhead))) {
			from, counted = t.at(), true
		}
	}
	return from, counted
}
