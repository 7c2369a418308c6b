package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// looked counts how often the list of an index is read.
type looked struct {
	call.Index
	call.Beginnings

	lists atomic.Int64
}

// List implements call.Index.
func (w *looked) List(ctx context.Context, f call.Filter) ([]call.Call, string, error) {
	w.lists.Add(1)
	return w.Index.List(ctx, f)
}

func lookedWorld(t *testing.T) (*world, *looked) {
	t.Helper()
	seen := &looked{}
	w := newWorld(t, func(o *httpapi.Options) {
		beginnings, ok := o.Index.(call.Beginnings)
		if !ok {
			t.Fatal("the ledger does not know the beginnings of ids")
		}
		seen.Index, seen.Beginnings = o.Index, beginnings
		o.Index = seen
	})
	return w, seen
}

func ask(n int, recipient string) string {
	return fmt.Sprintf(`{"notificationId":"n-%d","recipientId":%q,"destinationPhoneNumber":"+81900000%04d"}`, n, recipient, n)
}

func TestTheCallsOfARecipientAreLookedUpAndNotSearched(t *testing.T) {
	t.Parallel()
	w, seen := lookedWorld(t)
	for n := range 7 {
		w.want(w.do(&shop, "POST", "/v1/calls", ask(n, "kim")), http.StatusAccepted, "accepted")
		w.do(&shop, "POST", "/v1/calls", ask(n, "lee"))
		w.do(&clinic, "POST", "/v1/calls", ask(n, "kim"))
	}
	list := func(who *access.Principal, query string) (found []string) {
		t.Helper()
		for cursor := ""; ; {
			a := w.do(who, "GET", "/v1/calls?"+query+"&cursor="+cursor, "")
			if a.Status != http.StatusOK {
				t.Fatal(a.Status, a.Text)
			}
			for i := range a.count("calls") {
				found = append(found, a.text("calls", i, "keySpace")+" "+a.text("calls", i, "notificationId")+" "+a.text("calls", i, "recipientId"))
			}
			if cursor = a.text("nextCursor"); cursor == "" {
				return found
			}
		}
	}
	for _, c := range []struct {
		who   *access.Principal
		query string
		want  string
	}{
		{&shop, "recipientId=kim&limit=3", "[shop n-6 kim shop n-5 kim shop n-4 kim shop n-3 kim shop n-2 kim shop n-1 kim shop n-0 kim]"},
		{&shop, "recipientId=kim&notificationId=n-3", "[shop n-3 kim]"},
		{&shop, "recipientId=kim&keySpace=clinic", "[]"},
		{&shop, "recipientId=nobody", "[]"},
		{&clinic, "recipientId=kim&notificationId=n-3&limit=1", "[clinic n-3 kim shop n-3 kim]"}, // it reads the shop's as well
		{&reader, "recipientId=lee&keySpace=shop&notificationId=n-2", "[shop n-2 lee]"},
		{&reader, "recipientId=kim&keySpace=shop&state=placed", "[]"},
	} {
		if got := fmt.Sprint(list(c.who, c.query)); got != c.want {
			t.Errorf("%s asks %s: %s, want %s", c.who.Name, c.query, got, c.want)
		}
	}
	if n := seen.lists.Load(); n != 0 {
		t.Errorf("the list was read %d times", n)
	}
	if got := list(&reader, "recipientId=kim&notificationId=n-3"); len(got) != 2 || seen.lists.Load() == 0 { // in whichever key space
		t.Errorf("without a key space: %v", got)
	}
}

func TestAShortIDIsLookedUpAndNotSearched(t *testing.T) {
	t.Parallel()
	w, seen := lookedWorld(t)
	id := w.do(&shop, "POST", "/v1/calls", ask(1, "kim")).text("callId")
	w.do(&shop, "POST", "/v1/calls", ask(2, "kim"))
	for _, c := range []struct {
		who  *access.Principal
		want int
	}{{&shop, 1}, {&reader, 1}, {&clinic, 1}, {&limited, 0}} {
		a := w.do(c.who, "GET", "/v1/calls?idPrefix="+id[:8], "")
		if a.count("calls") != c.want || c.want == 1 && a.text("calls", 0, "id") != id {
			t.Errorf("%s: %d %s", c.who.Name, a.Status, a.Text)
		}
	}
	if a := w.do(&shop, "GET", "/v1/calls?idPrefix="+id[:8]+"&state=failed", ""); a.count("calls") != 0 {
		t.Error(a.Text)
	}
	w.want(w.do(&shop, "GET", "/v1/calls?idPrefix="+id[:5], ""), http.StatusBadRequest, "bad_request")
	if n := seen.lists.Load(); n != 0 {
		t.Errorf("the list was read %d times", n)
	}
}
