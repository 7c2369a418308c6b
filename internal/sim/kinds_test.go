package sim_test

import (
	"context"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim"
)

// kindSeeds are the seeds of `make test` with contacts of every kind.
const kindSeeds = 100

func TestNoSeedDoesSoWithContactsOfEveryKind(t *testing.T) {
	first, count := seeds(t, kindSeeds)
	tally := explore(t, sim.Plan{World: sim.Full, Days: 60, Kinds: true}, first, count)
	if count < kindSeeds {
		return
	}
	for _, name := range []string{
		"contact of VOICE", "contact of CHAT", "contact of TASK", "chat placed", "task placed", "chat in_doubt", "task in_doubt", "chat canceled", "task failed",
		"chat by event", "task by event", "task by search", "task placed after several attempts", "restored",
	} {
		if tally.Counts[name] == 0 {
			t.Errorf("no seed reached: %s", name)
		}
	}
	t.Logf("%d lifetimes, %d met by three faults\n%s", tally.Lifetimes, tally.Struck, tally.Faults)
}

// plantedKinds are what a world of kinds must see.
func plantedKinds() []planted {
	return []planted{
		{"kinds share a token", func() sim.Plant {
			return sim.Plant{KindToken: func(_ call.Kind, token string) string { return token }}
		}, "another call has its token", true},
		{"kinds share a key", func() sim.Plant {
			return sim.Plant{Ledger: func(l call.Ledger) call.Ledger { return oneKind{l} }}
		}, "is not in the ledger", true},
		{"profiles change their kind", func() sim.Plant { return sim.Plant{KindShift: true} }, "and is of kind voice", true},
		{"every contact is made as a call's", func() sim.Plant {
			return sim.Plant{Dialer: func(d call.Dialer) call.Dialer { return voiceDialer{d} }}
		}, "became a contact of VOICE", true},
		{"a chat's lost answer is sent again", func() sim.Plant {
			return sim.Plant{Dialer: func(d call.Dialer) call.Dialer { return eagerDialer{d} }}
		}, "rings for one call", true},
	}
}

func TestEachPlantedDefectOfKindsIsSeen(t *testing.T) {
	for _, d := range plantedKinds() {
		t.Run(d.name, func(t *testing.T) {
			seed, finding := firstSight(t, sim.Plan{World: sim.Full, Days: 60, Kinds: true}, d, kindSeeds)
			if finding == "" {
				t.Fatalf("%d seeds do not see %q", kindSeeds, d.sees)
			}
			t.Logf("seed %d: %s", seed, finding)
		})
	}
}

// oneKind keeps the rows of all kinds under the id of the call.
type oneKind struct{ call.Ledger }

// Create implements call.Ledger.
func (l oneKind) Create(ctx context.Context, w call.Write) (call.Written, error) {
	key := w.Row.Key
	key.Kind = call.KindVoice
	w.Row.ID = call.Naming{}.Row(key, w.Row.Ring)
	w.Entry.RowID = w.Row.ID
	return l.Ledger.Create(ctx, w)
}

// voiceDialer takes every kind for a call, as a dialer would that never learned about others.
type voiceDialer struct{ call.Dialer }

// Prepare implements call.Dialer.
func (d voiceDialer) Prepare(o call.Order) ([]byte, error) {
	o.Profile.Kind, o.Profile.QueueID = call.KindVoice, "33333333-3333-4333-8333-333333333333"
	if o.Destination.IsZero() {
		number, err := call.ParsePhone("+819000000001")
		if err != nil {
			return nil, err
		}
		o.Destination = number
	}
	return d.Dialer.Prepare(o)
}

// Dial implements call.Dialer.
func (d voiceDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	s.Kind = call.KindVoice
	return d.Dialer.Dial(ctx, s)
}
