package rules

import (
	"slices"
	"strings"
	"time"
)

// Plan says what the verdicts about numbers rest on.
type Plan struct {
	Source   string    // the library whose metadata the plan was made of
	Version  string    // of that library, as a Go module has it
	Released time.Time // the day on which that version came out; newer prefixes are not in it
	Prefixes int       // lines of the plan
	Zones    string    // what the time zones of numbers were made of
}

// PlanOf returns what the numbering plan of this program was made of. An error cannot be met: a test reads the line.
func PlanOf() Plan {
	line, _, _ := strings.Cut(strings.TrimPrefix(planText, "# "), "\n")
	p := Plan{Prefixes: len(lines()), Zones: ZoneSource()}
	made, day, _ := strings.Cut(line, " of ")
	p.Source, p.Version, _ = strings.Cut(made, " ")
	p.Released, _ = time.Parse(time.DateOnly, day)
	return p
}

// Beyond lists the configured prefixes that allow numbers by their digits which the plan would refuse: a special kind, or digits that it has not
// seen in use. They ring; whoever allowed them knows more than the plan.
func (d *Destinations) Beyond() []string {
	var beyond []string
	for _, digits := range d.allowed {
		if n := Lookup(filled(digits)); n.Kind != Ordinary && !d.kinds[n.Kind] {
			beyond = append(beyond, "+"+digits+" ("+string(n.Kind)+")")
		}
	}
	slices.Sort(beyond)
	return slices.Compact(beyond)
}

// filled fills the first digits of numbers up to the length of one, so that a short prefix is not taken for an emergency number.
func filled(digits string) string {
	const usual = 12
	return "+" + digits + strings.Repeat("0", max(0, usual-len(digits)))
}
