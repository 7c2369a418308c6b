package envelope

import (
	"math"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	tokenValidity   = 7 * 24 * time.Hour // of a client token (facts/event-envelopes.md section 2)
	futureTolerance = 5 * time.Minute
)

// age folds the time stamps of a chain, outermost first: the earliest one counts, of equal ones the outermost, and the tier is
// the strongest of all (facts/event-envelopes.md section 2).
type age struct{ stamp call.Stamp }

// add takes one more stamp and reports whether it is usable: stamps of the future are dropped.
func (a *age) add(now, at time.Time, tier call.Tier, from string) bool {
	if at.After(now.Add(futureTolerance)) {
		return false
	}
	strongest := tier
	if rank(a.stamp.Tier) > rank(tier) {
		strongest = a.stamp.Tier
	}
	if a.stamp.At.IsZero() || at.Before(a.stamp.At) {
		a.stamp.At, a.stamp.From = at.UTC(), from
	}
	a.stamp.Tier = strongest
	return true
}

// result returns the folded stamp; without any stamp its tier is none.
func (a age) result() call.Stamp {
	if a.stamp.At.IsZero() {
		return call.Stamp{Tier: call.TierNone}
	}
	return a.stamp
}

func rank(tier call.Tier) int {
	switch tier {
	case call.TierPayload:
		return 3
	case call.TierMessage:
		return 2
	case call.TierHop:
		return 1
	case call.TierNone:
		return 0
	}
	return 0
}

// window compares the evidence of age with the validity of a client token.
func window(now time.Time, stamp call.Stamp) string {
	switch {
	case stamp.At.IsZero():
		return WindowUnproven
	case now.Sub(stamp.At) > tokenValidity:
		return WindowPossiblyExpired
	case stamp.Trusted():
		return WindowInside
	}
	return WindowUnproven
}

// parseTime reads an RFC 3339 time with a zone.
func parseTime(s string) (time.Time, bool) {
	at, err := time.Parse(time.RFC3339, s)
	return at, err == nil && at.Unix() > 0
}

const maxUnixMilli = 253_402_300_799_999 // the end of the year 9999

// parseMillis reads milliseconds since 1970, as SQS writes them into a string and gateways into a number.
func parseMillis(s []byte) (time.Time, bool) {
	ms, err := strconv.ParseInt(string(s), 10, 64)
	if err != nil || ms <= 0 || ms > maxUnixMilli {
		return time.Time{}, false
	}
	return time.UnixMilli(ms).UTC(), true
}

// parseSeconds reads seconds since 1970 with a fraction, as streams write them, to the millisecond.
func parseSeconds(s []byte) (time.Time, bool) {
	seconds, err := strconv.ParseFloat(string(s), 64)
	if err != nil || math.IsNaN(seconds) || seconds <= 0 || seconds*1000 > maxUnixMilli {
		return time.Time{}, false
	}
	return time.UnixMilli(int64(math.Round(seconds * 1000))).UTC(), true
}
