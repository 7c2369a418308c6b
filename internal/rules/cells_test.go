package rules

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// shelf is cells in memory that fail in two ways: a write is lost, or it lands and its answer is lost.
type shelf struct {
	mu    sync.Mutex
	cells map[string]call.Cell
	reads int
	fault func(write int) (lost, unanswered bool)
	dead  bool
	sets  int
	naive bool // compares nothing: the planted defect

	meanwhile func() // what another process does between the next write and what was read for it, once
}

func newShelf() *shelf { return &shelf{cells: map[string]call.Cell{}} }

var errShelf = errors.New("the store does not answer")

func (s *shelf) Cell(_ context.Context, name string) (call.Cell, error) {
	if s.naive { // what is read grows old before it is written back
		defer runtime.Gosched()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.dead {
		return call.Cell{}, errShelf
	}
	c := s.cells[name]
	c.Name, c.Data = name, slices.Clone(c.Data)
	return c, nil
}

func (s *shelf) SetCell(_ context.Context, c call.Cell) (call.Cell, bool, error) {
	if act := s.meanwhile; act != nil {
		s.meanwhile = nil
		act()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sets++
	lost, unanswered := false, false
	if s.fault != nil {
		lost, unanswered = s.fault(s.sets)
	}
	if s.dead || lost {
		return call.Cell{}, false, errShelf
	}
	if !s.naive && s.cells[c.Name].Version != c.Version-1 {
		return s.cells[c.Name], false, nil
	}
	if len(c.Data) > call.MaxCellBytes {
		return call.Cell{}, false, errors.New("the cell is too large")
	}
	c.Data = slices.Clone(c.Data)
	s.cells[c.Name] = c
	if unanswered {
		return call.Cell{}, false, errShelf
	}
	return c, true, nil
}

func (s *shelf) ListCells(_ context.Context, prefix, after string, limit int) ([]call.Cell, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []call.Cell
	for name, c := range s.cells {
		if strings.HasPrefix(name, prefix) && name > after {
			found = append(found, c)
		}
	}
	slices.SortFunc(found, func(a, b call.Cell) int { return cmp.Compare(a.Name, b.Name) })
	return found[:min(len(found), limit)], nil
}

func (s *shelf) PruneCells(_ context.Context, now time.Time, limit int) (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, c := range s.cells {
		if n < limit && !c.Expires.IsZero() && c.Expires.Before(now) {
			delete(s.cells, name)
			n++
		}
	}
	return n, nil
}

func (s *shelf) die(dead bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead = dead
}

// dump returns everything that the cells hold, with their names.
func (s *shelf) dump() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	for name, c := range s.cells {
		b.WriteString(name + " " + string(c.Data) + "\n")
	}
	return b.String()
}

// counter makes different bytes each time.
type counter struct {
	mu sync.Mutex
	n  byte
}

func (c *counter) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	for i := range p {
		p[i] = c.n
	}
	return len(p), nil
}

var tickets = &counter{}

// gateOn returns a gate of one more process on the cells.
func gateOn(t testing.TB, cells call.Cells, change ...func(*GateConfig)) *Gate {
	t.Helper()
	c := GateConfig{
		Cells: cells, Names: NewCellNames([]byte("a secret of the test")), Random: tickets, Policy: func(string) Policy { return Policy{} },
	}
	for _, f := range change {
		f(&c)
	}
	return NewGate(c)
}

func capped(caps ...Cap) func(*GateConfig) { return func(c *GateConfig) { c.Caps = caps } }

func limited(limits ...Velocity) func(*GateConfig) { return func(c *GateConfig) { c.Limits = limits } }

func slotted(n int) func(*GateConfig) { return func(c *GateConfig) { c.Slots = n } }

func ruled(p Policy) func(*GateConfig) {
	return func(c *GateConfig) { c.Policy = func(string) Policy { return p } }
}

// aCall returns a call that was accepted at noon.
func aCall(id, number string) call.Call {
	c := call.Begin(id + strings.Repeat("x", 30))
	c.Key = call.Key{Kind: call.KindVoice, NotificationID: id, RecipientID: "user-1"}
	c.State, c.Destination, c.AcceptedAt, c.Target.Region = call.Received, number, noon, "us-east-1"
	return c
}

const (
	ada = "+819000000001"
	bob = "+447700900001"
)

var plainProfile = call.Profile{Name: "alert", Region: "us-east-1"}.WithDefaults()

func pass(t testing.TB, g *Gate, c call.Call, at time.Time) call.Clearance {
	t.Helper()
	v, err := g.Pass(t.Context(), c, plainProfile, at)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func mustPass(t testing.TB, g *Gate, c call.Call, at time.Time) string {
	t.Helper()
	v := pass(t, g, c, at)
	if !v.Passes() {
		t.Fatalf("%s is kept until %s: %s, %v", c.Key.NotificationID, v.Until, v.Why, v.Refuse)
	}
	return v.Ticket
}

func mustKeep(t testing.TB, g *Gate, c call.Call, at time.Time, why string) time.Time {
	t.Helper()
	v := pass(t, g, c, at)
	if v.Passes() || v.Why != why {
		t.Fatalf("%s: %+v, want it kept: %s", c.Key.NotificationID, v, why)
	}
	return v.Until
}
