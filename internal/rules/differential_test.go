package rules

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nyaruka/phonenumbers"
)

// costly are the library's types that must never pass as ordinary.
var costly = map[phonenumbers.PhoneNumberType]bool{
	phonenumbers.PREMIUM_RATE: true, phonenumbers.SHARED_COST: true, phonenumbers.PERSONAL_NUMBER: true, phonenumbers.PAGER: true,
	phonenumbers.UAN: true, phonenumbers.TOLL_FREE: true,
}

var people = map[phonenumbers.PhoneNumberType]bool{
	phonenumbers.FIXED_LINE: true, phonenumbers.MOBILE: true, phonenumbers.FIXED_LINE_OR_MOBILE: true, phonenumbers.VOIP: true,
}

// disagreement compares our reading of a number with the library's; empty when both agree or the library does not know the number.
func disagreement(digits string, ours Number) string {
	parsed, err := phonenumbers.Parse("+"+digits, "")
	if err != nil || !phonenumbers.IsValidNumber(parsed) || phonenumbers.Format(parsed, phonenumbers.E164) != "+"+digits {
		return ""
	}
	kind := phonenumbers.GetNumberType(parsed)
	switch {
	case costly[kind] && ours.Kind == Ordinary:
		return fmt.Sprintf("type %d passes as ordinary", kind)
	case people[kind] && ours.Kind != Ordinary && phonenumbers.GetRegionCodeForNumber(parsed) != "001":
		return fmt.Sprintf("a person's number of type %d is refused as %s", kind, ours.Kind)
	}
	return ""
}

// TestNoCostlyNumberPassesAsOrdinary asks the library, which parses numbers whole, about numbers around every line of our plan and about
// random ones. Refusing a person's number is the smaller error, and is counted.
func TestNoCostlyNumberPassesAsOrdinary(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	refused, known := 0, 0
	ask := func(digits string) {
		switch what := disagreement(digits, Lookup("+"+digits)); {
		case strings.Contains(what, "passes"):
			t.Errorf("a number that begins with %.6s: %s", digits, what)
		case what != "":
			refused++
		}
		known++
	}
	tail := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteByte(byte('0' + random.IntN(10)))
		}
		return b.String()
	}
	for _, p := range lines() {
		if strings.Contains(p.digits, "/") {
			continue
		}
		for length := len(p.digits) + 3; length <= 13; length++ {
			for range 4 {
				ask(p.digits + tail(length-len(p.digits)))
			}
		}
	}
	for range 30_000 {
		ask(string(byte('1'+random.IntN(9))) + tail(6+random.IntN(8)))
	}
	t.Logf("%d of %d numbers are a person's by the library and refused here", refused, known)
	if refused > known/200 {
		t.Errorf("%d of %d: more than one in 200", refused, known)
	}
	if disagreement("1900"+"2000000", Number{Kind: Ordinary}) == "" {
		t.Error("a planted premium number that passes is not seen")
	}
}
