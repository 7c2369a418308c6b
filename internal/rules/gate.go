package rules

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Policy is what the gate asks of a profile beside the limits that all share.
type Policy struct {
	// Hours returns the first instant from now on at which the recipient of the call may be rung; false when there is none in sight. Nil
	// allows every time. See [InZone].
	Hours func(c call.Call, now time.Time) (at time.Time, ok bool, err error)
	// Urgent lets an urgent request pass hours, a pause of its profile and caps; ListedToo also the do-not-call list. A person who releases a
	// call needs no Urgent.
	Urgent, ListedToo bool
	// Uncapped calls are counted, and not kept by caps.
	Uncapped bool
	// Lease is when a concurrency slot is free again though nothing has told so; zero means the longest call of the profile.
	Lease time.Duration
}

// InZone returns hours in the time zone of each recipient: see [Zone].
func InZone(h *Hours, profileZone string) func(c call.Call, now time.Time) (time.Time, bool, error) {
	return func(c call.Call, now time.Time) (time.Time, bool, error) {
		zone, _, err := Zone(c, profileZone)
		if err != nil {
			return time.Time{}, false, err
		}
		at, ok := h.Next(now, zone)
		return at, ok, nil
	}
}

// GateConfig is what a gate is made of. Cells, Names, Random and Policy are required.
type GateConfig struct {
	Cells  call.Cells
	Names  CellNames
	Random io.Reader                   // of tickets; safe for concurrent use
	Policy func(profile string) Policy // by the name of a profile in the configuration
	Caps   []Cap                       // of each number
	Limits []Velocity                  // of prefixes, producers and caller ids, in calls or in money
	// Callers are the caller ids of all profiles: where a call that ended without a ring may have been counted.
	Callers []string
	Slots   int // contacts at once in a Region; zero means no limit

	Countries bool // tell the first call to each country
}

// Gate implements [call.Gate]. It decides by pure functions from what the cells hold, and takes by compare-and-set, so that any number of
// processes on one ledger keep one limit. It is safe for concurrent use.
type Gate struct {
	GateConfig

	board  *board
	list   *DoNotCall
	alarms *Alarms

	countries *countries
	secret    atomic.Bool // was compared
	mu        sync.Mutex
	prefix    string // of every ticket of this process; empty before the first
	count     uint64
}

var _ call.Gate = (*Gate)(nil)

// NewGate returns a gate.
func NewGate(c GateConfig) *Gate {
	return &Gate{GateConfig: c, board: &board{cells: c.Cells}, list: NewDoNotCall(c.Cells, c.Names), alarms: NewAlarms(c.Cells, c.Names), countries: &countries{cells: c.Cells}}
}

// takes reports whether there is a limit for which a pass takes something.
func (g *Gate) takes() bool { return len(g.Caps) > 0 || len(g.Limits) > 0 || g.Slots > 0 }

// ticket returns a name of one pass, unique over all processes.
func (g *Gate) ticket() (string, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.prefix == "" {
		var b [8]byte
		if _, err := io.ReadFull(g.Random, b[:]); err != nil {
			return "", fmt.Errorf("read randomness: %w", err)
		}
		g.prefix = hex.EncodeToString(b[:])
	}
	g.count++
	return g.prefix + strconv.FormatUint(g.count, 36), nil
}

// Look implements [call.Gate].
func (g *Gate) Look(ctx context.Context, c call.Call, p call.Profile, now time.Time) (call.Clearance, error) {
	v, err := g.judge(ctx, c, p, now)
	return v.Clearance, err
}

// Pass implements [call.Gate].
func (g *Gate) Pass(ctx context.Context, c call.Call, p call.Profile, now time.Time) (call.Clearance, error) {
	v, err := g.judge(ctx, c, p, now)
	if err != nil {
		return call.Clearance{}, err
	}
	if v.reached != nil {
		return g.reach(ctx, v, now)
	}
	if v.Passes() && g.takes() {
		ticket, err := g.ticket()
		if err != nil {
			return call.Clearance{}, err
		}
		a := asking{c: c, p: p, row: rowOf(c.ID), now: now, ticket: ticket, policy: g.Policy(p.Name), capped: v.capped, since: v.since}
		kept, err := g.take(ctx, a)
		if err != nil || !kept.Passes() {
			g.Return(context.WithoutCancel(ctx), c, a.ticket, now)
			return kept, err
		}
		if v.Ticket = a.ticket; g.byCaller() {
			v.Ticket += ticketCaller + CallerOf(p)
		}
	}
	if v.Passes() {
		v.NewCountry = g.newCountry(ctx, c, now)
	}
	return v.Clearance, nil
}

// ticketCaller is between a ticket as the cells know it and the caller id that it was taken for: no row tells that one.
const ticketCaller = " "

func (g *Gate) byCaller() bool {
	return slices.ContainsFunc(g.Limits, func(v Velocity) bool { return v.Caller != "" })
}

// Return implements [call.Gate].
func (g *Gate) Return(ctx context.Context, c call.Call, ticket string, now time.Time) {
	ticket, caller, told := strings.Cut(ticket, ticketCaller)
	callers := g.Callers
	if told {
		callers = []string{caller}
	}
	g.free(ctx, c, ticket)
	for _, limit := range g.Limits {
		for _, one := range limit.countedIn(c, callers) {
			_ = changeCell(ctx, g.Cells, g.velocityCell(one), func(s *speed) (bool, time.Time, error) { // what stays runs out by itself
				changed := s.drop(rowOf(c.ID), ticket, now)
				return changed, s.expires(one, now), nil
			})
		}
	}
	if len(g.Caps) > 0 && g.counts(c) {
		_ = changeCell(ctx, g.Cells, g.capCell(c), func(r *rings) (bool, time.Time, error) {
			before := len(r.Takes)
			r.Takes = r.Takes.without(rowOf(c.ID), ticket)
			return len(r.Takes) != before, r.expires(g.Caps, now), nil
		})
	}
}

// Free implements [call.Gate].
func (g *Gate) Free(ctx context.Context, c call.Call, _ time.Time) { g.free(ctx, c, "") }

func (g *Gate) free(ctx context.Context, c call.Call, ticket string) {
	if g.Slots <= 0 || !c.Key.Kind.NeedsNumber() || c.Target.Region == "" {
		return
	}
	_ = changeCell(ctx, g.Cells, slotsCell(c.Target.Region), func(s *slots) (bool, time.Time, error) { // its lease ends
		before := len(s.Takes)
		s.Takes = s.Takes.without(rowOf(c.ID), ticket)
		return len(s.Takes) != before, time.Time{}, nil
	})
}

// List puts a number on the do-not-call list. It acts on the next dial of this process, and within switchesAge on those of others.
func (g *Gate) List(ctx context.Context, number call.Phone, e DoNotCallEntry) error {
	_, err := g.list.Add(ctx, number, e)
	g.board.forget()
	return err
}

// Rehearse implements [call.GateRehearser].
func (g *Gate) Rehearse() call.Gate {
	c := g.GateConfig
	c.Cells = &overlay{Cells: g.Cells, written: map[string]call.Cell{}}
	twin := NewGate(c)
	twin.prefix = "rehearsed" // its tickets never leave it, and take no randomness from anybody
	return twin
}

// Resumed implements [call.Gate].
func (g *Gate) Resumed(ctx context.Context, now time.Time) bool { return g.board.resumed(ctx, now) }

// reach pauses what a velocity limit is about, or keeps the call alone, and alarms once.
func (g *Gate) reach(ctx context.Context, v verdict, now time.Time) (call.Clearance, error) {
	limit := *v.reached
	told := call.Clearance{Until: v.Until, Why: v.Why}
	if !limit.Stops {
		if g.alarms.First(ctx, "velocity"+limit.id(), now) {
			told.Alarm = "Limit reached: " + limit.String() + ". Calls wait until it allows more."
		}
		return told, nil
	}
	target := limit.target()
	engaged, err := Pause(ctx, g.Cells, Switch{Target: target, By: "velocity limit", At: now, Why: limit.String()})
	if err != nil {
		return call.Clearance{}, err
	}
	g.board.forget()
	told.Until, told.Why = now, target.why()
	if engaged {
		told.Alarm = "Limit reached: " + limit.String() + ". They are paused until a person resumes them: ringonce resume."
	}
	return told, nil
}
