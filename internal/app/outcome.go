package app

import (
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/outcome"
)

// The values of profiles.NAME.outcome.
const (
	outcomeTrack = "track"
	outcomeOff   = "off"
)

// describePace and describeBurst are the quota of DescribeContact of an account and Region, a second (Amazon Connect Administrator Guide,
// "Amazon Connect service quotas").
const (
	describePace  = 10
	describeBurst = 15
)

// searchPace is the quota of SearchContacts, a second.
const searchPace = 0.5

// outcomes completes the engine's configuration with what keeps the outcomes of contacts.
func (c *Config) outcomes(core *call.Config) {
	core.Describes = call.NewPace(describePace*paceHeadroom, describeBurst)
	core.Outcome, core.Tracks = outcome.Of, c.tracks
}

// tracks reports whether the outcome of a profile's contacts is to be known, and whether a rule asks for it.
func (c *Config) tracks(p call.Profile) (tracked, follows bool) {
	return p.Kind.NeedsNumber() && c.Profiles[p.Name].Outcome != outcomeOff, false
}
