package model

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// move is one act of the comparison: it runs to its end, in the model and in the engine.
type move struct {
	kind   kind
	n      uint8 // message, ring or contact
	way    uint8 // of the first dial; what follows it is accepted
	found  bool  // searches find what is there
	points int   // of a tick: how many
}

func (v move) String() string {
	return fmt.Sprintf("{kind %d of %d, way %d, found %t, %d points}", v.kind, v.n, v.way, v.found, v.points)
}

// reply is what the model let Amazon Connect answer, and the bounds of the signature that it was given.
type reply struct {
	answer              call.Answer
	notBefore, notAfter time.Time
}

// compare runs moves on both sides and returns the first difference.
func compare(t *testing.T, c *Config, moves []move, random *uniqueRandom) (made int, difference string) {
	t.Helper()
	x := newModelSide(c)
	e := &engineSide{t: t, c: c, ledger: memory.New(memory.Options{}), random: random, model: x}
	for i, v := range moves {
		before := x.s
		if v.kind == doBackup {
			// What happens between the backup and the restore is what the restored ledger has forgotten: the engine's ledger never sees it.
			x.m.apply(&x.s, action{kind: doBackup})
			for _, forgotten := range moves[i+1:] {
				if forgotten.kind == doRestore {
					break
				}
				x.run(forgotten)
			}
			x.m.apply(&x.s, action{kind: doRestore})
			if err := e.ledger.BeginRecovery(context.Background(), *x.m.recovery(x.s.recovery)); err != nil {
				t.Fatal(err)
			}
			rest := slices.IndexFunc(moves, func(v move) bool { return v.kind == doRestore })
			return made, cmpFrom(x, e, moves[rest+1:], &made)
		}
		if difference := cmpOne(x, e, v, &before, &made); difference != "" {
			return made, difference
		}
	}
	return made, ""
}

func cmpFrom(x *modelSide, e *engineSide, moves []move, made *int) string {
	for _, v := range moves {
		before := x.s
		if difference := cmpOne(x, e, v, &before, made); difference != "" {
			return difference
		}
	}
	return ""
}

func cmpOne(x *modelSide, e *engineSide, v move, before *state, made *int) string {
	if v.kind == doDeliver && v.n&holds != 0 && x.s.rows[0] != 0 {
		return "" // the model knows pacing of new keys only
	}
	if !x.run(v) {
		x.s = *before
		return ""
	}
	*made++
	ack := e.run(v, before)
	if e.wrong != "" {
		return e.wrong
	}
	if got, want := e.rows(), x.rows(); got != want {
		return fmt.Sprintf("the rows differ\nengine: %s\nmodel:  %s", strings.Join(got[:], "\n        "), strings.Join(want[:], "\n        "))
	}
	if v.kind == doDeliver {
		was, is := before.messages[v.n&^holds].acked, x.s.messages[v.n&^holds].acked
		if done := ack == call.AckDone || ack == call.AckRefuse; !was && done != is {
			return fmt.Sprintf("the engine answers %s, the model acknowledges: %t", ack, is)
		}
	}
	return ""
}

// stages are the worlds of the comparison.
func stages() []*Config {
	all := Budget{
		Lost: 9, Refuse: 9, Throttle: 9, Setup: 9, NotSent: 9, Hold: 9, Drift: 9, Click: 9, Restore: 2, Event: 9, Attempts: 60,
	}
	var stages []*Config
	for _, resend := range []call.Resend{call.ResendToken, call.ResendEvidence, call.ResendNever} {
		for _, most := range []int{0, 2} {
			c := world("lockstep "+string(resend), "", func(c *Config) {
				c.Resend, c.MaxAttempts, c.Misses, c.Consumes = resend, most, true, true
				c.Window, c.Rings, c.Workers, c.Journal = tenDays, maxRings, 1, true
				c.Points = []int32{0, 30, leaseOver, settled, callOver, callOver + 25*hour, useOver, tokenOver, window + hour, window + 7*day, 2*window + day}
				later := request(window + hour).copies(200)
				c.Messages = []Message{request(0).copies(200).until(window + 2*day), undated().copies(200), later, cancel(leaseOver).copies(200)}
				c.Budget = all
			})
			stages = append(stages, c)
			other := *c
			other.Messages = []Message{
				request(0).copies(200), request(0).other().copies(200),
				{Tier: call.TierNone, Cancel: true, Copies: 200},
				{Made: 0, Stamp: window + hour, Tier: call.TierMessage, Params: "A", Copies: 200},
			}
			stages = append(stages, &other, overHTTP(c), overHTTP(&other))
		}
	}
	return stages
}

// overHTTP is the same world whose requests are accepted first.
func overHTTP(c *Config) *Config {
	o := *c
	o.Name, o.Messages = "accept "+c.Name, slices.Clone(c.Messages)
	for i := range o.Messages {
		o.Messages[i].Later = true
	}
	return &o
}

// moves is the alphabet of the comparison.
func alphabet() []move {
	moves := []move{
		{kind: doTick, points: 1}, {kind: doTick, points: 3}, {kind: doTick, points: 6}, {kind: doDrift}, {kind: doClick}, {kind: doEvent},
	}
	for n := range uint8(maxMessages) {
		moves = append(moves, move{kind: doDeliver, n: n})
	}
	moves = append(moves, move{kind: doDeliver, n: holds})
	for _, way := range []uint8{wayAnswerLost, wayRefused, wayThrottled, waySetup, wayNotSent} {
		moves = append(moves, move{kind: doDeliver, way: way}, move{kind: doDeliver, n: 2, way: way})
	}
	for ring := range uint8(3) {
		moves = append(moves, move{kind: doSweep, n: ring}, move{kind: doSweep, n: ring, way: wayAnswerLost}, move{kind: doSweep, n: ring, way: wayThrottled},
			move{kind: doSweep, n: ring, way: wayRefused}, move{kind: doSweep, n: ring, found: true})
	}
	return moves
}

// lockstepDepth is the length of the stories that are all compared: 3, or what RINGONCE_LOCKSTEP says. Length 4 is 4.3 million moves.
func lockstepDepth(t *testing.T) int {
	t.Helper()
	text := os.Getenv("RINGONCE_LOCKSTEP")
	if text == "" {
		return 3
	}
	depth, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return depth
}

func TestTheEngineWritesTheRowsOfTheModel(t *testing.T) {
	t.Parallel()
	random := &uniqueRandom{}
	letters := alphabet()
	total := 0
	for _, c := range stages() {
		var walk func(prefix []move, x modelSide, depth int)
		walk = func(prefix []move, x modelSide, depth int) {
			if depth == 0 {
				made, difference := compare(t, c, prefix, random)
				total += made
				if difference != "" {
					t.Fatalf("%s, at most %d attempts, after %v: %s", c.Name, c.MaxAttempts, prefix, difference)
				}
				return
			}
			for _, v := range letters {
				next := x
				if next.run(v) && next.s != x.s { // what is not possible here makes no story
					walk(append(slices.Clip(prefix), v), next, depth-1)
				}
			}
		}
		walk(nil, *newModelSide(c), lockstepDepth(t))
	}
	t.Logf("%d moves compared, every possible sequence of %d of %d moves in %d worlds", total, lockstepDepth(t), len(letters), len(stages()))
}

func TestTheEngineWritesTheRowsOfTheModelInLongStories(t *testing.T) {
	t.Parallel()
	random := &uniqueRandom{}
	rng := rand.New(rand.NewPCG(7, 11))
	letters := alphabet()
	total := 0
	for _, c := range stages() {
		for seed := range 150 {
			var moves []move
			for range 24 {
				v := letters[rng.IntN(len(letters))]
				if v.kind == doTick && rng.IntN(2) == 0 {
					v.points = 1
				}
				moves = append(moves, v)
			}
			if seed%2 == 0 {
				moves[4+rng.IntN(4)], moves[9+rng.IntN(6)] = move{kind: doBackup}, move{kind: doRestore}
			}
			made, difference := compare(t, c, moves, random)
			total += made
			if difference != "" {
				t.Fatalf("%s, at most %d attempts, seed %d, after %v: %s", c.Name, c.MaxAttempts, seed, moves, difference)
			}
		}
	}
	t.Logf("%d moves compared", total)
}
