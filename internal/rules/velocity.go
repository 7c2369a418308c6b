package rules

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Velocity is how many calls may be dialed in a stretch of time, or for how much money, of those that its members choose: toll fraud and a
// producer that runs wild show themselves by their number (reliability-security.md D1).
type Velocity struct {
	Prefix   string // first digits of the numbers, without +; empty means every number
	Producer string // as the deliveries name it; [Each] limits every one by itself, and empty all together
	Caller   string // the caller id that voice calls are dialed with ([CallerOf]); [Each] limits every one by itself, and empty all together
	Most     int    // calls; with Prices millionths of the currency
	Per      time.Duration
	Stops    bool // reaching it pauses what it chooses until a person resumes it; otherwise calls only wait

	Prices   Prices // what is counted of a voice call is its price; nil counts calls
	Currency string // for people

	each    string // of one out of [Each]: which of its members that was, so that a limit with the same name has a count of its own
	profile string // with Caller: which profile asks
}

// Each makes one limit for every producer, or for every caller id.
const Each = "each"

// The bounds of a velocity limit.
const (
	MostOfVelocity    = 1_000_000
	LongestOfVelocity = 31 * 24 * time.Hour
)

// one returns the limit that counts a dial of the call. A dial that is repeated because its answer was lost was counted when it was first sent. The
// attempt that stands for those which a restore forgot was counted by nobody: while a recovery is open, every request that is not proven to be new
// has one.
func (v Velocity) one(c call.Call, p call.Profile) (Velocity, bool) {
	repeated := slices.ContainsFunc(c.Open, func(a call.Attempt) bool { return !a.Phantom })
	if repeated {
		return v, false
	}
	v.profile = p.Name
	return v.counting(c, CallerOf(p))
}

// counting returns the limit that counts the calls of such a producer, number and caller id.
func (v Velocity) counting(c call.Call, caller string) (Velocity, bool) {
	if v.Producer == Each {
		v.Producer, v.each = c.Producer, "producer"
	}
	if v.Caller == Each {
		v.Caller, v.each = caller, v.each+"caller"
	}
	number := c.Phone().Wire()
	switch {
	case v.Producer == "" && strings.HasPrefix(v.each, "producer"), v.Caller == "" && strings.HasSuffix(v.each, "caller"): // nobody says whose it is
		return v, false
	case v.Prefix != "" && !strings.HasPrefix(digits(number), v.Prefix),
		v.Producer != "" && v.Producer != c.Producer,
		v.Caller != "" && (v.Caller != caller || !c.Key.Kind.NeedsNumber()),
		v.Prices != nil && !c.Key.Kind.NeedsNumber():
		return v, false
	}
	return v, true
}

// countedIn returns the limits that may have counted a call, if it was dialed with one of the caller ids.
func (v Velocity) countedIn(c call.Call, callers []string) []Velocity {
	if v.Caller == "" {
		callers = []string{""}
	}
	var all []Velocity
	for _, caller := range callers {
		if one, counts := v.counting(c, caller); counts {
			all = append(all, one)
		}
	}
	return all
}

// CallerOf returns the caller id of a profile: its source phone, else the queue whose number Amazon Connect shows.
func CallerOf(p call.Profile) string { return cmp.Or(p.SourcePhone, p.QueueID) }

// weight is what a dial of the call counts.
func (v Velocity) weight(c call.Call, p call.Profile) int {
	if v.Prices == nil {
		return 1
	}
	return v.Prices.of(c.Phone().Wire(), p.LongestCall)
}

// String says what is limited.
func (v Velocity) String() string {
	text := strconv.Itoa(v.Most) + " calls"
	if v.Prices != nil {
		text = Money(v.Most, v.Currency)
	}
	text += " per " + v.Per.String()
	if v.Prefix != "" {
		text += " to +" + v.Prefix
	}
	if v.Producer != "" {
		text += " of " + v.Producer
	}
	if v.Caller != "" {
		text += " with the caller id " + v.Caller
	}
	return text
}

// id names the limit, so that its count survives a change of the number of calls.
func (v Velocity) id() string {
	parts := []string{v.Prefix, v.Producer, v.Per.String()}
	if v.each != "" {
		parts = append(parts, "each", v.each)
	}
	if v.Caller != "" {
		parts = append(parts, "caller", v.Caller)
	}
	if v.Prices != nil {
		parts = append(parts, "money")
	}
	return strings.Join(parts, "\x00")
}

// target returns what reaching the limit pauses. Of a caller id that is the profile which asked: another one with the same caller id reaches the limit
// by itself.
func (v Velocity) target() Target {
	switch {
	case v.Producer != "":
		return Target{Kind: TargetProducer, Name: v.Producer}
	case v.Caller != "":
		return Target{Kind: TargetProfile, Name: v.profile}
	case v.Prefix != "":
		return Target{Kind: TargetPrefix, Name: "+" + v.Prefix}
	}
	return Target{Kind: TargetAll}
}

// partsOfVelocity is how many parts a stretch is counted in: a part leaves the count as a whole.
const partsOfVelocity = 24

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
	step := v.Per / partsOfVelocity
	for _, p := range s.Parts {
		from := time.Unix(0, p.From)
		end := from.Add(step + v.Per)
		if from.Before(since) || !end.After(now) || from.After(now.Add(mostAhead)) || p.Count <= 0 {
			continue
		}
		if leaves.IsZero() {
			leaves = end
		}
		n += p.Count
	}
	return n, leaves
}

// known reports whether the row is among those that were counted lately.
func (s speed) known(row string) bool { return len(s.Recent.without(row, "")) < len(s.Recent) }

// add counts a take of a weight. A row that is known is counted already, with the weight that it had then.
func (s *speed) add(v Velocity, t take, weight int, since, now time.Time) {
	step := v.Per / partsOfVelocity
	from := now.Truncate(step)
	if since.After(from) && !since.After(now) {
		from = since
	}
	if first, known := s.Recent.of(t.Row); known {
		from, weight = first.at(), first.weight()
	} else {
		s.countOf(from, weight)
	}
	kept := s.Parts[:0:0]
	for _, p := range s.Parts {
		if time.Unix(0, p.From).Add(step + v.Per).After(now) {
			kept = append(kept, p)
		}
	}
	s.Parts = kept
	t.At, t.More = from.UnixNano(), weight-1
	s.Recent = s.Recent.with(t)
	s.Recent = s.Recent[max(len(s.Recent)-recentTakes, 0):]
}

// drop takes back what a ticket, or with an empty one the row, has counted. What is not remembered any more stays counted.
func (s *speed) drop(row, ticket string) (changed bool) {
	left := s.Recent.without(row, ticket)
	if len(left) == len(s.Recent) {
		return false
	}
	first, _ := s.Recent.of(row)
	s.Recent = left
	if !s.known(row) {
		s.countOf(first.at(), -first.weight())
	}
	return true
}

// countOf adds n to the part that begins at from.
func (s *speed) countOf(from time.Time, n int) {
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
