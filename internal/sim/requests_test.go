package sim_test

import (
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
)

func TestALifeOfManyRequestsHasSoManyAndTheOracleAsksItTheSame(t *testing.T) {
	const requests, lives = 40, 4
	p := sim.Plan{World: sim.Light, Days: 60, Plain: true, Requests: requests}
	struck := 0
	for seed := range uint64(lives) {
		l, again := live(t, p, seed+1, t.TempDir(), false), live(t, p, seed+1, t.TempDir(), false)
		if l.Lifetimes != requests || len(l.Findings) > 0 || l.Trace != again.Trace {
			t.Errorf("seed %d has %d requests, the findings %q, and the traces %s and %s", seed+1, l.Lifetimes, l.Findings, l.Trace, again.Trace)
		}
		struck += l.Struck
	}
	if struck < lives*requests/2 {
		t.Errorf("three faults met %d of %d requests", struck, lives*requests)
	}
	p.Plant.Dialer = func(d call.Dialer) call.Dialer { return lyingDialer{d, call.ClassRefusedRequest} }
	found := 0
	for seed := range uint64(lives) {
		found += len(live(t, p, seed+1, t.TempDir(), false).Findings)
	}
	if found == 0 {
		t.Error("the oracle does not see a dialer that calls a lost answer a refusal")
	}
}
