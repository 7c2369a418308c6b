package sim

import (
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/app"
)

// What becomes of the contacts of a world.
const (
	FatesByNumber = "number" // the last digits of a number decide, as in the emulator
	FatesMixed    = "mixed"  // each ring has its own, drawn from the seed
)

// AfterSwitch is what comes after a ring, and what keeps one. Its defaults ask for nothing of it.
type AfterSwitch struct {
	Outcome string        // profiles.*.outcome: off, track
	Recalls int           // profiles.*.recall.budget; the waits are [recallWaits]
	Dialing string        // profiles.*.recall.dialing: pinned, current
	Hours   string        // profiles.*.hours, one window with _ for a space; empty means every hour
	Country string        // the first digits of all numbers, whose region has one clock: 81, 447700, 1202
	Begins  time.Duration // how long after 2000-01-01 the world begins, so that a change of clocks falls into it
	Cap     string        // limits.per_number, with _ for a space; empty means none
	Speed   string        // limits.velocity over all numbers with then: hold, with _ for a space; empty means none
	Slots   int           // limits.concurrent; 0 means no limit
	Lease   string        // limits.slot_lease; empty means the longest call
	Urgent  bool          // profiles.*.urgent is on
	Fates   string        // FatesByNumber or FatesMixed
}

// recallWaits are the waits of the re-call rule of every world with one. What is not listed rings no more.
var recallWaits = map[string]string{
	"failed": "30s", "busy": "5m", "no_answer": "15m", "answered": "20m", "blocked": "1h", "unknown": "15m",
}

func afterFields() []field {
	return []field{
		text("outcome", func(s *Setting) *string { return &s.After.Outcome }, "off", "track"),
		number("recalls", func(s *Setting) *int { return &s.After.Recalls }),
		text("dialing", func(s *Setting) *string { return &s.After.Dialing }, "pinned", "current"),
		text("hours", func(s *Setting) *string { return &s.After.Hours }),
		text("country", func(s *Setting) *string { return &s.After.Country }, "81", "447700", "1202"),
		span("begins", func(s *Setting) *time.Duration { return &s.After.Begins }),
		text("cap", func(s *Setting) *string { return &s.After.Cap }),
		text("speed", func(s *Setting) *string { return &s.After.Speed }),
		number("slots", func(s *Setting) *int { return &s.After.Slots }),
		text("lease", func(s *Setting) *string { return &s.After.Lease }),
		yes("urgent", func(s *Setting) *bool { return &s.After.Urgent }),
		text("fates", func(s *Setting) *string { return &s.After.Fates }, FatesByNumber, FatesMixed),
	}
}

// tracks reports whether it is kept what becomes of contacts.
func (s AfterSwitch) tracks() bool { return s.Outcome == "track" }

// profile completes a profile.
func (s AfterSwitch) profile(p *app.Profile) {
	p.Outcome = s.Outcome
	if s.Recalls > 0 {
		p.Recall = app.Recall{Budget: s.Recalls, Dialing: s.Dialing, Wait: recallWaits}
	}
	if s.Hours != "" {
		p.Hours, p.TimeZone = []string{spaced(s.Hours)}, "UTC"
	}
	if s.Urgent {
		p.Urgent = "on"
	}
}

// limits completes a configuration with the limits that all profiles share.
func (s AfterSwitch) limits(c *app.Config) {
	if s.Cap != "" {
		c.Limits.PerNumber = []string{spaced(s.Cap)}
	}
	if most, per, limited := rate(s.Speed); limited {
		c.Limits.Velocity = []app.Velocity{{Most: most, Per: per.String(), Then: "hold"}}
	}
	c.Limits.Concurrent, c.Limits.SlotLease = s.Slots, s.Lease
	c.Limits.NewCountry = "off" // it keeps no call, and the seeds that are recorded draw no ticket for it
}

// rate reads a limit such as 2_per_1h.
func rate(text string) (most int, per time.Duration, ok bool) {
	count, length, ok := strings.Cut(spaced(text), " per ")
	if !ok {
		return 0, 0, false
	}
	most, _ = strconv.Atoi(count)
	per, _ = parseSpan(length)
	return most, per, true
}

func spaced(text string) string { return strings.ReplaceAll(text, "_", " ") }

// zoneOfCountry is where the people of a world's numbers are.
func (s AfterSwitch) zoneOfCountry() string {
	switch s.Country {
	case "447700":
		return "Europe/London"
	case "1202":
		return "America/New_York"
	}
	return "Asia/Tokyo"
}

// aWindowsDay is the longest that closed hours and a change of clocks keep a call from its next window of the same day of the week.
const aWindowsDay = 8 * 24 * time.Hour

// settling bounds how long all that may take beside the attempts themselves: each ring of each recipient of a list may wait for its rule, its
// hours and its cap.
func (s AfterSwitch) settling(longestList int) time.Duration {
	one := time.Duration(0)
	if s.tracks() {
		one += 24 * time.Hour // twice the longest call, and the looks behind it
	}
	if s.Recalls > 0 {
		one += time.Hour
	}
	if s.Hours != "" {
		one += aWindowsDay
	}
	if s.Cap != "" {
		_, per, _ := rate(s.Cap)
		one += 4 * per
	}
	if _, per, limited := rate(s.Speed); limited { // every number of the world waits for it
		one += 8 * per
	}
	if s.Slots > 0 {
		one += time.Hour
	}
	return one * time.Duration((s.Recalls+1)*(longestList+1))
}
