package model

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

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
func (*engineSide) Return(string, call.PaceSlot, time.Time) {}

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
	if x.Later {
		d.Source = call.SourceHTTP
	}
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
		place := e.start().Place
		if e.c.Messages[v.n&^holds].Later {
			place = e.start().Accept
		}
		ack = place(ctx, e.delivery(v.n&^holds)).Ack
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
