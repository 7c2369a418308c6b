package cli

import (
	"testing"

	"github.com/ringonce/ringonce/internal/sim"
)

func TestASimulationLivesNoMoreSeedsThanItsLifetimesTake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ seeds, struck, lifetimes, want int }{
		{2000, 126_000, 200_000, 1175},
		{2000, 199_999, 200_000, 1},
		{10, 1, 200_000, 10_000},
		{10, 0, 200_000, 10_000},
	} {
		if got := stillToLive(&sim.Tally{Seeds: c.seeds, Struck: c.struck}, c.lifetimes, 10_000); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}
