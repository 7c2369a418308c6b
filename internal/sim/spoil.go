package sim

import (
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim/transport"
)

// spoil lets things go wrong in an act.
func (g *generator) spoil(a Act) Act {
	verb := a.Verb
	if g.withdraws(a) {
		verb = "cancel"
	}
	api := g.overAPI(a)
	for g.chance(g.density / (1 + g.density)) {
		if s, ok := g.strike(verb); ok {
			if api {
				g.answering(&s)
			}
			a.Strikes = append(a.Strikes, s)
			a.Strikes = append(a.Strikes, g.onTheSpool(s)...)
		}
		if len(a.Strikes) >= 8 {
			break
		}
	}
	if g.wide && g.on(FaultCrash) && g.chance(0.3) {
		a.Strikes = append(a.Strikes, g.aimed(verb)...)
	}
	return a
}

// aimed lets the process die at the first of the rare effects that the act comes to, if it comes to one: a strike that is drawn for one of them
// alone hardly ever meets it.
func (g *generator) aimed(verb string) (aimed []Strike) {
	var names []string
	for _, kind := range g.rareNames(verb) {
		names = append(names, string(kind))
	}
	switch verb {
	case "sweep", "wake", "dial":
		names = append(names, "unspool", "stop")
		if g.w.Setting.After.tracks() {
			names = append(names, "joined", "escalated", "turn-confirmed")
		}
	case "cancel", "check-in", "deliver", "redeliver":
		names = append(names, "stop")
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		// Else the first of those that come together would always be the one.
		if g.chance(0.5) || slices.Contains([]string{"failed", "superseded", "joined", "unspool"}, name) {
			aimed = append(aimed, Strike{Do: "crash", Point: pick(g, "before ", "after ") + name})
		}
	}
	return aimed
}

// strike draws one fault of the kinds that are on.
func (g *generator) strike(verb string) (Strike, bool) {
	kind := g.draw(FaultCrash, FaultLedger, FaultLost, FaultLate, FaultThrottle, FaultRefusal, FaultPause, FaultTimeout, FaultMeanwhile)
	if kind == "" {
		return Strike{}, false
	}
	s := Strike{Nth: pick(g, 1, 1, 1, 2, 3)}
	switch kind {
	case FaultCrash:
		s.Do, s.Point = "crash", g.point(verb)
	case FaultLedger:
		s.Do, s.Point, s.Times = pick(g, "fail", "lose"), g.writeName(verb), pick(g, 1, 1, 2, 3, 5)
	case FaultPause:
		s.Do, s.Point, s.For = "pause", g.point(verb), g.between(time.Second, 9*day)
	case FaultTimeout:
		s.Do, s.For = "deadline", g.between(17*time.Second, time.Minute)
	case FaultMeanwhile:
		inner := g.meanwhile()
		s.Do, s.Point, s.Act = "meanwhile", g.point(verb), &inner
	default:
		s.Do, s.Nth = "phone", 1
		g.phoneFault(&s, kind)
	}
	return s, true
}

// withdraws reports whether an act delivers a cancel.
func (g *generator) withdraws(a Act) bool {
	return slices.ContainsFunc(a.Words, func(name string) bool {
		m := g.w.message(name)
		return m != nil && m.request.cancel
	})
}

// onTheSpool lets the process die around the spool, which it reaches only when the ledger does not take a fact for a while.
func (g *generator) onTheSpool(s Strike) []Strike {
	if s.Do != "fail" || s.Point != string(call.EventResult) || s.Times < 3 || !g.on(FaultCrash) {
		return nil
	}
	return []Strike{{Do: "crash", Point: pick(g, "before spool", "after spool")}}
}

// writeName draws the name of a write: mostly one of those that an act of the verb makes.
func (g *generator) writeName(verb string) string {
	if g.chance(0.12) {
		kinds := call.EventKinds()
		return string(kinds[g.rng.IntN(len(kinds))])
	}
	if g.w.Setting.Hints != HintsNone && g.chance(0.1) {
		return "wake"
	}
	if names := g.rareNames(verb); g.wide && names != nil && g.chance(0.15) {
		return string(pick(g, names...))
	}
	if names := g.afterNames(verb); names != nil {
		return pick(g, names...)
	}
	switch verb {
	case "cancel":
		return string(pick(g, call.EventCancelRequested, call.EventCancelRequested, call.EventTombstone, call.EventResult))
	case "contact-event":
		return string(call.EventContact)
	case "forget":
		return string(pick(g, call.EventForgetting, call.EventForgotten, call.EventForgotten))
	case "sweep", "wake", "dial":
		return string(pick(g, call.EventIntent, call.EventResult, call.EventResult, call.EventHeld, call.EventLooked, call.EventDoubted, call.EventContact))
	case "recall":
		return string(pick(g, call.EventRingOpened, call.EventAccepted, call.EventRingConfirmed, call.EventIntent, call.EventResult))
	}
	return string(pick(g, call.EventAccepted, call.EventAccepted, call.EventResult, call.EventResult, call.EventIntent, call.EventHeld, call.EventRingOpened))
}

// point draws an instant around an effect.
func (g *generator) point(verb string) string {
	if g.wide {
		return g.anyPoint(verb)
	}
	switch {
	case verb == "forget" && g.chance(0.3):
		return "before scrub"
	case verb == "cancel" && g.chance(0.3):
		return "before stop"
	case g.chance(0.25):
		return pick(g, "before dial", "after dial", "after dial")
	case (verb == "sweep" || verb == "wake") && g.chance(0.3):
		return pick(g, "before beat", "before search")
	case g.chance(0.1):
		return pick(g, "before stop", "before stop", "before spool", "after spool", "before unspool")
	}
	return pick(g, "before ", "after ") + g.writeName(verb)
}

// anyPoint draws among all effects.
func (g *generator) anyPoint(verb string) string {
	instant := pick(g, "before ", "after ")
	switch {
	case verb == "forget" && g.chance(0.3):
		return instant + "scrub"
	case verb == "cancel" && g.chance(0.3):
		return instant + "stop"
	case (verb == "contact-event" || verb == "check-in") && g.chance(0.3):
		return instant + "describe"
	case g.chance(0.25):
		return pick(g, "before dial", "after dial", "after dial")
	case (verb == "sweep" || verb == "wake") && g.chance(0.3):
		return instant + pick(g, "beat", "search", "describe")
	case g.chance(0.1):
		return instant + pick(g, "stop", "stop", "spool", "spool", "unspool")
	}
	return instant + g.writeName(verb)
}

// rareNames are the writes that acts of a verb make now and then, so that few strikes at them find something to strike.
func (g *generator) rareNames(verb string) []call.EventKind {
	var names []call.EventKind
	switch verb {
	case "deliver", "redeliver":
		names = []call.EventKind{call.EventBodyAttached, call.EventBodyAttached, call.EventSuperseded, call.EventRingConfirmed, call.EventExpired, call.EventFailed}
	case "contact-event", "check-in":
		names = []call.EventKind{call.EventContact}
	case "sweep", "wake", "dial":
		names = []call.EventKind{call.EventExpired, call.EventFailed, call.EventSuperseded, call.EventRingConfirmed, call.EventContact, call.EventDoubted}
	}
	if t := &g.w.truth; len(names) > 1 && t.restored && !t.closed { // what an interrupted recovery has left
		names = append(names, call.EventTainted, call.EventTainted, call.EventTainted, call.EventTainted)
	}
	return names
}

func (g *generator) phoneFault(s *Strike, kind string) {
	faults := connectemu.Faults()
	for {
		fault := faults[g.rng.IntN(len(faults))]
		if kindOfPhone(fault) != kind {
			continue
		}
		s.Point = fault.String()
		switch {
		case delayed(fault):
			s.For = g.between(time.Second, 10*time.Minute)
		case cuts(fault) && g.on(FaultPhone) && g.chance(0.3): // a restart
			s.For = g.outage()
		case fault == connectemu.Refuse:
			if code := pick(g, "", "", "AccessDeniedException", "ResourceNotFoundException", "DestinationNotAllowedException"); code != "" {
				s.Point += " " + code
			}
		case fault == connectemu.Throttle && g.chance(0.3):
			s.Point += " LimitExceededException"
		}
		if !g.digital(s, fault) && g.chance(0.1) {
			s.Point += " " + string(pick(g, connectemu.OpSearch, connectemu.OpDescribe, connectemu.OpStop))
		}
		s.Times = pick(g, 1, 1, 1, 2, 4)
		return
	}
}

// meanwhile draws what happens in the middle of an effect: another worker, or another invocation of the same one.
func (g *generator) meanwhile() Act {
	k := pick(g, g.w.workers...)
	switch g.rng.IntN(4) {
	case 0:
		return do("tick", pick(g, time.Second, 40*time.Second, 90*time.Second).String())
	case 1:
		if len(g.w.messages) > 0 {
			return do("redeliver", pick(g, g.w.messages...).name, "to="+k.name)
		}
	case 2:
		if len(g.w.messages) > 0 {
			s := pick(g, g.w.subjects...)
			return do("recall", s.name, k.name)
		}
	}
	if !g.w.Setting.Sweeper {
		return do("tick", "1.7s") // no time of its own: two waits that end together end in any order
	}
	return do("sweep", k.name)
}

// replayable reports whether somebody keeps the message.
func replayable(form transport.Form) bool {
	switch form { //nolint:exhaustive // nobody keeps the others
	case transport.EventBridge, transport.EventBridgeInSQS, transport.EventBridgeInSNS, transport.EventBridgeInSNSInSQS:
		return true
	}
	return false
}

// subjects makes the keys of a life.
func (g *generator) subjects(n int) {
	for i := range n {
		name := fmt.Sprintf("n%d", i+1)
		if i > 0 && g.chance(0.15) {
			name = fmt.Sprintf("n%d+again", g.rng.IntN(i)+1)
		}
		g.w.subject(name)
		g.twins(name)
	}
}
