package model

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
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

// modelSide runs moves in the model, one worker at a time.
type modelSide struct {
	m        *machine
	s        state
	replies  []reply
	searches [][]call.Contact
}

func newModelSide(c *Config) *modelSide {
	m := newMachine(c)
	return &modelSide{m: m, s: m.initial()}
}

// run makes a move. It reports whether the move means anything here.
func (x *modelSide) run(v move) bool {
	x.replies, x.searches = nil, nil
	m, s := x.m, &x.s
	w := &s.workers[0]
	switch v.kind { //nolint:exhaustive // the moves
	case doTick:
		for range v.points {
			if !m.apply(s, action{kind: doTick}) {
				return false
			}
		}
		return true
	case doDrift:
		return m.apply(s, action{kind: doDrift})
	case doSweep:
		if !m.apply(s, action{kind: doSweep, b: v.n}) {
			return false
		}
		claimed := m.row(s.rows[v.n]).Next != nil
		x.finish(w, v)
		if c := m.row(s.rows[v.n]); claimed && (!c.State.Final() || c.State == call.InDoubt) { // the engine goes on with the first row
			w.row = s.rows[v.n]
			m.walk(s, w)
			x.finish(w, v)
		}
		return true
	default:
		if !m.apply(s, action{kind: v.kind, b: v.n}) {
			return false
		}
		x.finish(w, v)
		return true
	}
}

func (x *modelSide) finish(w *worker, v move) {
	first := true
	for range most {
		switch w.pc { //nolint:exhaustive // only what the other side must be told
		case idle:
			return
		case atSend:
			x.dial(w, v, first)
			first = false
			continue
		case atSearch:
			x.search(w, v)
			continue
		}
		if !x.m.effect(&x.s, w, wayPlain) {
			break
		}
	}
	panic("the model's worker does not end")
}

func (x *modelSide) dial(w *worker, v move, first bool) {
	attempt, _ := x.m.attemptOf(w)
	r := reply{}
	r.notBefore, r.notAfter = call.SendBounds(*x.m.row(w.row), attempt)
	if !first || !x.m.effect(&x.s, w, v.way) {
		if !x.m.effect(&x.s, w, wayPlain) {
			panic("the model cannot dial")
		}
	}
	r.answer = call.Answer{Class: classes[w.class]}
	switch w.class {
	case classOK:
		r.answer.ContactID = contactID(w.contact)
	case classRefused:
		r.answer.Code = call.CodeDestinationRefused
	}
	x.replies = append(x.replies, r)
}

func (x *modelSide) search(w *worker, v move) {
	way := wayPlain
	if v.found {
		way = wayHit
	}
	if !x.m.effect(&x.s, w, way) && !x.m.effect(&x.s, w, wayPlain) && !x.m.effect(&x.s, w, wayHit) {
		panic("the model cannot search")
	}
	var found []call.Contact
	if w.pc == atMerge && w.then == thenContact {
		found = append(found, x.contact(w.contact))
	}
	x.searches = append(x.searches, found)
}

func (x *modelSide) contact(n uint8) call.Contact {
	c := x.s.contacts[n-1]
	return call.Contact{ID: contactID(n), CallID: x.m.naming[c.ring-1], Initiated: instant(c.at)}
}

// engineSide runs moves in the engine, on the ledger in memory. Each move is a process of its own.
type engineSide struct {
	t      *testing.T
	c      *Config
	ledger *memory.Ledger
	now    time.Time
	drift  bool
	held   bool
	random *uniqueRandom
	model  *modelSide // whose answers the telephone gives

	dials, searches int
	wrong           string
}

// uniqueRandom makes ids unique and spreads nothing.
type uniqueRandom struct{ n uint64 }

func (r *uniqueRandom) Read(p []byte) (int, error) {
	clear(p)
	if len(p) >= 8 {
		r.n++
		binary.BigEndian.PutUint64(p, r.n)
	}
	return len(p), nil
}

var _ io.Reader = (*uniqueRandom)(nil)

func (e *engineSide) Now() time.Time                                   { return e.now }
func (e *engineSide) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }
func (e *engineSide) Decided(_ context.Context, d call.Decided) {
	if d.What == "breach" {
		e.wrong = "the engine stopped itself: " + d.Reason
	}
}

// Reserve implements call.Pacer.
func (e *engineSide) Reserve(string, time.Time, time.Duration) (time.Duration, bool) {
	if e.held {
		return time.Second, false
	}
	return 0, true
}

// Return implements call.Pacer.
func (*engineSide) Return(string, time.Time, time.Time) {}

// Prepare implements call.Dialer.
func (e *engineSide) Prepare(o call.Order) ([]byte, error) {
	flow := "flow-1"
	if e.drift {
		flow = "flow-2"
	}
	return []byte(fingerprint(o.Attributes["params"]) + "|" + o.Token + "|" + flow), nil
}

// Dial implements call.Dialer.
func (e *engineSide) Dial(_ context.Context, s call.Send) call.Answer {
	if e.dials >= len(e.model.replies) {
		e.wrong = "the engine dials once more than the model"
		return call.Answer{Class: call.ClassAmbiguous}
	}
	r := e.model.replies[e.dials]
	e.dials++
	if !s.NotBefore.Equal(r.notBefore) || !s.NotAfter.Equal(r.notAfter) {
		e.wrong = fmt.Sprintf("the engine signs in [%s, %s], the model in [%s, %s]", s.NotBefore, s.NotAfter, r.notBefore, r.notAfter)
	}
	return r.answer
}

// Describe implements call.Dialer.
func (e *engineSide) Describe(_ context.Context, _ call.Target, id string) (call.Contact, error) {
	return e.model.contact(number(id)), nil
}

// Search implements call.Dialer.
func (e *engineSide) Search(context.Context, call.Target, string, time.Time, time.Time) ([]call.Contact, error) {
	if e.searches >= len(e.model.searches) {
		e.wrong = "the engine searches once more than the model"
		return nil, nil
	}
	e.searches++
	return e.model.searches[e.searches-1], nil
}

// Stop implements call.Dialer.
func (*engineSide) Stop(context.Context, call.Target, string) error { return nil }

func (e *engineSide) start() *call.Engine {
	p := e.c.profile()
	engine, err := call.New(context.Background(), call.Config{
		Ledger: e.ledger, Journal: e.ledger, Dialer: e, Clock: e, Pacer: e, Searches: call.NewPace(0, 0), Observer: e, Random: e.random, ReadFirst: e.random.n%2 == 0,
		Profile: func(string) (call.Profile, bool) { return p, true },
		Token:   func(in call.TokenInput) (string, error) { return tokenOf(uint8(in.Ring)), nil },
	})
	if err != nil {
		e.t.Fatal(err)
	}
	return engine
}

func (e *engineSide) delivery(n uint8) call.Delivery {
	x := &e.c.Messages[n]
	phone, err := call.ParsePhone(theNumber)
	if err != nil {
		e.t.Fatal(err)
	}
	d := call.Delivery{Source: call.SourceSQS, Request: call.Request{
		NotificationID: theKey.NotificationID, RecipientID: theKey.RecipientID, Destination: phone, NotAfter: x.notAfter(),
		Attributes: map[string]string{"params": x.Params},
	}}
	switch {
	case x.Tier == call.TierPayload:
		d.Request.RequestedAt = instant(x.Stamp)
	case x.Tier != call.TierNone:
		d.FirstRequested = x.stamp()
	}
	if x.Cancel {
		d.Request.Action, d.Request.Destination, d.Request.Attributes = call.ActionCancel, call.Phone{}, nil
	}
	return d
}

// run makes a move after the model made it.
func (e *engineSide) run(v move, before *state) call.Ack {
	ctx := context.Background()
	e.now = instant(e.model.s.now)
	e.dials, e.searches, e.held, e.drift = 0, 0, false, e.model.s.drifted
	if err := e.ledger.Beat(ctx, e.now); err != nil {
		e.t.Fatal(err)
	}
	ack := call.AckNever
	switch v.kind { //nolint:exhaustive // the moves
	case doDeliver:
		e.held = v.n&holds != 0
		ack = e.start().Place(ctx, e.delivery(v.n&^holds)).Ack
	case doSweep:
		if _, err := e.start().SweepRow(ctx, e.model.m.naming[v.n]); err != nil {
			e.wrong = err.Error()
		}
	case doClick:
		saw := before.saw
		if saw == 0 {
			saw = e.model.s.saw
		}
		e.start().Recall(ctx, e.model.m.naming[saw-1], call.Recall{Reason: "again"})
	case doEvent:
		if _, err := e.start().SawContact(ctx, call.Target{}, contactID(v.n+1)); err != nil {
			e.wrong = err.Error()
		}
	}
	if e.dials != len(e.model.replies) && e.wrong == "" {
		e.wrong = fmt.Sprintf("the engine dials %d times, the model %d times", e.dials, len(e.model.replies))
	}
	if e.searches != len(e.model.searches) && e.wrong == "" {
		e.wrong = fmt.Sprintf("the engine searches %d times, the model %d times", e.searches, len(e.model.searches))
	}
	return ack
}

// rows returns the rows of the engine's ledger in the model's words.
func (e *engineSide) rows() [maxRings]string {
	var rows [maxRings]string
	for ring := range rows {
		c, err := e.ledger.Get(context.Background(), e.model.m.naming[ring])
		if err != nil {
			continue
		}
		if c.Fingerprint != "" {
			c.Fingerprint = fingerprint(c.Attributes["params"])
		}
		c.Attributes = nil
		rows[ring] = plain(c)
	}
	return rows
}

func (x *modelSide) rows() [maxRings]string {
	var rows [maxRings]string
	for ring, id := range x.s.rows {
		if id != 0 {
			rows[ring] = plain(*x.m.row(id))
		}
	}
	return rows
}

// plain prints a row without what two runs cannot share: the hash chain and the names of attempts.
func plain(c call.Call) string {
	c.Head = ""
	c.Open = slices.Clone(c.Open)
	for i := range c.Open {
		if !c.Open[i].Phantom {
			c.Open[i].ID = fmt.Sprintf("open-%d", i)
		}
	}
	data, err := c.Encode()
	if err != nil {
		return err.Error()
	}
	return string(data)
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
				c.Messages = []Message{request(0).copies(200).until(window + 2*day), undated(0).copies(200), later, cancel(leaseOver).copies(200)}
				c.Budget = all
			})
			stages = append(stages, c)
			other := *c
			other.Messages = []Message{
				request(0).copies(200), request(0).params("B").copies(200),
				{Tier: call.TierNone, Cancel: true, Copies: 200}, {Made: 0, Stamp: window + hour, Tier: call.TierMessage, Params: "A", Copies: 200},
			}
			stages = append(stages, &other)
		}
	}
	return stages
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
					walk(append(prefix[:len(prefix):len(prefix)], v), next, depth-1)
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
