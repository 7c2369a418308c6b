package connectemu

import (
	"container/heap"
	"time"
)

// occurrence is a moment of a contact that has not been turned into events yet. It is void once the contact's plans have changed.
type occurrence struct {
	moment
	order   uint64
	contact *contact
	plans   int
}

// occurrences is a heap.Interface with the next one on top; moments at one time keep the order in which they were planned.
type occurrences []occurrence

func (h occurrences) Len() int { return len(h) }

func (h occurrences) Less(i, j int) bool {
	if c := h[i].at.Compare(h[j].at); c != 0 {
		return c < 0
	}
	return h[i].order < h[j].order
}

func (h occurrences) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *occurrences) Push(x any) {
	if o, ok := x.(occurrence); ok {
		*h = append(*h, o)
	}
}

// Pop implements heap.Interface.
func (h *occurrences) Pop() any {
	last := len(*h) - 1
	o := (*h)[last]
	(*h)[last] = occurrence{}
	*h = (*h)[:last]
	return o
}

// waiting is a heap.Interface of events with the next delivery on top.
type waiting []Event

func (h waiting) Len() int { return len(h) }

func (h waiting) Less(i, j int) bool {
	if c := h[i].Due.Compare(h[j].Due); c != 0 {
		return c < 0
	}
	return h[i].Seq < h[j].Seq
}

func (h waiting) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *waiting) Push(x any) {
	if e, ok := x.(Event); ok {
		*h = append(*h, e)
	}
}

// Pop implements heap.Interface.
func (h *waiting) Pop() any {
	last := len(*h) - 1
	e := (*h)[last]
	(*h)[last] = Event{}
	*h = (*h)[:last]
	return e
}

// eventQueue is what contacts will tell. Its zero value is ready.
type eventQueue struct {
	ahead   occurrences
	due     waiting
	planned uint64  // occurrences
	seq     uint64  // deliveries
	early   []Event // of starts that have not been answered
	log     []EventRecord
	// wake ends the sleep of DeliverEvents, nil while it is awake.
	wake func()
}

func (q *eventQueue) planLocked(m moment, c *contact) {
	q.planned++
	heap.Push(&q.ahead, occurrence{m, q.planned, c, c.plans})
	q.wakeLocked()
}

func (q *eventQueue) wakeLocked() {
	if q.wake != nil {
		q.wake()
		q.wake = nil
	}
}

// nextLocked returns when something happens or is delivered next. Void occurrences may make it too early.
func (q *eventQueue) nextLocked() (next time.Time, ok bool) {
	if len(q.ahead) > 0 {
		next, ok = q.ahead[0].at, true
	}
	if len(q.due) > 0 && (!ok || q.due[0].Due.Before(next)) {
		next, ok = q.due[0].Due, true
	}
	return next, ok
}

// planEventsLocked plans what a contact has not told yet. Earlier plans are void.
func (s *Server) planEventsLocked(c *contact) {
	c.plans++
	for _, m := range c.moments() {
		if !c.told[m.kind] {
			s.events.planLocked(m, c)
		}
	}
}

// happenLocked turns everything that has happened by now into events.
func (s *Server) happenLocked(cfg *Config, now time.Time) {
	for q := &s.events; len(q.ahead) > 0 && !q.ahead[0].at.After(now); {
		o, ok := heap.Pop(&q.ahead).(occurrence)
		if !ok || o.plans != o.contact.plans && o.kind != EventDataUpdated {
			continue
		}
		if o.kind != EventDataUpdated {
			if o.contact.told == nil {
				o.contact.told = make(map[EventType]bool)
			}
			o.contact.told[o.kind] = true
		}
		s.tellLocked(cfg, o.contact, o.moment)
	}
}
