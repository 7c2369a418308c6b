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
