package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// stands is a clock that stands still, so that all calls are due at one instant.
type stands struct{ at time.Time }

func (c stands) Now() time.Time                             { return c.at }
func (c stands) Sleep(context.Context, time.Duration) error { return nil }

// accepts asks for so many calls of the shop, which wait for somebody who dials.
func (w *world) accepts(n int) (ids []string) {
	w.t.Helper()
	for len(ids) < n {
		var items []string
		for i := range min(500, n-len(ids)) {
			items = append(items, strings.Replace(request(fmt.Sprint("held-", len(ids)+i), 1), "user-1", fmt.Sprint("user-", len(ids)+i), 1))
		}
		a := w.do(&shop, "POST", "/v1/calls:batch", `{"calls":[`+strings.Join(items, ",")+`]}`)
		for i := range items {
			ids = append(ids, a.text("results", i, "placed", "callId"))
		}
	}
	return ids
}

// pages reads the held calls page by page, and lets something happen between them.
func (w *world) pages(who access.Principal, limit, most int, between func(shown []string)) (all []string) {
	w.t.Helper()
	cursor := ""
	for range most {
		a := w.do(&who, "GET", fmt.Sprintf("/v1/held?limit=%d&cursor=%s", limit, url.QueryEscape(cursor)), "")
		if a.Status != http.StatusOK {
			w.t.Fatal(a.Text)
		}
		var shown []string
		for i := range a.count("calls") {
			shown = append(shown, a.text("calls", i, "call", "id"))
		}
		all = append(all, shown...)
		if cursor = a.text("nextCursor"); (cursor != "") != (a.at("more") == true) {
			w.t.Errorf("more is %v, and the cursor %q", a.at("more"), cursor)
		}
		if cursor == "" {
			return all
		}
		between(shown)
	}
	w.t.Fatalf("no end after %d pages", most)
	return nil
}

func (w *world) drops(ids ...string) {
	w.t.Helper()
	for _, id := range ids {
		if a := w.do(&keeper, "POST", "/v1/held/"+id+"/drop", `{"reason":"no"}`); a.Status != http.StatusOK {
			w.t.Error(a.Text)
		}
	}
}

func TestHeldCallsAreListedPageByPageWhateverLeavesMeanwhile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setting setting
		leave   int // of each page, from its end
	}{
		"nothing leaves":                      {setting{}, 0},
		"the last one leaves":                 {setting{}, 1},
		"more than a cursor knows leave":      {setting{}, 5},
		"all are due at once":                 {setting{clock: stands{time.Now()}}, 0},
		"all are due at once, and one leaves": {setting{clock: stands{time.Now()}}, 1},
		"all are due at once, and most leave": {setting{clock: stands{time.Now()}}, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := worldOf(t, c.setting)
			want := w.accepts(29)
			got := w.pages(keeper, 6, 20, func(shown []string) { w.drops(shown[len(shown)-c.leave:]...) })
			if c.setting.clock == nil && !slices.Equal(got, want) {
				t.Errorf("shown in another order: %d of %d", len(got), len(want))
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%d shown, want each of %d once", len(got), len(want))
			}
		})
	}
}

func TestTheListOfHeldCallsGoesOnBehindWhatOneRequestLooksAt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.accepts(5_003)
	seen := 0
	got := w.pages(keeper, 5_000, 3, func(shown []string) { seen = len(shown) })
	if len(got) != 5_003 || seen != 5_000 || len(slices.Compact(slices.Sorted(slices.Values(got)))) != 5_003 {
		t.Errorf("%d shown, %d on the first page", len(got), seen)
	}
	if a := w.do(&clinic, "GET", "/v1/held?limit=1", ""); a.count("calls") != 1 { // clinic reads the shop's
		t.Error(a.Text)
	}
}

func TestACursorOfHeldCallsIsOfWhoGotIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.accepts(3)
	of := func(who access.Principal) string {
		return w.do(&who, "GET", "/v1/held?limit=1", "").text("nextCursor")
	}
	mine := of(shop)
	if a := w.do(&shop, "GET", "/v1/held?limit=1&cursor="+mine, ""); a.count("calls") != 1 || mine == "" {
		t.Error(a.Text)
	}
	list := w.do(&keeper, "GET", "/v1/calls?limit=1", "").text("nextCursor")
	for _, cursor := range []string{"x", "e30", of(keeper), of(clinic), mine[:len(mine)-2] + "AA"} {
		w.want(w.do(&shop, "GET", "/v1/held?cursor="+cursor, ""), http.StatusBadRequest, "cursor_invalid")
	}
	for _, cursor := range []string{"x", "e30", mine, list} {
		w.want(w.do(&keeper, "GET", "/v1/held?cursor="+cursor, ""), http.StatusBadRequest, "cursor_invalid")
	}
}

// countedReads counts what a page reads.
type countedReads struct {
	call.Ledger
	call.Index

	places, rows, ids atomic.Int64
}

func (c *countedReads) DueFrom(ctx context.Context, place string, limit int) ([]call.DuePlace, error) {
	page, err := c.Index.DueFrom(ctx, place, limit)
	c.places.Add(int64(len(page)))
	return page, err //nolint:wrapcheck // of the index under it
}

func (c *countedReads) Get(ctx context.Context, id string) (call.Call, error) {
	c.rows.Add(1)
	return c.Ledger.Get(ctx, id) //nolint:wrapcheck // of the ledger under it
}

func (c *countedReads) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	ids, err := c.Ledger.Due(ctx, now, limit)
	c.ids.Add(int64(len(ids)))
	return ids, err //nolint:wrapcheck // of the ledger under it
}

func TestAPageOfHeldCallsCostsItsOwnSize(t *testing.T) {
	t.Parallel()
	reads := &countedReads{}
	w := newWorld(t, func(o *httpapi.Options) {
		reads.Ledger, reads.Index = o.Ledger, o.Index
		o.Ledger, o.Index = reads, reads
	})
	const calls, limit = 200, 20
	w.accepts(calls)
	reads.places.Store(0)
	reads.rows.Store(0)
	reads.ids.Store(0)
	if got := w.pages(keeper, limit, 11, func([]string) {}); len(got) != calls {
		t.Errorf("%d shown", len(got))
	}
	if places, rows := reads.places.Load(), reads.rows.Load(); places+reads.ids.Load() > calls+calls/limit || rows > calls+calls/limit {
		t.Errorf("%d places, %d ids and %d rows read", places, reads.ids.Load(), rows)
	}
}
