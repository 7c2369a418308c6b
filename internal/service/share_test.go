package service_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/service"
)

// crowdOf is a handler behind the shares, whose requests stay until they are let go.
type crowdOf struct {
	t       *testing.T
	handler http.Handler
	begun   chan struct{}
	goOn    chan struct{}
	ended   chan struct{}
	panics  bool
}

func newCrowd(t *testing.T, concurrent int) *crowdOf {
	t.Helper()
	c := &crowdOf{t: t, begun: make(chan struct{}), goOn: make(chan struct{}), ended: make(chan struct{})}
	c.handler = service.Limits{Concurrent: concurrent}.Shared(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		c.begun <- struct{}{}
		<-c.goOn
		if c.panics {
			panic(http.ErrAbortHandler)
		}
	}), service.NewMetrics("v1"))
	return c
}

// asks sends a request that stays, or returns the code and the wait with which it was refused.
func (c *crowdOf) asks(who access.Principal) (code, retry string) {
	c.t.Helper()
	w := httptest.NewRecorder()
	refused := make(chan struct{})
	stays := false
	go func() {
		defer func() {
			_ = recover()
			if w.Body.Len() > 0 {
				close(refused)
				return
			}
			c.ended <- struct{}{}
		}()
		ctx := access.With(context.Background(), who)
		c.handler.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/calls", http.NoBody))
	}()
	select {
	case <-c.begun:
		stays = true
	case <-refused:
	}
	if stays {
		return "", ""
	}
	_, rest, _ := strings.Cut(w.Body.String(), `"code":"`)
	code, _, _ = strings.Cut(rest, `"`)
	return fmt.Sprintf("%d %s", w.Code, code), w.Header().Get("Retry-After")
}

// leave lets so many requests end.
func (c *crowdOf) leave(n int) {
	for range n {
		c.goOn <- struct{}{}
		<-c.ended
	}
}

// fills lets so many requests of somebody in, and fails when one is refused.
func (c *crowdOf) fills(who access.Principal, want int) {
	c.t.Helper()
	for n := range want {
		if code, _ := c.asks(who); code != "" {
			c.t.Fatalf("%s %s: %s after %d of %d", who.Kind, who.Name, code, n, want)
		}
	}
}

// refuses fails unless a request of somebody is told to come again.
func (c *crowdOf) refuses(who access.Principal, want string) {
	c.t.Helper()
	if code, retry := c.asks(who); code != "503 "+want || retry != "1" {
		c.t.Errorf("%s %s: %q %q, want %s", who.Kind, who.Name, code, retry, want)
	}
}

func TestOneProducerHasHalfOfTheRequestsAndAllOfThemLeaveAReserve(t *testing.T) {
	t.Parallel()
	one, two, three := producer("one"), producer("two"), producer("three")
	for _, limit := range []struct{ concurrent, each, all int }{{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {4, 2, 2}, {8, 4, 6}, {64, 32, 60}, {0, 128, 240}} {
		c := newCrowd(t, limit.concurrent)
		for range 3 { // what was given back is there again
			c.fills(one, limit.each)
			c.refuses(one, "too_many_in_flight")
			second := min(limit.each, limit.all-limit.each)
			c.fills(two, second)
			c.fills(three, limit.all-limit.each-second)
			c.refuses(producer("another"), "overloaded")
			c.fills(operator("kim"), 1)
			c.leave(limit.all + 1)
		}
	}
}

// TestAReporterHasAShareBesideThatOfProducersAndLeavesTheReserveOfOperators: what reports flows can hold neither the places of operators nor all of the others.
func TestAReporterHasAShareBesideThatOfProducersAndLeavesTheReserveOfOperators(t *testing.T) {
	t.Parallel()
	flow, other := reporter("flow"), reporter("other")
	c := newCrowd(t, 64)
	for range 3 {
		c.fills(flow, 32)
		c.refuses(flow, "too_many_in_flight")
		c.fills(other, 30)
		c.refuses(reporter("third"), "overloaded")
		c.refuses(producer("one"), "overloaded")
		c.fills(operator("kim"), 1)
		c.leave(63)
		c.fills(producer("one"), 32) // a storm of requests leaves room for a confirmation
		c.fills(producer("two"), 28)
		c.refuses(producer("two"), "overloaded")
		c.fills(flow, 2)
		c.refuses(flow, "overloaded")
		c.fills(operator("flow"), 1) // of one name, and somebody else
		c.leave(63)
	}
}

func TestOneOperatorHasHalfOfTheRequestsAndLeavesTheLastPlacesToTheNext(t *testing.T) {
	t.Parallel()
	kim, olga := operator("kim"), operator("olga")
	c := newCrowd(t, 128)
	for range 3 {
		c.fills(kim, 64)
		c.refuses(kim, "too_many_in_flight")
		c.leave(64)
		c.fills(producer("one"), 64)
		c.fills(producer("two"), 56)
		c.fills(kim, 6) // up to two of the four places of the reserve, and those of reporters
		c.refuses(kim, "overloaded")
		c.fills(olga, 1)
		c.refuses(olga, "overloaded")
		c.fills(operator("ada"), 1)
		c.leave(128)
	}
}

func TestNobodyIsBoundedWhereNobodyIsAsked(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 2)
	for n := range 10 {
		if code, _ := c.asks(access.Local()); code != "" {
			t.Fatalf("%s after %d", code, n)
		}
	}
	c.leave(10)
}

func TestARequestThatPanicsGivesItsPlaceBack(t *testing.T) {
	t.Parallel()
	c := newCrowd(t, 2)
	c.panics = true
	for n := range 5 {
		if code, _ := c.asks(producer("one")); code != "" {
			t.Fatalf("%s after %d", code, n)
		}
		c.leave(1)
	}
}

func producer(name string) access.Principal {
	return access.Principal{Kind: access.Producer, Name: name, KeySpace: name}
}

func reporter(name string) access.Principal {
	return access.Principal{Kind: access.Reporter, Name: name}
}

func operator(name string) access.Principal {
	return access.Principal{Kind: access.Operator, Name: name, Role: access.RoleOperate}
}
