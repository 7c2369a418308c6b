package httpapi_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

// shifted is the machine's clock, moved ahead by hand.
type shifted struct {
	connectemu.WallClock

	mu sync.Mutex
	by time.Duration
}

func (s *shifted) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.WallClock.Now().Round(0).Add(s.by)
}

func (s *shifted) advance(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.by += d
}

func (w *world) faults(plan string) {
	w.t.Helper()
	p, err := connectemu.ParsePlan(plan)
	if err == nil {
		err = w.phone.SetPlan(p)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// doubted is a world with one call of the shop in doubt: it rang, its answer was lost, and no search finds it.
func doubted(t *testing.T) (w *world, id string) {
	t.Helper()
	clock := &shifted{}
	w = worldOf(t, setting{clock: clock, blind: true, profile: "\n    resend: never"})
	w.faults("place-then-reset nth=1")
	id = w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=20").text("callId")
	w.rings(1)
	for range 6 { // until the schedule of looks is done
		clock.advance(13 * time.Hour)
		w.sweep()
		if a := w.do(&shop, "GET", "/v1/doubts", ""); a.count("calls") == 1 {
			return w, id
		}
	}
	t.Fatal("the call is never in doubt")
	return w, id
}

func TestADoubtIsShownWithItsEvidenceToWhoMaySeeItsCall(t *testing.T) {
	t.Parallel()
	w, id := doubted(t)
	a := w.do(&shop, "GET", "/v1/doubts", "")
	if a.text("calls", 0, "id") != id || a.at("calls", 0, "looks") != 3.0 || a.text("calls", 0, "settledAt") == "" || a.at("calls", 0, "nextLook") != nil {
		t.Error(a.Text)
	}
	a = w.do(&clinic, "GET", "/v1/doubts/"+id, "")
	if a.Status != http.StatusOK || a.text("code") != "resend_never" || a.text("since") == "" || a.at("looks") != 3.0 || a.text("settledAt") == "" || a.at("closed") != nil ||
		a.count("attempts") != 1 || a.text("attempts", 0, "state") != "ambiguous" || a.count("evidence") != 5 || a.at("evidence", 2, "looks") != 3.0 ||
		a.count("notes") != 0 || a.text("rings", 0, "cause") != "request" {
		t.Error(a.Status, a.Text)
	}
	w.want(w.do(&limited, "GET", "/v1/doubts/"+id, ""), http.StatusNotFound, "not_found")
	never := w.do(&shop, "POST", "/v1/calls", request("m", 2), "Prefer", "wait=20").text("callId")
	w.want(w.do(&shop, "GET", "/v1/doubts/"+never, ""), http.StatusConflict, "not_in_doubt")
	if a := w.do(&shop, "GET", "/v1/calls/"+never, ""); a.at("call", "looks") != nil || a.at("call", "settledAt") != nil {
		t.Error(a.Text)
	}
}

func TestAContactThatAmazonConnectConfirmsClosesADoubtAndIsTheRingThatThereWas(t *testing.T) {
	t.Parallel()
	w, id := doubted(t)
	contact := w.phone.Contacts()[0].ID
	body := `{"contactId":"` + contact + `","reason":"found by its number"}`
	if a := w.do(&keeper, "POST", "/v1/calls/"+id+"/close", `{"note":"they do not remember"}`); a.Status != http.StatusOK || a.text("call", "state") != "in_doubt" || a.text("actor") != "olga" {
		t.Error(a.Status, a.Text)
	}
	if a := w.do(&reader, "GET", "/v1/doubts/"+id, ""); a.text("notes", 0, "what") != "note: they do not remember" || a.text("notes", 0, "actor") != "olga" {
		t.Error(a.Text)
	}
	w.want(w.do(&reader, "POST", "/v1/calls/"+id+"/close", body), http.StatusForbidden, "forbidden")
	w.want(w.do(&shop, "POST", "/v1/calls/"+id+"/close", body), http.StatusForbidden, "forbidden")
	w.faults("refuse(AccessDeniedException) op=DescribeContact") // nobody confirms it: nothing is closed
	w.want(w.do(&keeper, "POST", "/v1/calls/"+id+"/close", body), http.StatusServiceUnavailable, "connect_unavailable")
	w.faults("")
	if a := w.do(&keeper, "GET", "/v1/doubts", ""); a.count("calls") != 1 {
		t.Error(a.Text)
	}
	for range 2 { // the second stands for one whose first answer was lost
		a := w.do(&keeper, "POST", "/v1/calls/"+id+"/close", body)
		if a.Status != http.StatusOK || a.text("call", "state") != "placed" || a.text("call", "contactId") != contact || a.text("actor") != "olga" || a.at("anomaly") != nil {
			t.Error(a.Status, a.Text)
		}
	}
	if a := w.do(&keeper, "GET", "/v1/doubts", ""); a.count("calls") != 0 {
		t.Error(a.Text)
	}
	a := w.do(&shop, "GET", "/v1/doubts/"+id, "")
	if a.text("closed", "from") != "person" || a.text("closed", "actor") != "olga" || a.text("closed", "reason") != "found by its number" || a.text("closed", "contactId") != contact ||
		a.text("closed", "state") != "placed" || a.text("code") != "resend_never" {
		t.Error(a.Text)
	}
	d := w.want(w.do(&shop, "POST", "/v1/calls", request("n", 1)), http.StatusOK, "duplicate")
	if d.text("contactId") != contact {
		t.Error(d.Text)
	}
	w.sweep()
	w.rings(1)
	w.want(w.do(&keeper, "POST", "/v1/calls/"+id+"/close", `{"note":"late"}`), http.StatusConflict, "not_in_doubt")
	w.mu.Lock()
	defer w.mu.Unlock()
	var told []string
	for _, act := range w.acts {
		if act.Action == "closeDoubt" {
			told = append(told, act.Answer)
		}
	}
	if got := strings.Join(told, " "); !strings.HasPrefix(got, "ok ") || !strings.HasSuffix(got, " ok ok not_in_doubt") {
		t.Errorf("the audit log says %s", got)
	}
}
