package service

import (
	"net/http"
	"sync"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/problem"
)

// reserveOf is which part of the requests that are answered at once no producer takes and, once more, which part is left to operators alone.
const reserveOf = 32

// shares is what each kind of asker may take of the requests that are answered at once, with what is taken.
type shares struct {
	each      int // of one asker
	producers int // of all producers together; what follows is for the reports of flows too
	outside   int // of producers and reporters together; what follows is the reserve of operators
	late      int // of all; what follows is for operators who have nothing answered yet

	mu     sync.Mutex
	taken  map[asker]int // one that has none is not in it
	taking map[access.Kind]int
}

// asker is whose share it is. A producer, a reporter and an operator of one name are three.
type asker struct {
	kind access.Kind
	name string
}

// Shared lets each asker have at most half of l.Concurrent of its requests answered at once. All producers together have a little less than the whole, so that the
// report of a flow is answered while they hold everything else, which may be the confirmation of a call; producers and reporters together leave a reserve to
// operators, and the last half of that is for an operator who has none answered yet, so that one cannot shut out the next. It belongs behind what finds out who asks
// ([access.Guard.Wrap]) and before whatever reads a body: a body that trickles counts until its end. The embedded default, where nobody is asked who they are, is not
// bounded by it. What it refuses counts in the metrics as what the service itself refuses.
func (l Limits) Shared(next http.Handler, m *Metrics) http.Handler {
	s := newShares(l.complete().Concurrent)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who, _ := access.From(r.Context())
		if who.Anonymous || who.Kind == "" {
			next.ServeHTTP(w, r)
			return
		}
		one := asker{who.Kind, who.Name}
		if refused := s.take(one); refused != nil {
			m.rejected.Inc()
			comeAgain(w, *refused)
			return
		}
		defer s.give(one)
		next.ServeHTTP(w, r)
	})
}

func newShares(n int) *shares {
	reserve := max(1, n/reserveOf)
	return &shares{
		each: max(1, n/2), producers: max(1, n-2*reserve), outside: max(1, n-reserve), late: max(1, n-reserve/2),
		taken: map[asker]int{}, taking: map[access.Kind]int{},
	}
}

// take takes a place for a request of somebody, or returns why there is none.
func (s *shares) take(who asker) *problem.Document {
	s.mu.Lock()
	defer s.mu.Unlock()
	var refused problem.Document
	switch {
	case s.taken[who] >= s.each:
		refused = problem.New(http.StatusServiceUnavailable, "too_many_in_flight", "As many requests of yours are being answered as one asker may have at once.",
			"Send fewer at once, and this one again after the time of Retry-After, with the same key.")
	case s.full(who):
		refused = overloaded()
	default:
		s.taken[who]++
		s.taking[who.kind]++
		return nil
	}
	return &refused
}

// full reports whether what is left is not for this one.
func (s *shares) full(who asker) bool {
	outside := s.taking[access.Producer] + s.taking[access.Reporter]
	switch who.kind {
	case access.Producer:
		return s.taking[access.Producer] >= s.producers || outside >= s.outside
	case access.Reporter:
		return outside >= s.outside
	case access.Operator:
		return outside+s.taking[access.Operator] >= s.late && s.taken[who] > 0
	}
	return false
}

func (s *shares) give(who asker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taking[who.kind]--
	if s.taken[who]--; s.taken[who] == 0 {
		delete(s.taken, who)
	}
}
