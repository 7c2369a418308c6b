package sim

import (
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/rules"
)

// findLocked notes a finding; w.mu is held.
func (w *World) findLocked(parts ...string) { w.findings = append(w.findings, strings.Join(parts, "")) }

// judgeFollowing sees, before a write becomes durable, that what comes after a ring comes after its end, and that nothing follows a doubt; w.mu is
// held.
func (w *World) judgeFollowing(write call.Write) {
	t := &w.truth
	rule := write.Entry.Kind == call.EventRingOpened && write.Row.Next != nil && write.Row.Next.Cause == call.CauseRule
	if !rule && write.Entry.Kind != call.EventEscalated {
		return
	}
	before, known := t.row(write.Row.ID)
	if known && before.LastRing > 0 {
		before, known = t.row(call.Naming{}.Row(before.Key, before.LastRing))
	}
	switch name := w.names[before.ID]; {
	case !known:
	case before.State == call.InDoubt:
		w.findLocked("an automaton rings after ", name, ", which is in doubt")
	case !before.State.Final():
		w.findLocked("an automaton rings after ", name, ", which is ", string(before.State))
	}
}

// pauseActs is how long after it was ordered a pause acts in every process.
const pauseActs = time.Second

// judgeDial sees when a dial was decided on that nothing kept it: a pause, quiet hours, an acknowledgment further up a list; w.mu is held.
func (w *World) judgeDial(c call.Call, attempt string, intent int) {
	t := &w.truth
	a, known := t.life.attempts[attempt]
	if !known || !c.Key.Kind.NeedsNumber() {
		return
	}
	urgent := c.Released != "" || (c.Urgent && w.Setting.After.Urgent)
	for _, p := range t.life.paused {
		began := p.since.Add(pauseActs)
		over := !p.until.IsZero() && !a.at.Before(p.until)
		if began.After(a.at) || (over && !p.forgotten) || !holds(p.target, c) || (urgent && p.target.Kind == rules.TargetProfile) {
			continue
		}
		if over {
			w.counts[ExcusedPause]++
		} else {
			w.findLocked(w.names[c.ID], " was dialed at ", short(a.at), " although ", string(p.target.Kind), " is paused since ", short(p.since))
		}
	}
	if w.Setting.After.Hours != "" && !urgent {
		if zone := w.zoneOf(c); !allows(spaced(w.Setting.After.Hours), zone, a.at.Add(a.skew)) {
			w.findLocked(w.names[c.ID], " was dialed in quiet hours: ", a.at.Add(a.skew).In(zone).Format("Mon 15:04:05"))
		}
	}
	w.judgeAbove(c, intent)
}

// holds reports whether a pause is about a call.
func holds(target rules.Target, c call.Call) bool {
	switch target.Kind {
	case rules.TargetAll:
		return true
	case rules.TargetPrefix:
		return strings.HasPrefix(c.Destination, target.Name)
	case rules.TargetProfile:
		return target.Name == c.Profile
	case rules.TargetProducer:
		return target.Name == c.Producer
	}
	return false
}

// zoneOf returns where the person is whom a call rings: where the request says, else where the number belongs.
func (w *World) zoneOf(c call.Call) *time.Location {
	name := w.Setting.After.zoneOfCountry()
	if c.Zone != "" {
		name = c.Zone
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		panic(err) // the zones of a world exist
	}
	return zone
}

// judgeAbove sees that a call of an escalation list is not dialed after somebody further up acknowledged; w.mu is held.
func (w *World) judgeAbove(c call.Call, intent int) {
	t := &w.truth
	first, _ := t.row(call.Naming{}.Row(c.Key, 0))
	if known, acked := t.life.acked[first.ID]; acked && intent > known.seq && meant(known.at, c) {
		w.findLocked(w.names[c.ID], " was dialed after it was acknowledged")
	}
	for from := first.EscalatedFrom; from != ""; {
		if known, acked := t.life.acked[from]; acked && intent > known.seq && meant(known.at, c) {
			w.findLocked(w.names[c.ID], " was dialed after ", w.names[from], " was acknowledged")
			return
		}
		above, _ := t.row(from)
		from = above.EscalatedFrom
	}
}
