package rules

import (
	"cmp"
	"slices"
	"time"
)

// partsOfVelocity is how many parts a stretch is counted in: a part leaves the count as a whole.
const partsOfVelocity = 24

// mostParts bounds the parts that are kept. Which of them have left the stretch is asked of the reader's clock: one that is far ahead must not erase what
// counts for the others.
const mostParts = 4 * partsOfVelocity

// recentTakes is how many takes a count remembers by their rows, so that they can be given back and count once.
const recentTakes = 64

// speed is the cell of a velocity limit. What it counts are calls or millionths of a currency.
type speed struct {
	Parts  []part `json:"parts,omitempty"` // ascending
	Recent takes  `json:"recent,omitempty"`
}

type part struct {
	From  int64 `json:"f"` // Unix nanoseconds
	Count int   `json:"n"`
}

// count returns how much was dialed in the stretch that ends now, and when the oldest of them leave it. What was dialed before since,
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

// add counts a take of a weight. A row counts once, at the latest of its takes: whoever took an earlier one may have died before it rang.
func (s *speed) add(v Velocity, t take, weight int, since, now time.Time) {
	from := now.Truncate(v.Per / partsOfVelocity)
	if since.After(from) { // also on a clock that is behind that of whoever resumed
		from = since
	}
	t.At, t.More = from.UnixNano(), weight-1
	s.change(t.Row, now, func(l takes) takes { return l.with(t) })
	for len(s.Recent) > recentTakes {
		old := s.Recent[0]
		s.Recent = s.Recent[1:]
		if slices.ContainsFunc(s.Recent, func(o take) bool { return o.Row == old.Row }) { // the later one may be given back
			s.countOf(old.at(), old.weight())
		}
	}
	s.Parts = s.Parts[max(len(s.Parts)-mostParts, 0):]
}

// drop takes back what a ticket, or with an empty one the row, has counted. What is not remembered any more stays counted.
func (s *speed) drop(row, ticket string, now time.Time) (changed bool) {
	before := len(s.Recent)
	s.change(row, now, func(l takes) takes { return l.without(row, ticket) })
	return len(s.Recent) < before
}

// change changes the takes of a row, and where and with what weight it counts.
func (s *speed) change(row string, now time.Time, change func(takes) takes) {
	was, counted := s.Recent.of(row, now)
	s.Recent = change(s.Recent)
	is, counts := s.Recent.of(row, now)
	if counted {
		s.countOf(was.at(), -was.weight())
	}
	if counts {
		s.countOf(is.at(), is.weight())
	}
}

// countOf adds n to the part that begins at from.
func (s *speed) countOf(from time.Time, n int) {
	i, known := slices.BinarySearchFunc(s.Parts, from.UnixNano(), func(p part, at int64) int { return cmp.Compare(p.From, at) })
	switch {
	case known:
		s.Parts[i].Count += n
	case n > 0:
		s.Parts = slices.Insert(s.Parts, i, part{From: from.UnixNano(), Count: n})
	}
}
