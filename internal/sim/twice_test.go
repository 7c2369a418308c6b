package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
)

// hastyDialer waits before each request for as long as a counter says that no life knows: a nanosecond more each time.
type hastyDialer struct {
	call.Dialer
	outside *int
}

// Dial implements call.Dialer.
func (d hastyDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	*d.outside++
	time.Sleep(time.Duration(*d.outside))
	return d.Dialer.Dial(ctx, s)
}

// TestTwoLivesOfASeedThatDifferAreSeen plants a life that is not its seed's alone. Nothing else in it goes wrong.
func TestTwoLivesOfASeedThatDifferAreSeen(t *testing.T) {
	for _, world := range []string{sim.Light, sim.Full} {
		p, dir, outside := sim.Plan{World: world, Days: 30}, t.TempDir(), 0
		if l, differs := twice(t, p, 1, dir, false); differs != "" || l.Rings == 0 {
			t.Errorf("%s, as it ships: %d rings, %s", world, l.Rings, differs)
		}
		p.Plant.Dialer = func(d call.Dialer) call.Dialer { return hastyDialer{d, &outside} }
		if l, differs := twice(t, p, 1, dir, false); differs == "" || len(l.Findings) > 0 {
			t.Errorf("%s: two lives that differ by nanoseconds are taken for the same; %v", world, l.Findings)
		}
	}
}
