package rules

import (
	_ "embed" // the numbering plans
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:generate go run ../../tools/genprefixes plan.txt

// planText is a line that says what the plan was made of, then one line for each prefix whose numbers differ from what the next shorter one says: the digits, the region (ISO 3166-1, or 001
// for none) and a letter for the kind. A line whose digits are followed by / and two more holds for numbers with that many national digits
// alone: premium numbers of some regions begin as a city's numbers do, and are longer.
//
//go:embed plan.txt
var planText string

// Kind says what sort of telephone a number is.
type Kind string

// The kinds of numbers. Only ordinary ones are people's telephones; every other kind costs the caller extra, is a company's, or belongs to
// no region, and is what toll fraud is made of (reliability-security.md D1).
const (
	Ordinary   Kind = "ordinary"    // fixed, mobile, internet telephony
	Premium    Kind = "premium"     // the called party is paid by the caller
	SharedCost Kind = "shared-cost" // the caller pays a part of a service's price
	TollFree   Kind = "toll-free"   // the called party pays
	Personal   Kind = "personal"    // forwarded to somewhere, at a price nobody knows before
	Pager      Kind = "pager"       // also machines
	Universal  Kind = "universal"   // universal access numbers of companies, with prices of their own
	Network    Kind = "network"     // satellites and international networks
	Emergency  Kind = "emergency"   // and other short numbers of a region
	Unassigned Kind = "unassigned"  // no region has the calling code
)

// SpecialKinds lists the kinds that a configuration can permit.
func SpecialKinds() []Kind {
	return []Kind{Premium, SharedCost, TollFree, Personal, Pager, Universal, Network}
}

var letters = map[byte]Kind{
	'=': Ordinary, 'p': Premium, 's': SharedCost, 'f': TollFree, 'n': Personal, 'g': Pager, 'u': Universal, 'i': Network,
}

// prefix is a line of the plan.
type prefix struct {
	digits, region string
	kind           Kind
}

// plan holds the decoded lines once a number was asked for, ordered by digits.
var plan struct {
	sync.Once

	lines   []prefix
	regions map[string]bool
}

func lines() []prefix {
	plan.Do(func() {
		plan.regions = map[string]bool{}
		for line := range strings.Lines(planText) {
			digits, rest, found := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
			if !found || digits == "#" || len(rest) < 3 {
				continue
			}
			region := rest[:len(rest)-1]
			plan.lines = append(plan.lines, prefix{digits, region, letters[rest[len(rest)-1]]})
			plan.regions[region] = true
		}
		slices.SortFunc(plan.lines, func(a, b prefix) int { return strings.Compare(a.digits, b.digits) })
	})
	return plan.lines
}

// find returns the line of exactly these digits.
func find(digits string) (prefix, bool) {
	all := lines()
	i, found := slices.BinarySearchFunc(all, digits, func(p prefix, digits string) int { return strings.Compare(p.digits, digits) })
	if !found {
		return prefix{}, false
	}
	return all[i], true
}

// longestPrefix is the longest line that the generator makes: a calling code and six national digits.
const longestPrefix = 9

// Number is what the numbering plans say about a destination.
type Number struct {
	Region string // ISO 3166-1; 001 for no region, empty for an unassigned calling code
	Code   string // the calling code
	Prefix string // the digits that decided
	Kind   Kind
}

// Lookup says what the digits of an E.164 number lead to: the longest known prefix decides. The digits are those that go on the wire; no
// other reading of them exists here.
func Lookup(e164 string) Number {
	digits := strings.TrimPrefix(e164, "+")
	n := Number{Kind: Unassigned}
	for length := 1; length <= min(len(digits), longestPrefix); length++ {
		p, found := find(digits[:length])
		if !found {
			continue
		}
		if n.Code == "" {
			n.Code = p.digits
		}
		n.Region, n.Prefix, n.Kind = p.region, p.digits, p.kind
		if p, found = find(fmt.Sprintf("%s/%02d", p.digits, len(digits)-len(n.Code))); found {
			n.Kind = p.kind
		}
	}
	if n.Code != "" && (len(digits)-len(n.Code) <= shortNumber || len(digits) < shortestNumber) {
		n.Kind = Emergency
	}
	return n
}

// shortestNumber is how many digits the shortest subscriber number of any plan has with its calling code (+683 and four of Niue, +690 and four of
// Tokelau). Below it an emergency number may hide behind a digit too many: exchanges stop to listen when they have enough.
const shortestNumber = 7

// shortNumber is how many national digits an emergency or service number has at most (110, 112, 911, 999, 1xx of Japan).
const shortNumber = 3

// KnownRegion reports whether a region has a numbering plan.
func KnownRegion(region string) bool {
	lines()
	return plan.regions[region]
}
