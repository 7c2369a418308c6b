package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Destinations says which numbers may be rung. Nothing may be that no rule allows.
type Destinations struct {
	regions map[string]bool // allowed
	allowed []string        // digits
	denied  []string
	kinds   map[Kind]bool // special kinds that are allowed
}

// NewDestinations reads lists of rules: a region (ISO 3166-1, such as JP) or the first digits of numbers with their calling code (such as
// +4420). kinds are the special kinds of number that may be rung in the allowed regions. Its errors name the rule at fault.
func NewDestinations(allow, deny, kinds []string) (*Destinations, error) {
	d := &Destinations{regions: map[string]bool{}, kinds: map[Kind]bool{}}
	for _, rule := range allow {
		digits, region, err := parseRule(rule)
		if err != nil {
			return nil, err
		}
		if region != "" {
			d.regions[region] = true
		} else {
			d.allowed = append(d.allowed, digits)
		}
	}
	for _, rule := range deny {
		digits, region, err := parseRule(rule)
		if err != nil {
			return nil, err
		}
		if region != "" {
			return nil, fmt.Errorf("%q: leave a region out of the allowed ones instead of denying it, or deny digits", rule)
		}
		d.denied = append(d.denied, digits)
	}
	for _, kind := range kinds {
		if !slices.Contains(SpecialKinds(), Kind(kind)) {
			return nil, fmt.Errorf("%q: use one of %v", kind, SpecialKinds())
		}
		d.kinds[Kind(kind)] = true
	}
	return d, nil
}

func parseRule(rule string) (digits, region string, err error) {
	if digits, found := strings.CutPrefix(rule, "+"); found {
		if digits == "" || len(digits) > 15 || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
			return "", "", fmt.Errorf("%q: write + and the first digits of the numbers, with their calling code", mask(rule))
		}
		return digits, "", nil
	}
	if len(rule) != 2 || !KnownRegion(rule) {
		return "", "", fmt.Errorf("%q: write a region of two capital letters, such as JP, or + and digits", mask(rule))
	}
	return "", rule, nil
}

// mask shortens a rule in an error: somebody may have written a whole number.
func mask(rule string) string {
	const most = 8
	if len(rule) > most {
		return rule[:most] + "..."
	}
	return rule
}

// Verdict is the answer about one number.
type Verdict struct {
	Allowed bool
	Number  Number
	Rule    string // what decided: a configured rule, a kind, or "no rule allows it"
}

// Judge says whether a number may be rung. The longest of the rules that fit decides: those of the configuration by their digits, a region
// and the built-in refusal of a special kind by the digits of the numbering plan. Of two of one length the configuration wins, and of
// two of the configuration the denial.
func (d *Destinations) Judge(e164 string) Verdict {
	n := Lookup(e164)
	digits := strings.TrimPrefix(e164, "+")
	best := candidate{rule: "no rule allows it"}
	if n.Kind == Emergency || n.Kind == Unassigned {
		return Verdict{Number: n, Rule: "it is " + string(n.Kind)} // whatever is configured
	}
	if d.regions[n.Region] {
		best = best.or(candidate{builtIn(n.Code), true, n.Region})
	}
	switch {
	case n.Kind == Ordinary:
	case d.regions[n.Region] && d.kinds[n.Kind]:
		best = best.or(candidate{builtIn(n.Prefix), true, string(n.Kind)})
	default:
		best = best.or(candidate{builtIn(n.Prefix), false, "it is " + string(n.Kind)})
	}
	for _, rule := range d.allowed {
		if strings.HasPrefix(digits, rule) {
			best = best.or(candidate{configured(rule), true, "+" + rule})
		}
	}
	for _, rule := range d.denied {
		if strings.HasPrefix(digits, rule) {
			best = best.or(candidate{configured(rule), false, "+" + rule})
		}
	}
	return Verdict{Allowed: best.allowed, Number: n, Rule: best.rule}
}

// candidate is a rule that fits a number.
type candidate struct {
	weight  int // the longer the rule the more, and of one length the configuration has more
	allowed bool
	rule    string
}

func builtIn(digits string) int { return 2 * len(digits) }

func configured(digits string) int { return 2*len(digits) + 1 }

// or returns the one that decides.
func (c candidate) or(other candidate) candidate {
	if by := cmp.Compare(other.weight, c.weight); by > 0 || by == 0 && !other.allowed {
		return other
	}
	return c
}
