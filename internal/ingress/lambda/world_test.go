package lambda

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// network is a telephone network under reading A1: a token that it knows returns its contact, every other one rings.
type network struct {
	takes time.Duration
	lose  func(attempt int) bool // the answer of the n-th wire request is lost, counted from 1

	throttle bool // every request is refused for its rate

	mu       sync.Mutex
	requests int
	rings    map[string]int    // by number
	contacts map[string]string // by token
}

func newNetwork() *network { return &network{rings: map[string]int{}, contacts: map[string]string{}} }

func (n *network) Prepare(o call.Order) ([]byte, error) {
	return []byte(o.Token + " " + o.Destination.Wire()), nil
}

func (n *network) Dial(ctx context.Context, s call.Send) call.Answer {
	var token, number string
	if _, err := fmt.Sscan(string(s.Body), &token, &number); err != nil {
		return call.Answer{Class: call.ClassRefusedRequest, Code: "invalid_request"}
	}
	n.mu.Lock()
	n.requests++
	if n.throttle {
		n.mu.Unlock()
		return call.Answer{Class: call.ClassThrottled, Code: "throttled"}
	}
	lost := n.lose != nil && n.lose(n.requests)
	contact, known := n.contacts[token]
	if !known {
		contact = fmt.Sprintf("contact-%d", len(n.contacts)+1)
		n.contacts[token] = contact
		n.rings[number]++
	}
	n.mu.Unlock()
	select {
	case <-time.After(n.takes):
	case <-ctx.Done():
		lost = true
	}
	if lost {
		return call.Answer{Class: call.ClassAmbiguous, Code: "timeout"}
	}
	return call.Answer{Class: call.ClassOK, ContactID: contact}
}

func (n *network) Describe(context.Context, call.Target, string) (call.Contact, error) {
	return call.Contact{}, call.ErrNotFound
}

func (n *network) Search(context.Context, call.Target, string, time.Time, time.Time) ([]call.Contact, error) {
	return nil, nil
}

func (n *network) Stop(context.Context, call.Target, string) error { return nil }

func (n *network) total() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	total := 0
	for _, rings := range n.rings {
		total += rings
	}
	return total
}

// seeded is randomness that repeats and may be read concurrently.
type seeded struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func (s *seeded) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Read(p)
}

func coreConfig(n *network, log call.Observer) call.Config {
	return call.Config{
		Dialer: n, Clock: bubbleClock{}, Pacer: call.NewPace(0, 1), Searches: call.NewPace(0.5, 1), Observer: log,
		Random: &seeded{r: rand.NewChaCha8([32]byte{7})},
		Profile: func(name string) (call.Profile, bool) {
			return call.Profile{Name: "alert", Region: "us-east-1", InstanceID: instanceID, Window: call.Window{For: 0}}, name == ""
		},
		Token: func(in call.TokenInput) (string, error) {
			sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%d", in.NotificationID, in.RecipientID, in.Ring))
			return hex.EncodeToString(sum[:]), nil
		},
		Identity: call.IdentityIDs, ReadFirst: true,
	}
}

// world is a handler on the real core.
type world struct {
	*Handler
	network *network
	log     *diary
	ledger  *memory.Ledger // nil without a ledger
}

func newWorld(tb testing.TB, mode call.Mode, n *network, change ...func(*call.Config)) *world {
	tb.Helper()
	w := &world{network: n, log: &diary{}}
	config := coreConfig(n, w.log)
	for _, f := range change {
		f(&config)
	}
	options := Options{Clock: bubbleClock{}, Observer: w.log, Mode: mode}
	var err error
	if mode == call.ModeNone {
		direct, directErr := call.NewDirect(config, nil)
		options.Placer, options.Keys, err = direct, direct, directErr
	} else {
		w.ledger = memory.New(memory.Options{})
		config.Ledger, config.Journal = w.ledger, w.ledger
		engine, engineErr := call.New(tb.Context(), config)
		options.Placer, options.Keys, options.Sweeper, options.Contacts, options.Wakes, err = engine, engine, engine, engine, engine, engineErr
	}
	if err != nil {
		tb.Fatal(err)
	}
	if w.Handler, err = New(options); err != nil {
		tb.Fatal(err)
	}
	return w
}
