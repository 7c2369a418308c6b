package rules

import (
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// from returns the profile with a caller id.
func from(name, number string) call.Profile {
	p := plainProfile
	p.Name, p.SourcePhone = name, number
	return p
}

const (
	front = "+12025550100"
	back  = "+12025550101"
)

func passFrom(t *testing.T, g *Gate, c call.Call, p call.Profile) call.Clearance {
	t.Helper()
	v, err := g.Pass(t.Context(), c, p, noon)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestEachCallerIDHasACountOfItsOwn(t *testing.T) {
	t.Parallel()
	g := gateOn(t, newShelf(), limited(Velocity{Caller: Each, Most: 2, Per: time.Hour}, Velocity{Caller: back, Most: 1, Per: time.Hour}))
	for n, c := range []struct {
		profile call.Profile
		why     string
	}{
		{from("alert", front), ""},
		{from("other", front), ""},
		{from("alert", front), call.HeldVelocity}, // two profiles share the caller id
		{from("back", back), ""},
		{from("back", back), call.HeldVelocity}, // its own limit is lower
		{from("none", ""), ""},
		{from("none", ""), ""},
		{from("none", ""), ""}, // nobody knows which number is shown
	} {
		if v := passFrom(t, g, aCall(fmt.Sprint("n", n), ada), c.profile); v.Why != c.why {
			t.Errorf("call %d: %+v, want %q", n, v, c.why)
		}
	}
	queue := from("queue", "")
	queue.QueueID = "its number is shown"
	for n, why := range []string{"", "", call.HeldVelocity} {
		if v := passFrom(t, g, aCall(fmt.Sprint("queued", n), ada), queue); v.Why != why {
			t.Errorf("call %d of a queue: %+v, want %q", n, v, why)
		}
	}
	chat := aCall("chat", "")
	chat.Key.Kind = call.KindChat
	if v := passFrom(t, g, chat, from("alert", front)); !v.Passes() {
		t.Errorf("a chat shows no caller id: %+v", v)
	}
}

func TestACallerIDThatReachesItsLimitPausesTheProfileThatAsked(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	g := gateOn(t, cells, limited(Velocity{Caller: Each, Most: 1, Per: time.Hour, Stops: true}))
	passFrom(t, g, aCall("a", ada), from("alert", front))
	if v := passFrom(t, g, aCall("b", ada), from("alert", front)); v.Why != call.HeldPausedProfile || v.Alarm == "" {
		t.Errorf("%+v", v)
	}
	if v := passFrom(t, g, aCall("c", ada), from("back", back)); !v.Passes() {
		t.Errorf("another caller id: %+v", v)
	}
	if v := passFrom(t, g, aCall("d", ada), from("other", front)); v.Why != call.HeldPausedProfile || v.Alarm == "" {
		t.Errorf("another profile with the same caller id: %+v", v)
	}
	urgent := aCall("e", ada)
	urgent.Released = "a person"
	if v := passFrom(t, g, urgent, from("alert", front)); v.Why != call.HeldPausedProfile {
		t.Errorf("who passes the pause is kept by the limit: %+v", v)
	}
	at := noon.Add(time.Minute)
	if changed, err := Resume(t.Context(), cells, Switch{Target: Target{TargetProfile, "alert"}, By: "ada", At: at, Why: "it was meant"}); err != nil || !changed {
		t.Fatal(changed, err)
	}
	v, err := g.Pass(t.Context(), aCall("f", ada), from("alert", front), at.Add(time.Second))
	if err != nil || !v.Passes() {
		t.Errorf("resumed: %+v, %v", v, err)
	}
}

// No row says with which caller id it was dialed: the ticket does, and for a call that ended all of them are looked at.
func TestWhatACallerIDCountedIsGivenBack(t *testing.T) {
	t.Parallel()
	cells := newShelf()
	limit := limited(Velocity{Caller: Each, Most: 1, Per: time.Hour})
	g := gateOn(t, cells, limit)
	ended := gateOn(t, cells, limit, func(c *GateConfig) { c.Callers = []string{back, front} })
	for n := range 3 {
		c := aCall(fmt.Sprint("n", n), ada)
		v := passFrom(t, g, c, from("alert", front))
		if !v.Passes() {
			t.Fatalf("%+v", v)
		}
		g.Return(t.Context(), c, v.Ticket, noon)
		c = aCall(fmt.Sprint("ends", n), ada)
		if v = passFrom(t, g, c, from("alert", front)); !v.Passes() {
			t.Fatalf("%+v", v)
		}
		ended.Return(t.Context(), c, "", noon)
	}
	c := aCall("slot", ada)
	s := gateOn(t, newShelf(), limit, slotted(1))
	v := passFrom(t, s, c, from("alert", front))
	s.Return(t.Context(), c, v.Ticket, noon)
	if v = passFrom(t, s, aCall("next", ada), from("alert", front)); !v.Passes() {
		t.Errorf("the slot was not given back: %+v", v)
	}
}

// Limits that were counted before there were caller ids and money keep their names, and so their counts.
func TestTheCountOfAnOlderLimitIsFound(t *testing.T) {
	t.Parallel()
	for want, limit := range map[string]Velocity{
		"8190\x00\x001h0m0s":       {Prefix: "8190", Per: time.Hour},
		"\x00orders\x0024h0m0s":    {Producer: "orders", Per: 24 * time.Hour},
		"8190\x00orders\x001h0m0s": {Prefix: "8190", Producer: "orders", Per: time.Hour},
	} {
		if got := limit.id(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	known := map[string]bool{}
	c := of("orders", aCall("n", ada))
	for _, v := range []Velocity{
		{Producer: "orders"},
		{Producer: Each},
		{Caller: front},
		{Caller: Each},
		{Producer: Each, Caller: Each},
		{Producer: "orders", Caller: front},
		{Producer: "orders", Prices: tariff},
		{Producer: Each, Prices: tariff},
		{Prices: tariff},
		{},
	} {
		one, counts := v.one(c, from("alert", front))
		if id := one.id(); !counts || known[id] {
			t.Errorf("%+v has the count of another limit", v)
		} else {
			known[id] = true
		}
	}
}
