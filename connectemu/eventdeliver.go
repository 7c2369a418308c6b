package connectemu

import (
	"container/heap"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"
)

// EventSink is where contact events go, such as an HTTP endpoint or a queue. Package connectemu/deliver has sinks.
type EventSink interface {
	// Deliver hands one event over. An error means that it may be tried again; events are delivered one after the other.
	Deliver(ctx context.Context, event Event) error
}

// EventOutcome is what became of an event.
type EventOutcome string

// The outcomes of an event.
const (
	// EventDelivered was taken by a sink or by TakeEvents.
	EventDelivered EventOutcome = "delivered"
	// EventLost was lost by the plan.
	EventLost EventOutcome = "lost"
	// EventFailed was refused by the sink each time.
	EventFailed EventOutcome = "failed"
)

// EventRecord is one line of the log of events.
type EventRecord struct {
	Event
	Outcome EventOutcome `json:"outcome"`
	// Error is what the sink said last.
	Error string `json:"error,omitzero"`
}

// How often a sink is tried, how long one try may take, and how long the emulator waits before the next, doubled each time.
const (
	eventTries     = 4
	eventPatience  = 10 * time.Second
	eventTryAgain  = time.Second
	eventLogLength = 10_000
)

// TakeEvents returns the events that are due, in the order of their delivery, and counts them as delivered. It is for tests and for
// programs that bring their own delivery; an emulator whose DeliverEvents runs leaves nothing to take.
func (s *Server) TakeEvents() []Event {
	cfg := s.cfg.Load()
	s.mu.Lock()
	defer s.mu.Unlock()
	var taken []Event
	for event, ok := s.dueLocked(cfg); ok; event, ok = s.dueLocked(cfg) {
		s.keepEventLocked(cfg, EventRecord{Event: event, Outcome: EventDelivered})
		taken = append(taken, event)
	}
	return taken
}

// Events returns what became of events, oldest first: at most the last 10,000.
func (s *Server) Events() []EventRecord {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]EventRecord{}, s.events.log...)
}

// dueLocked takes the next event whose time has come.
func (s *Server) dueLocked(cfg *Config) (Event, bool) {
	now := cfg.Clock.Now()
	s.happenLocked(cfg, now)
	q := &s.events
	if len(q.due) == 0 || q.due[0].Due.After(now) {
		return Event{}, false
	}
	event, ok := heap.Pop(&q.due).(Event)
	return event, ok
}

func (s *Server) keepEventLocked(cfg *Config, record EventRecord) {
	most := min(cfg.WireLog, eventLogLength)
	if most <= 0 {
		return
	}
	if log := s.events.log; len(log) >= most {
		s.events.log = append(log[:0], log[most/10+1:]...) // a tenth at once, so that not every event moves all
	}
	s.events.log = append(s.events.log, record)
}

// DeliverEvents hands events to Config.EventSink as they become due on the clock, until ctx ends, and returns the error of ctx. An
// event that the sink refuses is tried again a few times and then counts as failed. [Serve] runs it when there is a sink.
func (s *Server) DeliverEvents(ctx context.Context) error {
	if s.cfg.Load().EventSink == nil {
		return fmt.Errorf("%w: EventSink is nil: there is nowhere to deliver events to", ErrConfig)
	}
	for ctx.Err() == nil {
		cfg := s.cfg.Load()
		s.mu.Lock()
		event, ok := s.dueLocked(cfg)
		s.mu.Unlock()
		if ok {
			s.deliver(ctx, cfg, event)
			continue
		}
		s.awaitEvent(ctx, cfg)
	}
	return ctx.Err()
}

// awaitEvent sleeps until the next event is due or something was planned.
func (s *Server) awaitEvent(ctx context.Context, cfg *Config) {
	sleep, wake := context.WithCancel(ctx)
	defer wake()
	s.mu.Lock()
	next, ok := s.events.nextLocked()
	s.events.wake = wake
	s.mu.Unlock()
	if !ok {
		<-sleep.Done()
		return
	}
	_ = cfg.Clock.Sleep(sleep, next.Sub(cfg.Clock.Now())) // woken early is as good as in time: the caller looks again
}

func (s *Server) deliver(ctx context.Context, cfg *Config, event Event) {
	attempt, cancel := context.WithTimeout(ctx, eventPatience)
	err := cfg.EventSink.Deliver(attempt, event)
	cancel()
	record := EventRecord{Event: event, Outcome: EventDelivered}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		event.tries++
		record.Outcome, record.Error = EventFailed, err.Error()
		cfg.Logger.LogAttrs(ctx, slog.LevelWarn, "event not delivered", slog.String("type", string(event.Type)),
			slog.Int("tries", event.tries), slog.Any("error", err))
		if event.tries < eventTries {
			event.Due = cfg.Clock.Now().Add(eventTryAgain << (event.tries - 1))
			heap.Push(&s.events.due, event)
			return
		}
	}
	s.keepEventLocked(cfg, record)
}

// tellFirst delivers INITIATED of a contact that was just started, where the plan wants it before the API has answered.
func (s *Server) tellFirst(ctx context.Context, contactID string) {
	cfg := s.cfg.Load()
	if cfg.EventSink == nil || contactID == "" {
		return
	}
	var first []Event
	s.mu.Lock()
	s.happenLocked(cfg, cfg.Clock.Now())
	s.events.early = slices.DeleteFunc(s.events.early, func(event Event) bool {
		mine := event.ContactID == contactID
		if mine {
			first = append(first, event)
		}
		return mine
	})
	s.mu.Unlock()
	for _, event := range first {
		s.deliver(context.WithoutCancel(ctx), cfg, event)
	}
}
