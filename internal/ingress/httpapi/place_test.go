package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

func TestARequestIsAcceptedAndRingsWithTheSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)), http.StatusAccepted, "accepted")
	w.rings(0)
	w.sweep()
	w.rings(1)
	d := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)), http.StatusOK, "duplicate")
	if d.text("duplicateOf") != a.text("callId") || d.text("state") != "placed" || d.text("contactId") == "" {
		t.Error(d.Text)
	}
	w.rings(1)
}

func TestPreferWaitDialsWhileTheRequestWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "respond-async, wait=10"), http.StatusOK, "placed")
	if a.text("contactId") == "" || a.Header.Get("Preference-Applied") != "wait=10" {
		t.Error(a.Text, a.Header)
	}
	w.rings(1)
}

func TestFiftyDuplicatesAtOnceRingOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	for i := range 50 {
		all.Go(func() {
			var headers []string
			if i%2 == 0 {
				headers = []string{"Prefer", "wait=20"}
			}
			if a := w.do(&shop, "POST", "/v1/calls", request("n", 1), headers...); a.Status != http.StatusOK && a.Status != http.StatusAccepted {
				t.Errorf("%d %s", a.Status, a.Text)
			}
		})
	}
	all.Wait()
	w.sweep()
	w.rings(1)
}

func TestALaterDialsWhatWasAccepted(t *testing.T) {
	t.Parallel()
	var later *httpapi.Later
	w := newWorld(t, func(o *httpapi.Options) {
		later = httpapi.NewLater(o.Engine, o.Observer, 10)
		o.Accepted = later.Offer
	})
	w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)), http.StatusAccepted, "accepted")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		later.Run(ctx, 2)
	}()
	for deadline := time.Now().Add(10 * time.Second); w.phone.RingCount() == 0 && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
	cancel()
	<-done
	w.rings(1)
}

func TestARequestThatDiffersIsAConflictWithItsCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.do(&shop, "POST", "/v1/calls", request("n", 1))
	c := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 2)), http.StatusConflict, "conflict")
	if c.text("callId") != first.text("callId") {
		t.Error(c.Text)
	}
	w.want(w.do(&clinic, "POST", "/v1/calls", request("n", 2)), http.StatusAccepted, "accepted") // a key space of its own
	w.sweep()
	w.rings(2)
}

func TestWhatTheQueueRefusesHTTPRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for text, code := range map[string]string{
		`{"notificationId":"n","recipientId":"u"}`:                                                               "field_missing",
		`{"notificationId":"n","notificationId":"m","recipientId":"u","destinationPhoneNumber":"+819000000001"}`: "json_duplicate_key",
		`{"notificationId":"n`: "json_syntax",
		"{\"notificationId\":\"n\xff\",\"recipientId\":\"u\",\"destinationPhoneNumber\":\"+819000000001\"}":                      "json_invalid_utf8",
		strings.Repeat("[", 300) + strings.Repeat("]", 300):                                                                      "json_depth",
		`{"notificationId":"n","recipientId":"u","destinationPhoneNumber":"+819000000001","profile":"nobody"}`:                   "profile_unknown",
		`{"notificationId":"n","recipientId":"u","destinationPhoneNumber":"819000000001"}`:                                       "field_value",
		`{"notificationId":"n","recipientId":"u","destinationPhoneNumber":"+819000000001","requestedAt":"2999-01-01T00:00:00Z"}`: "requested_at_in_future",
		`"n"`: "payload_not_object",
	} {
		a := w.do(&shop, "POST", "/v1/calls", text)
		if a.Status != http.StatusUnprocessableEntity || a.text("code") != code {
			t.Errorf("%.60s: %d %s, want %s", text, a.Status, a.Text, code)
		}
	}
	if a := w.do(&shop, "POST", "/v1/calls", strings.Repeat(" ", httpapi.MaxBody+1)); a.Status != http.StatusRequestEntityTooLarge {
		t.Error(a.Status, a.Text)
	}
	if a := w.do(&shop, "POST", "/v1/calls", request("n", 1), "Content-Type", "text/plain"); a.Status != http.StatusUnsupportedMediaType {
		t.Error(a.Status, a.Text)
	}
	w.sweep()
	w.rings(0)
}

func TestOneBadItemDoesNotSpoilABatch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	items := []string{request("a", 1), `{"notificationId":"b"}`, request("a", 1), request("a", 2), `7`, `{"x":1,"x":2}`, request("c", 3)}
	a := w.do(&shop, "POST", "/v1/calls:batch", `{"calls":[`+strings.Join(items, ",")+`]}`)
	if a.Status != http.StatusOK {
		t.Fatal(a.Status, a.Text)
	}
	want := []string{"202 accepted", "422 field_missing", "200 duplicate", "409 conflict", "422 payload_not_object", "422 json_duplicate_key", "202 accepted"}
	for i, expected := range want {
		status, _ := a.at("results", i, "status").(float64)
		if got := fmt.Sprintf("%d %s%s", int(status), a.text("results", i, "placed", "answer"), a.text("results", i, "problem", "code")); got != expected {
			t.Errorf("item %d: %s, want %s: %s", i, got, expected, a.Text)
		}
	}
	w.sweep()
	w.rings(2)
	many := make([]string, httpapi.MaxBatch+1)
	for i := range many {
		many[i] = request(fmt.Sprint("m", i), 1)
	}
	w.want(w.do(&shop, "POST", "/v1/calls:batch", `{"calls":[`+strings.Join(many, ",")+`]}`), http.StatusBadRequest, "bad_request")
}

func TestAProfileThatWasNotGrantedIsForbidden(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	with := func(profile string) string {
		return strings.TrimSuffix(request("n", 1), "}") + `,"profile":"` + profile + `"}`
	}
	w.want(w.do(&limited, "POST", "/v1/calls", with("alert")), http.StatusForbidden, "profile_forbidden")
	w.want(w.do(&limited, "POST", "/v1/calls", request("n", 1)), http.StatusForbidden, "profile_forbidden") // the default is alert
	w.want(w.do(&limited, "POST", "/v1/calls", with("other")), http.StatusAccepted, "accepted")
	w.want(w.do(&limited, "POST", "/v1/calls", `{"notificationId":"n","recipientId":"user-1","action":"cancel"}`), http.StatusOK, "withdrawn")
	w.sweep()
	w.rings(0)
}

func TestTheKeySpaceIsOfWhoAsksWhateverTheBodySays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	text := strings.TrimSuffix(request("n", 1), "}") + `,"keySpace":"clinic","producer":"clinic"}`
	id := w.do(&shop, "POST", "/v1/calls", text).text("callId")
	row, err := w.app.Store.Ledger.Get(t.Context(), id)
	if err != nil || row.Key.KeySpace != "shop" || row.Producer != "api:shop/shop" || row.State != call.Received {
		t.Errorf("%+v %v", row.Key, err)
	}
}

func TestExplainDialsAndWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.do(&shop, "POST", "/v1/explain", request("n", 1))
	if a.Status != http.StatusOK || a.text("verdict") != "would-ring" || a.at("dials") != true || a.count("checks") != 5 {
		t.Error(a.Status, a.Text)
	}
	w.do(&admin, "POST", "/v1/do-not-call", `{"number":"+819000000001","reason":"asked"}`)
	for deadline := time.Now().Add(10 * time.Second); a.text("checks", 4, "code") != "do_not_call" && time.Now().Before(deadline); { // every process knows within a second
		time.Sleep(20 * time.Millisecond)
		a = w.do(&shop, "POST", "/v1/explain", request("n", 1))
	}
	if a.text("verdict") != "refused" || a.text("code") != "do_not_call" || a.text("checks", 4, "code") != "do_not_call" {
		t.Error(a.Status, a.Text)
	}
	w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)), http.StatusUnprocessableEntity, "do_not_call")
	w.sweep()
	w.rings(0)
	if a := w.do(&shop, "GET", "/v1/calls", ""); a.count("calls") != 0 {
		t.Error(a.Text)
	}
}

func TestADialThatOutlivesItsRequestIsHandedToWhoClosesTheLedger(t *testing.T) {
	t.Parallel()
	gone, leave := context.WithCancel(access.With(t.Context(), shop))
	var dial func()
	w := newWorld(t, func(o *httpapi.Options) {
		o.Go = func(f func()) {
			dial = f
			leave() // the client goes
		}
	})
	r := httptest.NewRequestWithContext(gone, http.MethodPost, "/v1/calls", strings.NewReader(request("n", 1)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Prefer", "wait=20")
	answered := httptest.NewRecorder()
	w.handler.ServeHTTP(answered, r)
	if w.rings(0); answered.Code != http.StatusAccepted || dial == nil {
		t.Fatal(answered.Code, answered.Body)
	}
	dial()
	w.rings(1)
	w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)), http.StatusOK, "duplicate")
	w.rings(1)
}

func TestWhatIsNoIDOfACallStaysOutOfTheAuditLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(&keeper, "POST", "/v1/calls/+819000000001/cancel", "")
	w.mu.Lock()
	defer w.mu.Unlock()
	if last := w.acts[len(w.acts)-1]; last.Action != "cancelCall" || last.CallID != "" {
		t.Errorf("%+v", last)
	}
}
