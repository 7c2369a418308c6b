package transport

import (
	"errors"
	"fmt"
	"time"
)

const (
	longest     = 400 * day // of a late duplicate: more than a year, so that no window is long enough by luck
	mostLate    = 3         // of one message
	soonest     = time.Second
	soon        = 10 * time.Minute
	replayNamed = "after-the-outage"
)

var errNotArchived = errors.New("transport: only events of EventBridge and records of a stream can be read again")

// again draws what becomes of an acknowledged copy all the same.
func (n *Network) comesAgain(p *parcel, now time.Time) {
	if !p.twice && (p.way == WaySQS || p.way == WayAsync) && n.chance(n.profile.Duplicate) {
		// SQS: "you might receive that message copy again" after deleting it. Lambda: its queue is eventually consistent.
		p.twice = true
		n.reappear(p, CauseDuplicate, now.Add(n.spread(soonest, soon)))
	}
	if p.msg.late < mostLate && n.chance(n.profile.Late) {
		p.msg.late++
		n.comesLate(p, now.Add(n.spread(time.Hour, longest)))
	}
}

// comesLate plans the way back that is possible at that time.
func (n *Network) comesLate(p *parcel, at time.Time) {
	switch {
	case p.way == WaySQS && at.Before(p.Sent.Add(n.options.Retention)):
		n.reappear(p, CauseLate, at)
	case p.way.stream() && at.Before(p.Sent.Add(n.options.StreamRetention)):
		n.plan(p.msg, CauseLate, at, func(late *parcel, now time.Time) { n.reread(late, p, now) })
	case p.msg.route.archived():
		n.plan(p.msg, CauseReplay, at, func(replay *parcel, now time.Time) { n.replay(replay, now) })
	default:
		n.plan(p.msg, CauseRepublish, at, func(sent *parcel, now time.Time) { n.depart(sent, now) })
	}
}

// reappear delivers a copy of an acknowledged message once more, under the same ids and with the receives that the source counted.
func (n *Network) reappear(p *parcel, cause Cause, at time.Time) {
	twin := n.clone(p, cause)
	twin.state, twin.again, twin.tries = StatePlanned, false, 0
	twin.plan = func(twin *parcel, now time.Time) {
		n.count(cause)
		twin.state = StateQueued
		line := &n.lines[lineAgenda]
		if twin.way == WaySQS {
			line = &n.lines[lineQueue]
		}
		n.schedule(&twin.slot, line, now)
	}
	n.schedule(&twin.slot, &n.lines[lineAgenda], at)
}

func (n *Network) count(cause Cause) {
	if cause == CauseLate {
		n.counts.Late++
		return
	}
	n.counts.Duplicates++
}

// reread puts a record of a stream before the function again: the same sequence number, event id and arrival.
func (n *Network) reread(late, original *parcel, now time.Time) {
	n.counts.Late++
	late.state, late.Hops = StateQueued, original.Hops
	late.text, late.payload, late.ordinal = original.text, original.payload, original.ordinal
	n.join(late, n.shardOf(late), now)
}

// Replay starts a replay of the message from an archive of EventBridge: the time stays, replay-name is added, and the id stays or is new, which is
// not documented (facts/event-envelopes.md section 3). A record of a stream is read again as it is. Other forms fail: nobody keeps them.
func (n *Network) Replay(messageID string, now time.Time) error {
	n.reach(now)
	m := n.messages[messageID]
	switch {
	case m == nil:
		return fmt.Errorf("%w: %s", errUnknown, messageID)
	case m.route.archived():
		n.replay(n.parcel(m, CauseReplay), now)
	case m.route.way.stream() && now.Before(m.parcels[0].Sent.Add(n.options.StreamRetention)):
		n.reread(n.parcel(m, CauseLate), m.parcels[0], now)
	default:
		return fmt.Errorf("%w: %s is %s", errNotArchived, messageID, m.Form)
	}
	return nil
}

func (n *Network) replay(p *parcel, now time.Time) {
	n.counts.Replays++
	original := p.msg.parcels[0]
	p.replay, p.twice = true, true
	p.EventID, p.EventTime = original.EventID, original.EventTime
	if n.rng.IntN(2) == 0 {
		p.EventID = n.id()
	}
	p.payload = original.payload
	p.text = p.payload
	n.hand(p, now)
}
