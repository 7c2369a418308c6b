package httpapi_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// last returns the newest act that was written down.
func (w *world) last() httpapi.Act {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.acts) == 0 {
		return httpapi.Act{}
	}
	return w.acts[len(w.acts)-1]
}

func TestTheAuditLogIsToldWhatWasActedOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	number, err := call.ParsePhone("+819000000077")
	if err != nil {
		t.Fatal(err)
	}
	none := call.Phone{}
	for _, c := range []struct {
		who        access.Principal
		path, body string
		target     string
		number     call.Phone
		answer     string
	}{
		{keeper, "/v1/pauses", `{"target":"profile","name":"alert","reason":"storm"}`, "profile:alert", none, "ok"},
		{keeper, "/v1/pauses/resume", `{"target":"profile","name":"alert","reason":"over"}`, "profile:alert", none, "ok"},
		{keeper, "/v1/pauses", `{"target":"prefix","name":"+8190","reason":"storm"}`, "prefix:+8190", none, "ok"},
		{keeper, "/v1/pauses", `{"target":"all","reason":"storm"}`, "all", none, "ok"},
		{keeper, "/v1/pauses", `{"target":"producer","name":"api:shop/crm","reason":"storm"}`, "producer:api:shop/crm", none, "ok"},
		{keeper, "/v1/pauses", `{"target":"profile","name":"unknown","reason":"storm"}`, "profile:unknown", none, "profile_unknown"},
		{admin, "/v1/do-not-call", `{"number":"+819000000077","reason":"they asked"}`, "", number, "ok"},
		{admin, "/v1/do-not-call/remove", `{"number":"+819000000077","reason":"by mistake"}`, "", number, "ok"},
		{admin, "/v1/do-not-call", `{"number":"0819","reason":"they asked"}`, "", none, "field_value"},
	} {
		w.do(&c.who, "POST", c.path, c.body)
		act := w.last()
		if act.Target != c.target || act.Number != c.number || act.Answer != c.answer || act.Actor != c.who.Name {
			t.Errorf("%s %s: %+v", c.path, c.body, act)
		}
		if strings.Contains(fmt.Sprint(act), "0000077") {
			t.Errorf("a number is told in the clear: %+v", act)
		}
	}
}

func TestAnOrderIsToldAsWhatItsDecisionIsAbout(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ended := w.do(&shop, "POST", "/v1/calls", request("ended", 1), "Prefer", "wait=10").text("callId")
	id := w.do(&admin, "POST", "/v1/recalls", `{"filter":{"ids":["`+ended+`"]},"reason":"again"}`).text("id")
	told := map[string]int{}
	w.mu.Lock()
	for _, act := range w.acts {
		told[act.Action+" "+act.Target]++
	}
	w.mu.Unlock()
	if told["orderRecalls order:"+id] != 1 || told["recallCall order:"+id] != 1 {
		t.Errorf("%v", told)
	}
	w.do(&admin, "POST", "/v1/orders/"+id+"/refuse", `{"reason":"no"}`)
	if act := w.last(); act.Target != "order:"+id || act.Answer == "ok" {
		t.Errorf("%+v", act)
	}
}

func TestWhoeverIsRefusedForTheirRoleIsWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.do(&shop, "POST", "/v1/calls", request("n", 1)).text("callId")
	for _, c := range []struct {
		who                access.Principal
		method, path, body string
		want               httpapi.Act
	}{
		{shop, "POST", "/v1/calls/" + id + "/recall", `{"reason":"again"}`, httpapi.Act{Actor: "shop", Kind: "producer", Action: "recallCall", CallID: id}},
		{reader, "POST", "/v1/pauses", `{"target":"all","reason":"a flood"}`, httpapi.Act{Actor: "rae", Kind: "operator", Action: "pause"}},
		{shop, "GET", "/v1/do-not-call", "", httpapi.Act{Actor: "shop", Kind: "producer", Action: "listDoNotCall"}},
		{keeper, "POST", "/v1/orders/o-1/confirm", `{"digest":"x"}`, httpapi.Act{Actor: "olga", Kind: "operator", Action: "confirmOrder", Target: "order:o-1"}},
		{keeper, "POST", "/v1/orders/+819000000001/confirm", `{"digest":"x"}`, httpapi.Act{Actor: "olga", Kind: "operator", Action: "confirmOrder", Target: "order:of another form"}},
		{shop, "POST", "/v1/held/+819000000001/drop", `{"reason":"x"}`, httpapi.Act{Actor: "shop", Kind: "producer", Action: "dropHeld"}},
	} {
		w.want(w.do(&c.who, c.method, c.path, c.body), http.StatusForbidden, "forbidden")
		act := w.last()
		act.At = act.At.Truncate(1 << 62)
		c.want.At, c.want.Answer = act.At, "forbidden"
		if fmt.Sprint(act) != fmt.Sprint(c.want) {
			t.Errorf("%s: %+v", c.path, act)
		}
	}
}

func TestWhatAnOperatorChangesIsRefusedBeforeItIsDoneWhileNothingCanBeWrittenDown(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	w := newWorld(t, func(o *httpapi.Options) {
		o.Audited = func() error {
			if broken.Load() {
				return errors.New("no space is left")
			}
			return nil
		}
	})
	held := func(n int) string {
		return w.do(&shop, "POST", "/v1/calls", request(fmt.Sprint("held-", n), 1)).text("callId")
	}
	ended := w.do(&shop, "POST", "/v1/calls", request("ended", 1), "Prefer", "wait=10").text("callId")
	order := w.do(&admin, "POST", "/v1/recalls", `{"filter":{"ids":["`+ended+`"]},"reason":"again"}`).text("id")
	reads := map[string]bool{"/v1/calls:search": true, "/v1/explain": true, "/v1/do-not-call/check": true}
	// What only keeps phones silent hangs on no log, a pause above all.
	silent := map[string]bool{
		"/v1/calls/CALL/cancel": true, "/v1/calls/CALL/acknowledge": true, "/v1/held/CALL/drop": true, "/v1/held:drop": true, "/v1/do-not-call": true, "/v1/pauses": true,
		"/v1/orders/ORDER/refuse": true, "/v1/flow-reports": true,
	}
	for i, e := range endpoints {
		id := held(i)
		path, body := strings.NewReplacer("CALL", id, "ORDER", order).Replace(e.path), strings.ReplaceAll(e.body, "CALL", id)
		broken.Store(true)
		told := len(w.acts)
		who := &admin
		if e.may == "f" {
			who = &reporter
		}
		a := w.do(who, e.method, path, body)
		switch {
		case strings.HasPrefix(e.path, "/v1/calls:batch"), e.method+e.path == "POST/v1/calls": // a call is asked for, by whom ever
			if a.Status >= 300 {
				t.Errorf("%s %s: %d %s", e.method, e.path, a.Status, a.Text)
			}
		case e.method == "GET" || reads[e.path] || silent[e.path]:
			if a.Status >= 500 {
				t.Errorf("%s %s: %d %s", e.method, e.path, a.Status, a.Text)
			}
		default:
			w.want(a, http.StatusServiceUnavailable, "audit_unavailable")
			if a.Header.Get("Retry-After") == "" || len(w.acts) != told {
				t.Errorf("%s %s: %v, %d acts", e.method, e.path, a.Header, len(w.acts)-told)
			}
		}
		if strings.Contains(e.may, "p") && e.method == "POST" { // a producer goes on, with all it may
			if a := w.do(&shop, e.method, path, body); a.Status >= 300 {
				t.Errorf("%s %s by a producer: %d %s", e.method, e.path, a.Status, a.Text)
			}
		}
		broken.Store(false)
	}
	if a := w.do(&admin, "GET", "/v1/pauses", ""); a.count("pauses") != 1 {
		t.Errorf("it was not paused, or let go on: %s", a.Text)
	}
	if a := w.do(&admin, "POST", "/v1/do-not-call/check", `{"number":"+819000000099"}`); a.at("listed") != true {
		t.Errorf("it was not listed, or taken away: %s", a.Text)
	}
	broken.Store(true)
	dry := w.do(&admin, "POST", "/v1/recalls", `{"filter":{"ids":["`+ended+`"]},"reason":"again","dryRun":true}`)
	if dry.Status != http.StatusOK {
		t.Errorf("a dry run changes nothing: %d %s", dry.Status, dry.Text)
	}
}

func TestAnOrderWaitsWhileItsReCallsCannotBeWrittenDown(t *testing.T) {
	t.Parallel()
	var left atomic.Int32
	left.Store(1000)
	options := httpapi.Options{}
	w := newWorld(t, func(o *httpapi.Options) {
		o.Audited = func() error {
			if left.Add(-1) < 0 {
				return errors.New("no space is left")
			}
			return nil
		}
		options = *o
	})
	var ids []string
	for n := range 4 {
		ids = append(ids, w.do(&shop, "POST", "/v1/calls", request(fmt.Sprint("ended-", n), n+1), "Prefer", "wait=10").text("callId"))
	}
	w.rings(4)
	left.Store(3) // for the order, and the first two of its re-calls
	w.want(w.do(&admin, "POST", "/v1/recalls", `{"filter":{"ids":["`+strings.Join(ids, `","`)+`"]},"reason":"again"}`), http.StatusServiceUnavailable, "audit_unavailable")
	w.sweep()
	w.rings(6)
	if err := httpapi.NewCarrier(options).Resume(t.Context()); err == nil {
		t.Error("it is carried on with")
	}
	left.Store(1000)
	if err := httpapi.NewCarrier(options).Resume(t.Context()); err != nil {
		t.Error(err)
	}
	w.sweep()
	w.rings(8)
}

func TestARefusedRequestForACallIsWrittenDownWithItsCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.do(&shop, "POST", "/v1/calls", request("n", 1), "Idempotency-Key", "k-1").text("callId")
	other := w.do(&shop, "POST", "/v1/calls", request("other", 1)).text("callId")
	for _, c := range []struct {
		body, key string
		code      string
		call      string
	}{
		{request("n", 2), "", "conflict", one},
		{request("n", 2), "k-1", "idempotency_mismatch", one},
		{request("other", 1), "k-1", "idempotency_mismatch", other},
		{request("n", 1), "k,1", "idempotency_key_invalid", one},
		{strings.Replace(request("n", 1), "+819000000001", "+1", 1), "", "field_value", one},
		{strings.Replace(request("n", 1), "{", `{"requestedAt":"2222-01-01T00:00:00Z",`, 1), "", "requested_at_in_future", one},
		{strings.Replace(request("n", 1), "{", `{"profile":"unknown",`, 1), "", "profile_unknown", one},
		{`{"recipientId":"user-1"`, "", "json_syntax", ""},
	} {
		var headers []string
		if c.key != "" {
			headers = []string{"Idempotency-Key", c.key}
		}
		a := w.do(&shop, "POST", "/v1/calls", c.body, headers...)
		if act := w.last(); a.text("code") != c.code || act.Answer != c.code || act.CallID != c.call || act.Actor != "shop" || act.Action != "placeCall" {
			t.Errorf("%s %s: %s, %+v; want %s of %s", c.body, c.key, a.Text, act, c.code, c.call)
		}
	}
	w.do(&shop, "POST", "/v1/calls:batch", `{"calls":[`+request("n", 2)+`]}`)
	if act := w.last(); act.CallID != one || act.Answer != "conflict" {
		t.Errorf("in a batch: %+v", act)
	}
	never := w.do(&shop, "POST", "/v1/calls", strings.Replace(request("never", 1), "+819000000001", "+1", 1))
	id := w.last().CallID
	if made := w.do(&shop, "POST", "/v1/calls", request("never", 1)).text("callId"); never.Status != http.StatusUnprocessableEntity || id == "" || made != id {
		t.Errorf("a request that was refused and then sent as it should be: %q, then %q", id, made)
	}
}

func TestABodyThatCannotBeReadIsWrittenDownWhereSomethingWouldChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reads := map[string]bool{"/v1/calls:search": true, "/v1/explain": true, "/v1/do-not-call/check": true}
	id := w.do(&shop, "POST", "/v1/calls", request("n", 1)).text("callId")
	for _, e := range endpoints {
		if e.method == "GET" || e.body == "" {
			continue
		}
		for body, headers := range map[string][]string{`{"no":"such member"`: nil, e.body: {"Content-Type", "text/plain"}, strings.Repeat(" ", 9<<20): nil} {
			w.mu.Lock()
			before := len(w.acts)
			w.mu.Unlock()
			path := strings.NewReplacer("CALL", id, "ORDER", "o-1").Replace(e.path)
			a := w.do(&admin, e.method, path, body, headers...)
			w.mu.Lock()
			told := len(w.acts) - before
			w.mu.Unlock()
			act := w.last()
			switch {
			case a.Status < 400 && e.path != "/v1/explain": // whose answer says that it is no request
				t.Errorf("%s %s: %d", e.method, path, a.Status)
			case reads[e.path]:
				if told != 0 {
					t.Errorf("%s %s: looking is written down: %+v", e.method, path, act)
				}
			case told != 1 || act.Answer != a.text("code") || act.Actor != admin.Name:
				t.Errorf("%s %s: %d acts, %+v for %s", e.method, path, told, act, a.Text)
			case strings.Contains(e.path, "CALL") && act.CallID != id, strings.Contains(e.path, "ORDER") && act.Target != "order:of another form" && act.Target != "order:o-1":
				t.Errorf("%s %s: it does not say of what: %+v", e.method, path, act)
			}
		}
	}
}
