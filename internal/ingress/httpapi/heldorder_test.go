package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// holding is a world with calls of the shop that wait.
func holding(t *testing.T, calls int, change ...func(*httpapi.Options)) (*ordering, []string) {
	t.Helper()
	x := newOrdering(t, 0, change...)
	return x, x.accepts(calls)
}

// wishes is an order for held calls; more is added to it.
func wishes(filter, more string) string {
	return fmt.Sprintf(`{"filter":%s,"reason":"the storm is over"%s}`, filter, more)
}

const ofShop = `{"producer":"shop","reason":["accepted"]}`

// seenBy returns the digest of a dry run.
func (x *ordering) seenBy(act string) string {
	x.t.Helper()
	return x.do(&admin, "POST", "/v1/held:"+act, wishes(ofShop, `,"dryRun":true`)).text("digest")
}

func TestManyHeldCallsAreReleasedOnceAndDialedAtThePaceOfAll(t *testing.T) {
	t.Parallel()
	x, ids := holding(t, 25)
	x.do(&clinic, "POST", "/v1/calls", request("another", 1)) // which the filter leaves alone
	dry := x.do(&admin, "POST", "/v1/held:release", wishes(ofShop, `,"dryRun":true`))
	if dry.at("count") != 25.0 || dry.count("calls") != 20 || dry.at("dryRun") != true || dry.text("action") != "releaseHeld" || dry.text("digest") == "" {
		t.Error(dry.Text)
	}
	if list := x.do(&reader, "GET", "/v1/orders", ""); list.count("orders") != 0 {
		t.Errorf("a dry run is kept: %s", list.Text)
	}
	for i := range 3 {
		a := x.do(&admin, "POST", "/v1/held:release", wishes(ofShop, `,"seen":"`+dry.text("digest")[:12]+`"`))
		if a.Status != http.StatusOK || a.text("state") != "done" || a.at("done") != 25.0 || a.at("recalled") != nil || a.at("repeated") == true != (i > 0) || a.text("calls", 24, "result") != "released" {
			t.Error(i, a.Text)
		}
		if i == 0 {
			x.rings(0) // a release of many does not dial
		}
		x.sweep()
		x.rings(26)
	}
	released := 0
	for _, act := range x.acts {
		if act.Action == "releaseHeld" && act.Answer == "ok" && act.Actor == "ada" && strings.HasPrefix(act.Target, "order:h") {
			released++
		}
	}
	if d := x.do(&reader, "GET", "/v1/calls/"+ids[3], ""); d.text("releasedBy") != "ada" || released != 25 {
		t.Errorf("%d in the audit log, %s", released, d.Text)
	}
}

func TestWhoReleasesManySaysWhichWereSeen(t *testing.T) {
	t.Parallel()
	x, ids := holding(t, 3)
	x.want(x.do(&admin, "POST", "/v1/held:drop", wishes(ofShop, "")), http.StatusUnprocessableEntity, "seen_missing")
	seen := x.seenBy("drop")
	x.drops(ids[0])
	x.want(x.do(&admin, "POST", "/v1/held:drop", wishes(ofShop, `,"seen":"`+seen+`"`)), http.StatusConflict, "order_changed")
	x.want(x.do(&admin, "POST", "/v1/held:release", wishes(ofShop, `,"seen":"`+x.seenBy("drop")+`"`)), http.StatusConflict, "order_changed") // of another act
	named := `{"ids":["` + strings.Join(ids, `","`) + `","` + strings.Repeat("A", 43) + `"]}`
	a := x.do(&admin, "POST", "/v1/held:drop", wishes(named, ""))
	if a.at("count") != 2.0 || a.at("done") != 2.0 || a.text("calls", 0, "result") != "dropped" || a.count("excluded") != 2 {
		t.Error(a.Text)
	}
	if again := x.do(&admin, "POST", "/v1/held:drop", wishes(named, "")); again.at("repeated") != true || again.text("id") != a.text("id") {
		t.Error(again.Text)
	}
	x.sweep()
	x.rings(0)
	for body, code := range map[string]string{
		wishes(`{}`, ""): "filter_empty", wishes(ofShop, `,"seen":"`+seen+`"`): "no_calls", strings.Replace(wishes(named, ""), "the storm is over", " ", 1): "reason_missing",
	} {
		x.want(x.do(&admin, "POST", "/v1/held:release", body), http.StatusUnprocessableEntity, code)
	}
	x.want(x.do(&admin, "POST", "/v1/held:release", wishes(`{"reasons":["accepted"]}`, "")), http.StatusBadRequest, "bad_request")
}

func TestAnOrderForHeldCallsWaitsForItsSecondPerson(t *testing.T) {
	t.Parallel()
	for act, want := range map[string]struct {
		result string
		rings  int
	}{"release": {"released", 2}, "drop": {"dropped", 1}} {
		x, ids := holding(t, 2, func(o *httpapi.Options) { o.TwoPerson = true })
		a := x.do(&admin, "POST", "/v1/held:"+act, wishes(ofShop, `,"seen":"`+x.seenBy(act)+`"`))
		if a.text("state") != "pending" || a.text("calls", 0, "result") != "waiting" {
			t.Error(a.Text)
		}
		if held := x.do(&reader, "GET", "/v1/held", ""); held.count("calls") != 2 || held.text("calls", 0, "releasedBy") != "" {
			t.Errorf("something was done before the second person: %s", held.Text)
		}
		confirm := "/v1/orders/" + a.text("id") + "/confirm"
		x.want(x.do(&admin, "POST", confirm, `{"digest":"`+a.text("digest")+`"}`), http.StatusForbidden, "second_person_needed")
		x.sweepRow(ids[0]) // it rings meanwhile
		done := x.do(&second, "POST", confirm, `{"digest":"`+a.text("digest")+`"}`)
		results := map[string]bool{done.text("calls", 0, "result"): true, done.text("calls", 1, "result"): true}
		if done.text("state") != "done" || done.at("done") != 1.0 || !results[want.result] || !results["not_held"] {
			t.Errorf("%s: %s", act, done.Text)
		}
		x.sweep()
		x.rings(want.rings)
	}
}

// TestACallThatIsHeldForAnotherReasonThanWasSeenIsLeftAlone lets Amazon Connect throttle them between what was seen and what is done.
func TestACallThatIsHeldForAnotherReasonThanWasSeenIsLeftAlone(t *testing.T) {
	t.Parallel()
	for _, two := range []bool{true, false} {
		x, _ := holding(t, 2, func(o *httpapi.Options) { o.TwoPerson = two })
		named := `{"producer":"shop"}`
		seen := x.do(&admin, "POST", "/v1/held:release", wishes(named, `,"dryRun":true`)).text("digest")
		keptBack := func() {
			x.faults("throttle p=1")
			x.sweep()
		}
		if !two {
			keptBack()
		}
		a := x.do(&admin, "POST", "/v1/held:release", wishes(named, `,"seen":"`+seen+`"`))
		if !two {
			x.want(a, http.StatusConflict, "order_changed")
			x.rings(0)
			continue
		}
		keptBack()
		done := x.do(&second, "POST", "/v1/orders/"+a.text("id")+"/confirm", `{"digest":"`+a.text("digest")+`"}`)
		if done.text("state") != "done" || done.at("done") == 2.0 || done.text("calls", 0, "result") != "order_changed" {
			t.Error(done.Text)
		}
		x.sweep()
		x.rings(0)
	}
}

func (x *ordering) sweepRow(id string) {
	x.t.Helper()
	if _, err := x.app.Engine.SweepRow(x.t.Context(), id); err != nil {
		x.t.Error(err)
	}
}

func TestAnOrderForHeldCallsThatACrashCutOffIsCarriedOn(t *testing.T) {
	t.Parallel()
	x, _ := holding(t, 6)
	seen := x.seenBy("release")
	x.restart(crashing(3))
	x.cut(&admin, "/v1/held:release", wishes(ofShop, `,"seen":"`+seen+`"`))
	x.restart()
	held := x.do(&reader, "GET", "/v1/held", "")
	for i := range held.count("calls") { // those that were released ring before anybody carries on
		if held.text("calls", i, "releasedBy") != "" {
			x.sweepRow(held.text("calls", i, "call", "id"))
		}
	}
	x.rings(3)
	x.follows()
	list := x.do(&reader, "GET", "/v1/orders", "")
	if list.text("orders", 0, "state") != "done" || list.at("orders", 0, "done") != 6.0 {
		t.Error(list.Text)
	}
	x.sweep()
	x.rings(6)
}

func TestMoreHeldCallsThanAnOrderTakesAreRefused(t *testing.T) {
	t.Parallel()
	x, _ := holding(t, 501)
	x.want(x.do(&admin, "POST", "/v1/held:release", wishes(ofShop, `,"dryRun":true`)), http.StatusUnprocessableEntity, "too_many_calls")
}
