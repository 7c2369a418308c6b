package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
)

// answered places requests of two producers, and returns what was answered without dialing as the list names it, newest first.
func (w *world) answered() (all []string) {
	w.t.Helper()
	for i, who := range []*access.Principal{&shop, &clinic, &shop, &shop} {
		name := fmt.Sprintf("n-%d", i)
		w.do(who, "POST", "/v1/calls", request(name, 1))
		w.do(who, "POST", "/v1/calls", request(name, 1))
		w.do(who, "POST", "/v1/calls", request(name, 2))
		if err := w.app.Store.Admin.Flush(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
		all = append(all, name+" suppressed", name+" conflict")
	}
	slices.Reverse(all)
	return all
}

func (a answer) deliveries() (named []string) {
	for i := range a.count("deliveries") {
		named = append(named, a.text("deliveries", i, "notificationId")+" "+a.text("deliveries", i, "kind"))
	}
	return named
}

func TestDeliveriesThatRangNobodyAreListedOverAllCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := w.answered()
	first := w.do(&reader, "GET", "/v1/suppressed", "")
	if got := first.deliveries(); !slices.Equal(got, all) || first.text("nextCursor") != "" {
		t.Errorf("%v, want %v: %s", got, all, first.Text)
	}
	id := first.text("deliveries", 0, "callId")
	own := w.do(&shop, "GET", "/v1/calls/"+id+"/suppressed", "")
	for _, member := range []string{"at", "kind", "reason", "source", "delivery"} { // newest first here, oldest first there
		if here, there := first.at("deliveries", 0, member), own.at("kept", 1, member); here != there {
			t.Errorf("%s: %v in the list, %v beside the call", member, here, there)
		}
	}
	if first.text("deliveries", 0, "keySpace") != "shop" || first.text("deliveries", 0, "state") == "" || first.text("deliveries", 0, "recipientId") != "user-1" {
		t.Error(first.Text)
	}
	var walked []string
	for cursor, pages := "", 0; ; pages++ {
		page := w.do(&reader, "GET", "/v1/suppressed?limit=3&cursor="+url.QueryEscape(cursor), "")
		walked = append(walked, page.deliveries()...)
		if cursor = page.text("nextCursor"); cursor == "" || pages > 10 {
			break
		}
	}
	if !slices.Equal(walked, all) {
		t.Errorf("page by page %v, want %v", walked, all)
	}
}

func TestTheListOfDeliveriesIsFiltered(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answered()
	later := url.QueryEscape(w.app.Clock.Now().Add(time.Hour).Format(time.RFC3339))
	for query, want := range map[string]int{
		"kind=suppressed": 4, "kind=conflict": 4, "kind=conflict&kind=suppressed": 8, "kind=refused": 0, "keySpace=shop": 6, "keySpace=clinic": 2, "keySpace=nobody": 0,
		"producer=shop": 6, "producer=api:clinic/clinic": 2, "producer=operator:shop": 0, "profile=alert": 8, "profile=other": 0, "since=" + later: 0, "until=" + later: 8,
		"since=2001-01-01T00:00:00Z": 8, "until=2001-01-01T00:00:00Z": 0, "keySpace=%01": 0, "producer=clinic&limit=1": 1,
	} {
		if got := w.do(&reader, "GET", "/v1/suppressed?"+query, "").count("deliveries"); got != want {
			t.Errorf("%s lists %d deliveries, not %d", query, got, want)
		}
	}
	for _, query := range []string{"limit=0", "limit=201", "kind=gone", "since=yesterday"} {
		if a := w.do(&reader, "GET", "/v1/suppressed?"+query, ""); a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", query, a.Status, a.Text)
		}
	}
	for _, cursor := range []string{"%21", "bm90IGpzb24", "eyJwIjoibm9uZSJ9"} {
		w.want(w.do(&reader, "GET", "/v1/suppressed?cursor="+cursor, ""), http.StatusBadRequest, "cursor_invalid")
	}
}

func TestAProducerSeesTheDeliveriesOfItsOwnKeySpacesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.answered()
	for who, want := range map[*access.Principal]int{&shop: 6, &clinic: 8, &limited: 0} { // the clinic was granted to read the shop's
		a := w.do(who, "GET", "/v1/suppressed", "")
		if got := a.count("deliveries"); got != want || a.text("nextCursor") != "" {
			t.Errorf("%s sees %d deliveries, not %d: %s", who.Name, got, want, a.Text)
		}
	}
	if a := w.do(&shop, "GET", "/v1/suppressed?keySpace=clinic", ""); a.Status != http.StatusOK || a.count("deliveries") != 0 || a.text("nextCursor") != "" {
		t.Error(a.Text)
	}
	cursor := w.do(&shop, "GET", "/v1/suppressed?limit=2", "").text("nextCursor")
	if rest := w.do(&shop, "GET", "/v1/suppressed?cursor="+cursor, ""); rest.count("deliveries") != 4 {
		t.Error(rest.Text)
	}
	w.want(w.do(&clinic, "GET", "/v1/suppressed?cursor="+cursor, ""), http.StatusBadRequest, "cursor_invalid")
}

func TestALastPageDoesNotSayThatForeignDeliveriesFollow(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, who := range []*access.Principal{&bank, &clinic} {
		w.do(who, "POST", "/v1/calls", request("n-1", 1))
		w.do(who, "POST", "/v1/calls", request("n-1", 1))
		if err := w.app.Store.Admin.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if a := w.do(&clinic, "GET", "/v1/suppressed?limit=1", ""); a.count("deliveries") != 1 || a.text("nextCursor") != "" {
		t.Error(a.Text)
	}
	if a := w.do(&reader, "GET", "/v1/suppressed?limit=1", ""); a.count("deliveries") != 1 || a.text("nextCursor") == "" {
		t.Error(a.Text)
	}
}
