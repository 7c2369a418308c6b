package service

import (
	"net/http"
	"sync"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/problem"
)

// reserveOf is which part of the requests that are answered at once no producer takes.
const reserveOf = 32

// shares is what producers may take of the requests that are answered at once, with what they have taken.
type shares struct {
	each int // of one producer
	all  int // of all of them together; what is left of the whole is the reserve of operators

	mu     sync.Mutex
	taken  map[string]int // by producer; one that has none is not in it
	taking int            // by all of them
}

// Shared lets each producer have at most half of l.Concurrent of its requests answered at once, and all producers together a little less than the whole, so that
// an operator is answered while they hold everything else. It belongs behind what finds out who asks ([access.Guard.Wrap]) and before whatever reads a body: a body
// that trickles counts until its end. Operators, and the embedded default where nobody is asked who they are, are not bounded by it. What it refuses counts in the
// metrics as what the service itself refuses.
func (l Limits) Shared(next http.Handler, m *Metrics) http.Handler {
	n := l.complete().Concurrent
	s := &shares{each: max(1, n/2), all: max(1, n-max(1, n/reserveOf)), taken: map[string]int{}}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, _ := access.From(r.Context())
		if who.Kind != access.Producer {
			next.ServeHTTP(w, r)
			return
		}
		if refused := s.take(who.Name); refused != nil {
			m.rejected.Inc()
			comeAgain(w, *refused)
			return
		}
		defer s.give(who.Name)
		next.ServeHTTP(w, r)
	})
}

// take takes a place for a request of a producer, or returns why there is none.
func (s *shares) take(producer string) *problem.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	var refused problem.Document
	switch {
	case s.taken[producer] >= s.each:
		refused = problem.New(http.StatusServiceUnavailable, "too_many_in_flight", "As many requests of this producer are being answered as it may have at once.",
			"Send fewer at once, and this one again after the time of Retry-After, with the same key.")
	case s.taking >= s.all:
		refused = overloaded()
	default:
		s.taken[producer]++
		s.taking++
		return nil
	}
	return &refused
}

func (s *shares) give(producer string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taking--
	if s.taken[producer]--; s.taken[producer] == 0 {
		delete(s.taken, producer)
	}
}
