package connectemu

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
)

// Server is one emulated account and Region. It is an http.Handler for the Connect API, and its methods answer what tests want to
// know. All of it is safe for concurrent use. Make one with [New].
type Server struct {
	cfg    atomic.Pointer[Config]
	plan   atomic.Pointer[planState]
	keys   keyCache
	wire   wireLog
	truth  truthLog
	seq    atomic.Uint64
	closed context.Context
	close  context.CancelFunc

	// mu guards everything below.
	mu       sync.Mutex
	phones   map[string]Fate
	made     uint64
	order    []*contact // every contact
	rings    []*contact // those that ring; byNumber and byToken are indexes of them
	byID     map[string]*contact
	byNumber map[string][]*contact
	byToken  map[string][]*contact
	tokens   tokenStore
	// digitalTokens are those of operations whose contacts ring no phone.
	digitalTokens map[Operation]*tokenStore
	calls         map[string]*callCount
	buckets       map[Operation]*bucket
	events        eventQueue
	flows         flowState
}

// New returns an emulator with an empty history. An error wraps [ErrConfig] and names the field and the fix.
func New(config Config) (*Server, error) {
	cfg := config.withDefaults()
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := &Server{phones: maps.Clone(cfg.Phones)}
	if s.phones == nil {
		s.phones = make(map[string]Fate)
	}
	if s.flows.keys = maps.Clone(cfg.Keys); s.flows.keys == nil {
		s.flows.keys = make(map[string]string)
	}
	s.closed, s.close = context.WithCancel(context.Background())
	s.cfg.Store(&cfg)
	s.plan.Store(newPlanState(cfg.Faults, cfg.Seed))
	s.wire.init(cfg.WireLog)
	s.clearLocked()
	s.truth.to = cfg.TruthLog
	s.truth.write(TruthEvent{Kind: TruthBegin, At: cfg.Clock.Now().UTC()})
	return s, nil
}

// Close wakes every request that a fault keeps waiting; what they would have done is dropped. The history stays readable.
func (s *Server) Close() { s.close() }

// Reset forgets contacts, rings, tokens, rates and the wire log, and rewinds the fault plan. Configuration, phones and the plan
// stay, and contact ids go on, so that an id never means two contacts.
func (s *Server) Reset() {
	s.mu.Lock()
	s.clearLocked()
	s.truth.write(TruthEvent{Kind: TruthReset, At: s.cfg.Load().Clock.Now().UTC()})
	s.mu.Unlock()
	s.plan.Load().rewind()
	s.wire.clear()
}

func (s *Server) clearLocked() {
	s.order, s.rings = nil, nil
	s.byID = make(map[string]*contact)
	s.byNumber = make(map[string][]*contact)
	s.byToken = make(map[string][]*contact)
	s.tokens = newTokenStore()
	s.digitalTokens = make(map[Operation]*tokenStore)
	s.calls = make(map[string]*callCount)
	s.buckets = make(map[Operation]*bucket)
	s.events = eventQueue{wake: s.events.wake}
	s.events.wakeLocked()
	s.flows = flowState{keys: s.flows.keys, wake: s.flows.wake}
}

// Config returns the configuration at work, defaults filled in. It shares nothing with the server but Clock and Logger.
func (s *Server) Config() Config {
	return s.cfg.Load().withDefaults()
}

// Update changes the configuration while the emulator runs: change is given a copy, and what it leaves there takes effect with the
// next request. Clock, Logger, Seed, EventSink, FlowFunction, Phones, Keys, Faults, WireLog and TruthLog cannot be changed this way; see [Server.SetPhone],
// [Server.SetKeys] and [Server.SetPlan]. An error leaves everything as it was.
func (s *Server) Update(change func(*Config)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.cfg.Load()
	next := old.withDefaults()
	change(&next)
	next = next.withDefaults()
	next.Clock, next.Logger, next.Seed, next.EventSink = old.Clock, old.Logger, old.Seed, old.EventSink
	next.FlowFunction, next.Keys = old.FlowFunction, old.Keys
	next.Phones, next.Faults, next.WireLog, next.TruthLog = old.Phones, old.Faults, old.WireLog, old.TruthLog
	if err := next.check(); err != nil {
		return err
	}
	s.cfg.Store(&next)
	return nil
}

// SetPhone decides the fate of one number from now on. An error wraps [ErrConfig].
func (s *Server) SetPhone(number string, fate Fate) error {
	if err := checkPhone(number, fate); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phones[number] = fate
	return nil
}

// Phones returns the numbers whose fate was set, with their fates.
func (s *Server) Phones() map[string]Fate {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.phones)
}

// SetPlan replaces the fault plan; the new one starts counting at zero. An error wraps [ErrConfig].
func (s *Server) SetPlan(plan Plan) error {
	if err := plan.check(); err != nil {
		return err
	}
	s.plan.Store(newPlanState(plan, s.cfg.Load().Seed))
	return nil
}

// Plan returns the fault plan at work.
func (s *Server) Plan() Plan { return s.plan.Load().plan.clone() }

// FaultCounts returns, rule by rule, how many requests the plan has met since it was set or the server was reset.
func (s *Server) FaultCounts() []int { return s.plan.Load().counts() }

// EventFaultCounts returns, rule by rule of Plan.Events, how many events the plan has met since it was set or the server was reset.
func (s *Server) EventFaultCounts() []int { return s.plan.Load().eventCounts() }

// errNotMover is the answer to a request to move a clock that cannot be moved.
var errNotMover = errors.New("connectemu: the clock cannot be moved: start the emulator with a ManualClock or a RunningClock")

// mover returns the clock when it can be moved.
func (s *Server) mover() (Mover, error) {
	clock := s.cfg.Load().Clock
	m, ok := clock.(Mover)
	if !ok {
		return nil, fmt.Errorf("%w (it is a %T)", errNotMover, clock)
	}
	return m, nil
}
