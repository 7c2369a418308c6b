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

func TestOneProducerHasHalfOfTheRequestsAndAllOfThemLeaveAReserve(t *testing.T) {
	t.Parallel()
	one, two, three := producer("one"), producer("two"), producer("three")
	for _, limit := range []struct{ concurrent, each, all int }{{1, 1, 1}, {2, 1, 1}, {3, 1, 2}, {4, 2, 3}, {8, 4, 7}, {64, 32, 62}, {0, 128, 248}} {
		c := newCrowd(t, limit.concurrent)
		for range 3 { // what was given back is there again
			in := 0
			fill := func(who access.Principal, want int) {
				t.Helper()
				for range want {
					if code, _ := c.asks(who); code != "" {
						t.Fatalf("%d at once: %s after %d", limit.concurrent, code, in)
					}
					in++
				}
			}
			fill(one, limit.each)
			if code, retry := c.asks(one); code != "503 too_many_in_flight" || retry != "1" {
				t.Errorf("%d at once: %q %q beyond the share", limit.concurrent, code, retry)
			}
			fill(two, min(limit.each, limit.all-in))
			fill(three, limit.all-in)
			if code, retry := c.asks(producer("another")); code != "503 overloaded" || retry != "1" {
				t.Errorf("%d at once: %q %q beyond all shares", limit.concurrent, code, retry)
			}
			fill(access.Principal{Kind: access.Operator, Name: "kim", Role: access.RoleOperate}, 1)
			c.leave(in)
		}
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
