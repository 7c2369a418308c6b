package rules

import (
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

// known reports whether the row is among those that were counted lately.
func (s speed) known(row string) bool { return len(s.Recent.without(row, "")) < len(s.Recent) }

// add counts a take. A row counts once, at the latest of its takes: whoever took an earlier one may have died before it rang. That of a clock far ahead
// counts only when its date comes.
func (s *speed) add(v Velocity, t take, since, now time.Time) {
	step := v.Per / partsOfVelocity
	from := now.Truncate(step)
	if since.After(from) && !since.After(now) {
		from = since
	}
	if s.known(t.Row) {
		counted := s.Recent.partOf(t.Row)
		s.count1(counted, -1)
		if counted.After(from) && !counted.After(now.Add(mostAhead)) {
			from = counted
		}
		s.Recent = s.Recent.movedTo(t.Row, from)
	}
	s.count1(from, 1)
	kept := s.Parts[:0:0]
	for _, p := range s.Parts {
		if v.leaves(time.Unix(0, p.From)).After(now) {
			kept = append(kept, p)
		}
	}
	s.Parts = kept
	t.At = from.UnixNano()
	s.Recent = s.Recent.with(t)
	s.Recent = s.Recent[max(len(s.Recent)-recentTakes, 0):]
}

// drop takes back what a ticket, or with an empty one the row, has counted. What is not remembered any more stays counted.
func (s *speed) drop(row, ticket string) (changed bool) {
	left := s.Recent.without(row, ticket)
	if len(left) == len(s.Recent) {
		return false
	}
	from := s.Recent.partOf(row)
	s.Recent = left
	if !s.known(row) {
		s.count1(from, -1)
	}
	return true
}

// count1 adds n to the part that begins at from.
func (s *speed) count1(from time.Time, n int) {
	for i := range s.Parts {
		if s.Parts[i].From == from.UnixNano() {
			s.Parts[i].Count += n
			return
		}
	}
	if n > 0 {
		s.Parts = append(s.Parts, part{From: from.UnixNano(), Count: n})
	}
}

// partOf returns when the part begins in which the row was counted.
func (l takes) partOf(row string) time.Time {
	for _, t := range l {
		if t.Row == row {
			return t.at()
		}
	}
	return time.Time{}
}
