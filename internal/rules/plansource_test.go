package rules

import (
	"os"
	"slices"
	"strings"
	"testing"
)

func TestScenarioV65ThePlanSaysWhatItWasMadeOfAndWhen(t *testing.T) {
	t.Parallel()
	p := PlanOf()
	module, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(module), "\t"+p.Source+" "+p.Version+"\n") { // an upgrade of the library without go generate
		t.Errorf("the plan is of %s %s, go.mod requires another version", p.Source, p.Version)
	}
	if p.Released.Year() < 2026 || p.Prefixes < 1000 || !strings.Contains(p.Zones, "tz database") {
		t.Errorf("the plan says %+v", p)
	}
}

func TestPrefixesThatAreAllowedBeyondThePlanAreListed(t *testing.T) {
	t.Parallel()
	d := destinations(t, []string{"JP", "+8160", "+8190", "+4420", "+1900", "+81200", "+999"}, nil, []string{"pager"})
	want := []string{"+1900 (premium)", "+8160 (personal)", "+999 (unassigned)"}
	if got := d.Beyond(); !slices.Equal(got, want) {
		t.Errorf("beyond the plan: %q, want %q", got, want)
	}
}
