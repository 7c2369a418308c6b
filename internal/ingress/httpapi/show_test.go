package httpapi_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
)

func ids(a answer) (found []string) {
	calls, _ := a.at("calls").([]any)
	for i := range calls {
		found = append(found, a.text("calls", i, "id"))
	}
	return found
}

func TestAListIsFilteredAndPaged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	all := map[string]bool{}
	for i := range 30 {
		who := &shop
		if i%3 == 0 {
			who = &clinic
		}
		id := w.do(who, "POST", "/v1/calls", request(fmt.Sprint("n", i), i)).text("callId")
		if i%3 != 0 {
			all[id] = true
		}
		if i == 14 {
			w.sweep()
		}
	}
	seen, cursor, pages := map[string]bool{}, "", 0
	for {
		a := w.do(&shop, "GET", "/v1/calls?limit=7&cursor="+url.QueryEscape(cursor), "")
		for _, id := range ids(a) {
			if seen[id] || !all[id] {
				t.Errorf("call %s is shown twice or is foreign", id)
			}
			seen[id] = true
		}
		if cursor = a.text("nextCursor"); cursor == "" || pages > 20 {
			break
		}
		pages++
	}
	if len(seen) != len(all) {
		t.Errorf("%d calls are listed, not %d", len(seen), len(all))
	}
	for query, want := range map[string]int{
		"state=placed": 10, "state=received": 10, "state=placed&state=received": 20, "notificationId=n1": 1, "recipientId=user-1&limit=200": 20, "recipientId=user-2": 0,
		"producer=shop": 20, "producer=api:shop/shop": 20, "producer=operator:shop": 0, "producer=clinic": 0, "profile=alert": 20, "profile=other": 0, "acceptedBefore=2001-01-01T00:00:00Z": 0,
		"acceptedAfter=2001-01-01T00:00:00Z": 20, "keySpace=shop": 20, "outcome=busy": 0, "contactId=nothing": 0,
	} {
		if got := len(ids(w.do(&shop, "GET", "/v1/calls?"+query, ""))); got != want {
			t.Errorf("%s lists %d calls, not %d", query, got, want)
		}
	}
	if got := len(ids(w.do(&admin, "GET", "/v1/calls?limit=200", ""))); got != 30 {
		t.Errorf("an operator sees %d calls", got)
	}
	placed := w.do(&shop, "GET", "/v1/calls?state=placed&limit=1", "")
	contact := placed.text("calls", 0, "contactId")
	if got := ids(w.do(&shop, "GET", "/v1/calls?contactId="+contact, "")); len(got) != 1 || got[0] != placed.text("calls", 0, "id") {
		t.Error(got)
	}
	for _, query := range []string{"cursor=%21", "cursor=bm90IGpzb24", "limit=0", "limit=201", "state=gone", "acceptedAfter=yesterday"} {
		if a := w.do(&shop, "GET", "/v1/calls?"+query, ""); a.Status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", query, a.Status, a.Text)
		}
	}
	if a := w.do(&shop, "GET", "/v1/calls?cursor=eyJwIjoibm9uZSJ9", ""); a.Status >= 500 {
		t.Errorf("a foreign cursor: %d %s", a.Status, a.Text)
	}
}

func TestACallIsShownWithItsTimelineAndItsSuppressedDeliveries(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=10").text("callId")
	w.do(&shop, "POST", "/v1/calls", request("n", 1))
	w.do(&shop, "POST", "/v1/calls", request("n", 2))
	if err := w.app.Store.Admin.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	a := w.do(&shop, "GET", "/v1/calls/"+id, "")
	if a.Status != http.StatusOK || a.text("call", "destination") != "+81******0001" || a.at("suppressed") != 1.0 || a.at("attemptCount") != 1.0 ||
		!strings.HasPrefix(a.text("timeline", 0, "what"), "accepted from http") || a.text("rings", 0, "state") != "placed" {
		t.Error(a.Text)
	}
	s := w.do(&shop, "GET", "/v1/calls/"+id+"/suppressed", "")
	if s.at("count") != 1.0 || s.count("kept") != 2 {
		t.Error(s.Text)
	}
}

func TestActsOnCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	place := func(name string, headers ...string) string {
		return w.do(&shop, "POST", "/v1/calls", request(name, 1), headers...).text("callId")
	}
	canceled := place("canceled")
	if a := w.do(&shop, "POST", "/v1/calls/"+canceled+"/cancel", ""); a.Status != http.StatusOK || a.text("call", "state") != "canceled" {
		t.Error(a.Status, a.Text)
	}
	known := place("known")
	if a := w.do(&shop, "POST", "/v1/calls/"+known+"/acknowledge", ""); a.Status != http.StatusOK || a.text("call", "state") != "canceled" {
		t.Error(a.Status, a.Text)
	}
	w.want(w.do(&keeper, "POST", "/v1/held/"+known+"/drop", `{"reason":"no"}`), http.StatusConflict, "not_held")
	dropped := place("dropped")
	if a := w.do(&keeper, "GET", "/v1/held", ""); a.text("calls", 0, "call", "id") != dropped || a.at("more") != false {
		t.Error(a.Text)
	}
	if a := w.do(&keeper, "POST", "/v1/held/"+dropped+"/drop", `{"reason":"no"}`); a.Status != http.StatusOK || a.text("call", "state") != "canceled" {
		t.Error(a.Status, a.Text)
	}
	w.sweep()
	w.rings(0)
	released := place("released")
	if a := w.do(&keeper, "POST", "/v1/held/"+released+"/release", `{"reason":"now"}`); a.Status != http.StatusOK || a.text("call", "state") != "placed" {
		t.Error(a.Status, a.Text)
	}
	w.rings(1)
	if a := w.do(&keeper, "POST", "/v1/calls/"+released+"/recall", `{"reason":"nobody answered"}`); a.Status != http.StatusOK || a.text("call", "state") != "placed" || a.at("call", "ring") != 1.0 {
		t.Error(a.Status, a.Text)
	}
	w.want(w.do(&keeper, "POST", "/v1/calls/"+released+"/recall", `{"reason":"twice"}`), http.StatusConflict, "ring_moved")
	w.want(w.do(&keeper, "POST", "/v1/calls/"+released+"/recall", `{"reason":""}`), http.StatusBadRequest, "bad_request")
	w.want(w.do(&keeper, "POST", "/v1/calls/"+released+"/close", `{"note":"x"}`), http.StatusConflict, "not_in_doubt")
	w.want(w.do(&keeper, "POST", "/v1/calls/"+released+"/close", `{}`), http.StatusUnprocessableEntity, "field_value")
	w.want(w.do(&keeper, "POST", "/v1/calls/"+released+"/close", `{"contactId":"00000000-0000-4000-8000-000000000000"}`), http.StatusUnprocessableEntity, "contact_unconfirmed")
	w.rings(2)
	w.mu.Lock()
	defer w.mu.Unlock()
	last := w.acts[len(w.acts)-1]
	if last.Actor != "olga" || last.Action != "closeDoubt" || last.Answer != "contact_unconfirmed" || last.CallID != released {
		t.Errorf("%+v", last)
	}
}

func TestPausesHoldAndTheDoNotCallListAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(&keeper, "POST", "/v1/pauses", `{"target":"producer","name":"api:shop/shop","reason":"storm"}`)
	if a := w.do(&reader, "GET", "/v1/pauses", ""); a.text("pauses", 0, "by") != "olga" || a.text("pauses", 0, "name") != "api:shop/shop" {
		t.Error(a.Text)
	}
	w.want(w.do(&keeper, "POST", "/v1/pauses", `{"target":"producer","name":"shop","reason":"x"}`), http.StatusUnprocessableEntity, "field_value")
	w.want(w.do(&keeper, "POST", "/v1/pauses", `{"target":"profile","name":"gone","reason":"x"}`), http.StatusUnprocessableEntity, "profile_unknown")
	w.want(w.do(&keeper, "POST", "/v1/pauses", `{"target":"prefix","name":"8190","reason":"x"}`), http.StatusUnprocessableEntity, "field_value")
	w.want(w.do(&keeper, "POST", "/v1/pauses/resume", `{"target":"all","reason":"x"}`), http.StatusConflict, "not_paused")
	if a := w.do(&keeper, "POST", "/v1/pauses/resume", `{"target":"producer","name":"api:shop/shop","reason":"over"}`); a.at("changed") != true {
		t.Error(a.Text)
	}
	add := w.do(&admin, "POST", "/v1/do-not-call", `{"number":"+819000000007","reason":"asked"}`)
	if add.at("listed") != true || add.at("changed") != true || add.text("number") != "+81******0007" || add.text("by") != "ada" {
		t.Error(add.Text)
	}
	if a := w.do(&reader, "GET", "/v1/do-not-call", ""); a.text("entries", 0, "number") != "+81******0007" {
		t.Error(a.Text)
	}
	if a := w.do(&admin, "POST", "/v1/do-not-call/remove", `{"number":"+819000000007","reason":"wants calls"}`); a.at("listed") != false || a.at("changed") != true {
		t.Error(a.Text)
	}
	if a := w.do(&reader, "POST", "/v1/do-not-call/check", `{"number":"+819000000007"}`); a.at("listed") != false {
		t.Error(a.Text)
	}
	w.want(w.do(&admin, "POST", "/v1/do-not-call", `{"number":"7","reason":"x"}`), http.StatusUnprocessableEntity, "field_value")
}

func TestAnOperatorAndAProducerOfOneNameAreTwoInTheLedger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	same := access.Principal{Kind: access.Operator, Name: "shop", Role: access.RoleOperate}
	w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)), http.StatusAccepted, "accepted")
	w.want(w.do(&same, "POST", "/v1/calls", request("n", 1)), http.StatusAccepted, "accepted")
	for query, want := range map[string]int{"shop": 2, "api:shop/shop": 1, "operator:shop": 1, "api:shop": 0} {
		if got := len(ids(w.do(&reader, "GET", "/v1/calls?producer="+url.QueryEscape(query), ""))); got != want {
			t.Errorf("producer=%s lists %d calls, not %d", query, got, want)
		}
	}
}

func TestAListGoesOnBehindACallThatLeftItMeanwhile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 3 {
		w.do(&shop, "POST", "/v1/calls", request(fmt.Sprint("n", i), i))
	}
	first := w.do(&shop, "GET", "/v1/calls?state=received&limit=1", "")
	if _, err := w.app.Engine.SweepRow(t.Context(), ids(first)[0]); err != nil { // it is placed: no call of this list any more
		t.Fatal(err)
	}
	second := w.do(&shop, "GET", "/v1/calls?state=received&cursor="+url.QueryEscape(first.text("nextCursor")), "")
	if len(ids(second)) != 2 {
		t.Errorf("of the two calls that still wait, %d are listed: %s", len(ids(second)), second.Text)
	}
}
