package doctor

import (
	"fmt"
	"strings"
	"time"
)

// Numbering is what decisions about phone numbers rest on.
type Numbering struct {
	Source   string    // the library whose metadata the numbering plan was made of
	Version  string    // of that library
	Released time.Time // the day of that version
	Prefixes int
	Zones    string   // what the time zones of numbers were made of
	Any      bool     // no destination is configured: every number may be rung
	Beyond   []string // configured prefixes that allow what the plan would refuse, with the plan's reason
}

// planAge is how old a numbering plan may be before it is worth knowing: regions open new prefixes every few months.
const planAge = 365 * 24 * time.Hour

// JudgeNumbering judges the numbering plan and the prefixes that are allowed beyond it.
func JudgeNumbering(n Numbering, now time.Time) []Finding {
	beyond := "No destination is allowed by its digits that the numbering plan would refuse."
	switch {
	case n.Any:
		beyond = "No destinations are configured: the numbering plan refuses nothing."
	case len(n.Beyond) > 0:
		beyond = "Allowed by their digits, although the numbering plan says otherwise: " + strings.Join(n.Beyond, ", ") + "."
	}
	return []Finding{
		judge(now.Sub(n.Released) < planAge, Notice, Finding{
			Check: "numbering-plan", Subject: n.Source + " " + n.Version,
			What: fmt.Sprintf("Numbers are judged by %d prefixes made of %s %s of %s, and zones by %s; numbers are shown masked by ringonce itself, no library formats them.",
				n.Prefixes, n.Source, n.Version, n.Released.Format(time.DateOnly), n.Zones),
			Why: "A prefix that was opened since then is taken for what it was before, and its calls are refused (destination_denied).",
			Fix: "Take a newer ringonce, or allow the prefix by its digits in destinations.allow.",
		}),
		judge(len(n.Beyond) == 0, Warning, Finding{
			Check: "destinations", Subject: "destinations.allow", What: beyond,
			Why: "These numbers ring. They may be younger than the plan, or cost as much as it says.",
			Fix: "Keep what is meant; else take it out of destinations.allow.",
		}),
	}
}
