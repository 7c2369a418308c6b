package sim_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/sim"
)

// TestLivesHaveClocksThatDriftAndClocksThatAreFarOff sees that both are drawn, in a few lives.
func TestLivesHaveClocksThatDriftAndClocksThatAreFarOff(t *testing.T) {
	drawn, dir := map[string]bool{}, t.TempDir()
	p := sim.Plan{World: sim.Light, Wide: true, Days: 30, Faults: []string{sim.FaultSkew}}
	for seed := uint64(1); seed <= 60; seed++ {
		for _, a := range live(t, p, seed, dir, false).Acts {
			if a.Verb != "skew" {
				continue
			}
			if slices.ContainsFunc(a.Values, func(v sim.Value) bool { return v.Name == "drift" && strings.TrimPrefix(v.Text, "-") == "500" }) {
				drawn["a drift"] = true
			}
			drawn[a.Words[1]] = true
		}
	}
	for _, want := range []string{"a drift", "3h0m0s", "-3h0m0s", "48h0m0s", "-48h0m0s", "8760h0m0s", "-8760h0m0s", "4m0s", "7m0s"} {
		if !drawn[want] {
			t.Errorf("no life of 60 draws %s", want)
		}
	}
}
