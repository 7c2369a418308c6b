package transport

import (
	"math/rand/v2"
	"time"
)

// Reset makes the network empty again, for another world with the same options: as New does, without paying for what documents have in common.
func (n *Network) Reset(rng *rand.Rand, p Profile) {
	n.rng, n.profile, n.options.Profile = rng, p, p
	n.counts, n.now = Counts{}, time.Time{}
	n.ids, n.seq, n.flown, n.ordinals = 0, 0, 0, 0
	for i := range n.lines {
		clear(n.lines[i].slots)
		n.lines[i].slots = n.lines[i].slots[:0]
	}
	clear(n.lanes)
	clear(n.messages)
	clear(n.order)
	n.order = n.order[:0]
	clear(n.flights)
	clear(n.dedups)
}
