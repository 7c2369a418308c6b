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

func TestASimulationOfManySeedsIsAskedForWhatItMustReach(t *testing.T) {
	t.Parallel()
	light, full := sim.Plan{World: sim.Light}, sim.Plan{World: sim.Full}
	plain, chosen := sim.Plan{World: sim.Light, Plain: true, Requests: 80}, sim.Plan{World: sim.Light, Reading: "A1"}
	for _, c := range []struct {
		plan        sim.Plan
		seeds, want int
	}{
		{light, 1999, 0},
		{light, 2000, len(sim.Required())},
		{full, 999, 0},
		{full, 1000, len(sim.RequiredFull())},
		{plain, 1999, 0},
		{plain, 2000, len(sim.RequiredPlain())},
		{chosen, 2000, 0},
		{sim.Plan{World: sim.Full, Plain: true}, 1000, 0},
	} {
		tally := sim.NewTally()
		tally.Seeds = c.seeds
		if got := len((&simulateCommand{}).missing(c.plan, tally)); got != c.want {
			t.Errorf("%+v, %d seeds that reached nothing: %d names, want %d", c.plan, c.seeds, got, c.want)
		}
	}
	if len(sim.RequiredFull()) < 150 || len(sim.RequiredPlain()) < 120 {
		t.Errorf("%d of full and %d of plain lives are few", len(sim.RequiredFull()), len(sim.RequiredPlain()))
	}
}
