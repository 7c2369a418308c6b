package transport

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// source is what the exam asks: a network, or one with a defect.
type source interface {
	Next() (time.Time, bool)
	Take(now time.Time) (Delivery, bool)
	Answer(deliveryID int, r Response, now time.Time) (Ruling, error)
	Statuses() []Status
}

// exam works for a source for a while, and says where it does not behave as the facts say.
type exam struct {
	src     source
	rng     *rand.Rand
	options Options
	ack     float64 // how often a record is acknowledged
	silent  float64 // how often there is no answer at all
	horizon time.Time

	found []string
	seen  map[string]*sight // by message and copy
	ended map[string]bool
}

// sight is the last delivery of a copy.
type sight struct {
	stamp        call.Stamp
	received     int
	item         string
	acknowledged bool
	silent       bool // it was not answered, so that the source may count it as it likes
}

func name(messageID string, copies int) string { return fmt.Sprintf("%s/%d", messageID, copies) }

func (e *exam) find(format string, args ...any) {
	if len(e.found) < 5 {
		e.found = append(e.found, fmt.Sprintf(format, args...))
	}
}

// sit runs until nothing happens any more, or the horizon.
func (e *exam) sit() []string {
	e.seen, e.ended = map[string]*sight{}, map[string]bool{}
	for range 20_000 {
		now, waiting := e.src.Next()
		if !waiting || now.After(e.horizon) || len(e.found) > 0 {
			break
		}
		d, ok := e.src.Take(now)
		if ok {
			e.look(d, now)
			e.reply(d, now)
		}
		e.check(now)
	}
	e.settle()
	return e.found
}

// look compares a delivery with the last one of each copy.
func (e *exam) look(d Delivery, now time.Time) {
	doc := envelope.Decode(d.Document, envelope.Options{Now: now})
	if len(doc.Records) != len(d.Records) {
		e.find("%d records in the document of %d", len(doc.Records), len(d.Records))
		return
	}
	for i, r := range d.Records {
		read, key := doc.Records[i], name(r.MessageID, r.Copy)
		last := e.seen[key]
		switch {
		case read.Verdict != envelope.VerdictOK:
			e.find("%s: %s %s", key, read.Verdict, read.Reason)
		case r.Received > 0 && (read.ReceiveCount == nil || *read.ReceiveCount != r.Received):
			e.find("%s: received %d, the document says %v", key, r.Received, read.ReceiveCount)
		case last == nil && r.Cause == CauseRetry:
			e.find("%s: the first delivery is called a retry", key)
		case last != nil && last.acknowledged && r.Cause != CauseRedrive:
			e.find("%s: delivered after it was acknowledged, as %s", key, r.Cause)
		case last != nil && r.Cause == CauseRetry && d.Way != WayHTTP && read.FirstRequestedEnvelopeOnly != last.stamp:
			e.find("%s: a retry changes the evidence from %v to %v", key, last.stamp, read.FirstRequestedEnvelopeOnly)
		case last != nil && r.Cause == CauseRetry && r.Received > 0 && (r.Received <= last.received || r.Item != last.item || r.Received > last.received+1 && e.options.Profile.Throttle == 0):
			e.find("%s: received %d as %s after %d as %s", key, r.Received, r.Item, last.received, last.item)
		}
		e.seen[key] = &sight{stamp: read.FirstRequestedEnvelopeOnly, received: r.Received, item: r.Item}
	}
}

// reply answers a delivery, or leaves it unanswered.
func (e *exam) reply(d Delivery, now time.Time) {
	if e.rng.Float64() < e.silent {
		for _, r := range d.Records {
			e.seen[name(r.MessageID, r.Copy)].silent = true
		}
		return
	}
	var failed []int
	for i := range d.Records {
		if e.rng.Float64() >= e.ack {
			failed = append(failed, i)
		}
	}
	response := Response{}
	switch {
	case len(failed) > 0 && !d.Way.Batched():
		response = refusal(d)
	case len(failed) > 0 && e.rng.IntN(4) == 0:
		response, failed = Response{Crashed: true}, nil
	case d.Way.Batched():
		response = failing(d, failed...)
	}
	ruling, err := e.src.Answer(d.ID, response, now.Add(time.Duration(e.rng.IntN(900))*time.Millisecond))
	if err != nil {
		e.find("%s: %v", d.Way, err)
		return
	}
	returned := response.Crashed || !d.Way.Batched() && len(failed) > 0
	for i, r := range d.Records {
		for _, j := range failed {
			returned = returned || i == j || d.Way.stream() && i > j
		}
		if returned && ruling.Acknowledged[i] {
			e.find("%s: acknowledged although it was returned", name(r.MessageID, r.Copy))
		}
		e.seen[name(r.MessageID, r.Copy)].acknowledged = ruling.Acknowledged[i]
		returned = response.Crashed || !d.Way.Batched() && len(failed) > 0
	}
}

// check looks at what every copy has become.
func (e *exam) check(now time.Time) {
	for _, s := range e.src.Statuses() {
		key := name(s.MessageID, s.Copy)
		last := e.seen[key]
		switch s.State {
		case StateDone:
			if last == nil || !last.acknowledged {
				e.find("%v: gone, and nobody acknowledged it", s)
			}
		case StateExpired:
			if !e.ended[key] && !e.mayExpire(s, now) {
				e.find("%v: expired at %v", s, now)
			}
			e.ended[key] = true
		case StatePlanned, StateTraveling, StateQueued, StateInFlight, StateDeadLetter:
			if s.Next.IsZero() {
				e.find("%v: nothing will ever happen to it", s)
			}
		case StateSwallowed:
		}
	}
}

// mayExpire says whether a source has reached the end of what it promises for a copy.
func (e *exam) mayExpire(s Status, now time.Time) bool {
	o := e.options.withDefaults()
	age := now.Sub(s.Hops.Sent)
	switch {
	case s.Hops.Sent.IsZero() && s.Delivered == 0:
		return o.NoDeadLetters // a service that gave up
	case s.Way == WayDirect || s.Way == WayHTTP:
		return s.Delivered >= o.ClientTries
	case s.Way == WayAsync:
		return o.NoDeadLetters && (s.Delivered > o.AsyncRetries || now.Sub(start) >= o.AsyncAge)
	case s.Way.stream():
		return age >= o.StreamRetention
	}
	return age >= o.Retention
}

// settle is the end: with everything over, each copy that was never acknowledged is accounted for.
func (e *exam) settle() {
	now, waiting := e.src.Next()
	for _, s := range e.src.Statuses() {
		if !waiting && !s.State.Final() {
			e.find("%v: nothing is due any more", s)
		}
		if waiting && now.Before(e.horizon) && len(e.found) == 0 {
			e.find("the exam ended at %v, before its horizon", now)
		}
	}
}
