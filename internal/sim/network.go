package sim

import (
	"slices"

	"github.com/ringonce/ringonce/internal/sim/transport"
)

// network is the sources of a world and what they still owe.
type network struct {
	*transport.Network

	taken *transport.Delivery // what the generator has drawn for the act that comes next
	owed  []string            // messages to be delivered whatever their sources believe: an archive is replayed after a restore
	last  map[string]verdict  // what each message was answered last
}

// verdict is the last answer to a message.
type verdict struct {
	acknowledged, refused bool
	said                  string
}

func newNetwork(seed uint64, o transport.Options) *network {
	return &network{Network: transport.New(random(seed, 3), o), last: map[string]verdict{}}
}

// again owes every message once more.
func (n *network) again(names []string) { n.owed = slices.Clone(names) }

// owe owes one message more.
func (n *network) owe(name string) {
	if !slices.Contains(n.owed, name) {
		n.owed = append(n.owed, name)
	}
}

// paid takes a message from what is owed.
func (n *network) paid(name string) {
	n.owed = slices.DeleteFunc(n.owed, func(owed string) bool { return owed == name })
}
