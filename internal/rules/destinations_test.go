package rules

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// padded returns a number that begins with the digits, of 11 digits in all: nobody's, since it ends in zeros.
func padded(digits string) string { return "+" + digits + strings.Repeat("0", max(11-len(digits), 0)) }

func destinations(t *testing.T, allow, deny, kinds []string) *Destinations {
	t.Helper()
	d, err := NewDestinations(allow, deny, kinds)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOnlyWhatARuleAllowsMayBeRung(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		allow, deny, kinds []string
		digits             string
		allowed            bool
		rule               string
	}{
		"nothing is configured":                  {nil, nil, nil, "1202555", false, "no rule allows it"},
		"a region":                               {[]string{"US"}, nil, nil, "1202555", true, "US"},
		"another region of the same code":        {[]string{"US"}, nil, nil, "1876555", false, "no rule allows it"},
		"that region":                            {[]string{"JM"}, nil, nil, "1876555", true, "JM"},
		"premium of an allowed region":           {[]string{"US"}, nil, nil, "1900200", false, "it is premium"},
		"the same, permitted":                    {[]string{"US"}, nil, []string{"premium"}, "1900200", true, "premium"},
		"permitted premium of another region":    {[]string{"US"}, nil, []string{"premium"}, "81990", false, "it is premium"},
		"Japan's shared-cost range":              {[]string{"JP"}, nil, nil, "81570", false, "it is universal"},
		"the same, by its digits":                {[]string{"JP", "+81570"}, nil, nil, "81570", true, "+81570"},
		"shorter digits do not permit it":        {[]string{"+81"}, nil, nil, "81570", false, "it is universal"},
		"Japan's freephone":                      {[]string{"JP"}, nil, nil, "81120", false, "it is toll-free"},
		"Japan's pagers and machines":            {[]string{"JP"}, nil, nil, "8120", false, "it is pager"},
		"a mobile of Japan":                      {[]string{"JP"}, nil, nil, "8190", true, "JP"},
		"satellites":                             {[]string{"US", "JP"}, nil, nil, "8816", false, "it is network"},
		"satellites in spite of their digits":    {[]string{"+88"}, nil, nil, "8816", false, "it is network"},
		"a denied range":                         {[]string{"JP"}, []string{"+8150"}, nil, "8150", false, "+8150"},
		"an allowed range within it":             {[]string{"JP", "+815055"}, []string{"+8150"}, nil, "815055", true, "+815055"},
		"a range that is allowed and denied":     {[]string{"+8150"}, []string{"+8150"}, nil, "8150", false, "+8150"},
		"a calling code that nobody has":         {[]string{"+21"}, nil, nil, "2100", false, "it is unassigned"},
		"international premium, whatever region": {[]string{"US"}, nil, []string{"premium"}, "979", false, "it is premium"},
	} {
		v := destinations(t, c.allow, c.deny, c.kinds).Judge(padded(c.digits))
		if v.Allowed != c.allowed || v.Rule != c.rule {
			t.Errorf("%s: allowed %t by %q of %+v, want %t by %q", name, v.Allowed, v.Rule, v.Number, c.allowed, c.rule)
		}
	}
}

func TestShortNumbersAreNeverRung(t *testing.T) {
	t.Parallel()
	d := destinations(t, []string{"US", "JP", "GB", "+1911", "+81110", "+44999"}, nil, nil)
	for _, number := range []string{"+1911", "+81110", "+81119", "+44999", "+44112", "+19", "+1", "+19110", "+811190", "+441120"} {
		if v := d.Judge(number); v.Allowed || v.Number.Kind != Emergency {
			t.Errorf("%s: %+v", number, v)
		}
	}
}

func TestARuleThatCannotBeMeantIsRefusedWithItsName(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"", "jp", "XX", "JPN", "81", "+", "+0", "+81x", "+ 81", "001", "\uff0b81", "+\uff18\uff11", "+" + strings.Repeat("1", 16)} {
		if _, err := NewDestinations([]string{rule}, nil, nil); err == nil {
			t.Errorf("%q is taken as an allowed rule", rule)
		}
		if _, err := NewDestinations(nil, []string{rule}, nil); err == nil {
			t.Errorf("%q is taken as a denied rule", rule)
		}
	}
	if _, err := NewDestinations(nil, []string{"JP"}, nil); err == nil {
		t.Error("a region is taken as a denied rule")
	}
	for _, kind := range []string{"ordinary", "emergency", "unassigned", "Premium", ""} {
		if _, err := NewDestinations(nil, nil, []string{kind}); err == nil {
			t.Errorf("%q is taken as a special kind", kind)
		}
	}
	whole := "+1202555" + "0100x"
	if _, err := NewDestinations([]string{whole}, nil, nil); err == nil || strings.Contains(err.Error(), "0100") {
		t.Errorf("the error shows the number: %v", err)
	}
}

// Around every line of the plan the verdict changes exactly where the plan says.
func TestEveryBoundaryOfThePlanIsJudgedByTheLongerPrefix(t *testing.T) {
	t.Parallel()
	for _, p := range lines() {
		digits, national, sized := strings.Cut(p.digits, "/")
		number := padded(digits)
		if sized {
			length, err := strconv.Atoi(national)
			if err != nil {
				t.Fatal(err)
			}
			code := Lookup(number).Code
			number = "+" + digits + strings.Repeat("0", length+len(code)-len(digits))
			if n := Lookup(number); n.Prefix == digits && n.Kind != p.kind {
				t.Errorf("%s: %s, want %s", p.digits, n.Kind, p.kind)
			}
			continue
		}
		n := Lookup(number)
		if len(p.digits) > len(n.Prefix) || !strings.HasPrefix(number[1:], n.Prefix) {
			t.Errorf("%s: decided by %q", p.digits, n.Prefix)
		}
		_, sized = find(fmt.Sprintf("%s/%02d", p.digits, len(number)-1-len(n.Code)))
		if n.Prefix == p.digits && n.Kind != p.kind && n.Kind != Emergency && !sized {
			t.Errorf("%s: %s, want %s", p.digits, n.Kind, p.kind)
		}
		if p.kind == "" || len(p.region) < 2 || len(p.digits) > longestPrefix {
			t.Errorf("line %+v", p)
		}
	}
	if len(lines()) < 1000 {
		t.Errorf("%d lines", len(lines()))
	}
}
