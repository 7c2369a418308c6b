package call

import (
	"hash/fnv"
	"time"
)

// The reasons for which a call is parked, beside the pauses of a [Gate]: it waits for a person and not for a time.
const (
	whyPaused     = "paused"                      // its profile is paused or gone from the configuration
	whySetupPause = "setup_pause"                 // its profile is paused by this process, because Amazon Connect refused the setup
	whyDenied     = string(CodeDestinationDenied) // its number may not be rung, and an attempt is open
)

// A parked call is looked at again at the latest after as long as it has waited already, within these bounds. So its history grows with the
// logarithm of the time, and ten thousand parked calls leave the sweeps to others. What ends the wait earlier is [Engine.lookAhead].
const (
	leastParked  = 24 * time.Hour
	leastDenied  = time.Hour // evidence is looked for each time
	longestParks = 30 * 24 * time.Hour
)

// Parked reports whether the call waits for a person: until a paused profile goes on, a setup is repaired, or a number is permitted. Its due is
// then only the latest time for another look.
func (c Call) Parked() bool { return parks(c.DueReason) && !c.Due.IsZero() }

func parks(why string) bool {
	switch why {
	case whyPaused, whySetupPause, whyDenied, HeldPausedAll, HeldPausedProfile, HeldPausedProducer, HeldPausedPrefix:
		return true
	}
	return false
}

// waits reports whether the row's due forbids to go on. That of a parked call does not, unless its profile is still paused: who comes by finds
// out whether the reason is still there.
func (c Call) waits(p Profile, now time.Time) bool {
	return now.Before(c.Due) && (p.Paused || !c.Parked())
}

// parkUntil returns when a call that is parked now is looked at again at the latest, least or more from now. Whoever has a time limit is looked
// at when that ends. Calls that were accepted together part by a quarter of the wait, each by its own id.
func (c Call) parkUntil(now time.Time, least time.Duration) time.Time {
	wait := min(max(least, now.Sub(c.AcceptedAt)), longestParks)
	share := fnv.New32a()
	_, _ = share.Write([]byte(c.ID)) // a hash takes everything
	return c.withinLimits(now.Add(wait+time.Duration(float64(wait)/4*float64(share.Sum32())/(1<<32))), now)
}

// withinLimits returns a due that comes no later than the first of the call's time limits ends: then it expires, or its open attempt may not
// be repeated any more.
func (c Call) withinLimits(due, now time.Time) time.Time {
	limits := []time.Time{c.NotAfter}
	if len(c.Open) > 0 {
		limits = append(limits, c.FirstSigned.Add(TokenUse))
	}
	for _, limit := range limits {
		if !limit.IsZero() && !limit.Before(now) && limit.Before(due) {
			due = limit.Add(1)
		}
	}
	return due
}
