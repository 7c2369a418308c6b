package httpapi_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// endpoint is one operation with a request that is good but for who asks. CALL stands for a held call of the shop, ORDER for an order of its re-call.
type endpoint struct {
	method, path, body string
	may                string // letters: p producer of its key space, r read, o operate, a admin, f what forwards reports of flows
}

var endpoints = []endpoint{
	{"POST", "/v1/calls", request("n", 1), "poa"},
	{"POST", "/v1/calls:batch", `{"calls":[` + request("n", 1) + `]}`, "poa"},
	{"GET", "/v1/calls", "", "proa"},
	{"POST", "/v1/calls:search", `{"number":"+819000000001"}`, "proa"},
	{"GET", "/v1/calls/CALL", "", "proa"},
	{"GET", "/v1/calls/CALL/suppressed", "", "proa"},
	{"GET", "/v1/suppressed", "", "proa"},
	{"POST", "/v1/calls/CALL/cancel", "", "poa"},
	{"POST", "/v1/calls/CALL/acknowledge", "", "poa"},
	{"POST", "/v1/calls/CALL/recall", `{"reason":"again"}`, "oa"},
	{"POST", "/v1/calls/CALL/close", `{"note":"seen"}`, "oa"},
	{"GET", "/v1/calls/CALL/told", "", "roa"},
	{"POST", "/v1/calls/CALL/tell", `{"reason":"it was away"}`, "oa"},
	{"GET", "/v1/doubts", "", "proa"},
	{"GET", "/v1/doubts/CALL", "", "proa"},
	{"GET", "/v1/held", "", "proa"},
	{"POST", "/v1/held/CALL/release", `{"reason":"now"}`, "oa"},
	{"POST", "/v1/held/CALL/drop", `{"reason":"never"}`, "oa"},
	{"POST", "/v1/held:release", `{"filter":{"ids":["CALL"]},"reason":"now"}`, "a"},
	{"POST", "/v1/held:drop", `{"filter":{"ids":["CALL"]},"reason":"never"}`, "a"},
	{"POST", "/v1/explain", request("n", 1), "proa"},
	{"GET", "/v1/do-not-call", "", "roa"},
	{"POST", "/v1/do-not-call", `{"number":"+819000000099","reason":"asked"}`, "a"},
	{"POST", "/v1/do-not-call/remove", `{"number":"+819000000099","reason":"asked"}`, "a"},
	{"POST", "/v1/do-not-call/check", `{"number":"+819000000099"}`, "roa"},
	{"GET", "/v1/pauses", "", "roa"},
	{"POST", "/v1/pauses", `{"target":"prefix","name":"+1202","reason":"storm"}`, "oa"},
	{"GET", "/v1/producers", "", "proa"},
	{"POST", "/v1/recalls", `{"filter":{"ids":["CALL"]},"reason":"again"}`, "a"},
	{"GET", "/v1/orders", "", "roa"},
	{"GET", "/v1/orders/ORDER", "", "roa"},
	{"POST", "/v1/orders/ORDER/confirm", `{"digest":"x"}`, "a"},
	{"POST", "/v1/orders/ORDER/refuse", `{"reason":"no"}`, "a"},
	{"POST", "/v1/flow-reports", `{"Name":"ContactFlowEvent","Details":{"ContactData":{}}}`, "f"},
	{"POST", "/v1/pauses/resume", `{"target":"prefix","name":"+1202","reason":"over"}`, "oa"},
}

func TestEveryEndpointKnowsWhoMayAskForIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ended := w.do(&shop, "POST", "/v1/calls", request("ended", 1), "Prefer", "wait=10").text("callId")
	order := w.do(&admin, "POST", "/v1/recalls", `{"filter":{"ids":["`+ended+`"]},"reason":"again"}`).text("id")
	for _, e := range endpoints {
		for letter, who := range map[string]*access.Principal{"": nil, "p": &shop, "r": &reader, "o": &keeper, "a": &admin, "f": &reporter} {
			id := w.do(&shop, "POST", "/v1/calls", request(fmt.Sprint(e.path, e.method, letter), 1)).text("callId")
			a := w.do(who, e.method, strings.NewReplacer("CALL", id, "ORDER", order).Replace(e.path), strings.ReplaceAll(e.body, "CALL", id))
			switch {
			case who == nil:
				w.want(a, http.StatusUnauthorized, "unauthorized")
			case !strings.Contains(e.may, letter):
				w.want(a, http.StatusForbidden, "forbidden")
			case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden || a.Status >= 500 || a.Status == http.StatusNotFound:
				t.Errorf("%s %s as %q: %d %s", e.method, e.path, letter, a.Status, a.Text)
			}
		}
	}
}

// idless puts the words of the table into a path of the document.
func idless(path string) string {
	if strings.HasPrefix(path, "/v1/orders/") {
		return strings.ReplaceAll(path, "{id}", "ORDER")
	}
	return strings.ReplaceAll(path, "{id}", "CALL")
}

func TestTheTableOfEndpointsIsThatOfTheDocument(t *testing.T) {
	t.Parallel()
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `yaml:"operationId"`
			Responses   map[string]any
		}
	}
	if err := yaml.Unmarshal(httpapi.Document(), &document); err != nil {
		t.Fatal(err)
	}
	var there, tested []string
	for path, methods := range document.Paths {
		for method, operation := range methods {
			there = append(there, strings.ToUpper(method)+" "+idless(path))
			if operation.Responses["500"] == nil {
				t.Errorf("%s %s has no problem", method, path)
			}
		}
	}
	for _, e := range endpoints {
		tested = append(tested, e.method+" "+e.path)
	}
	slices.Sort(there)
	slices.Sort(tested)
	if !slices.Equal(there, tested) {
		t.Errorf("the document has\n%s\nand the table has\n%s", strings.Join(there, "\n"), strings.Join(tested, "\n"))
	}
}

func TestAForeignCallAnswersAsOneThatDoesNotExist(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.do(&clinic, "POST", "/v1/calls", request("n", 1)).text("callId")
	unknown := strings.Repeat("A", 43)
	for _, e := range endpoints {
		if !strings.Contains(e.path, "CALL") || !strings.Contains(e.may, "p") {
			continue
		}
		foreign := w.want(w.do(&shop, e.method, strings.ReplaceAll(e.path, "CALL", id), e.body), http.StatusNotFound, "not_found")
		none := w.do(&shop, e.method, strings.ReplaceAll(e.path, "CALL", unknown), e.body)
		if foreign.Text != none.Text || fmt.Sprint(foreign.Header) != fmt.Sprint(none.Header) {
			t.Errorf("%s tells a foreign call:\n%s %v\n%s %v", e.path, foreign.Text, foreign.Header, none.Text, none.Header)
		}
	}
	if a := w.do(&shop, "GET", "/v1/calls", ""); a.count("calls") != 0 {
		t.Error(a.Text)
	}
}

func TestAGrantToSeeIsNoGrantToTouch(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.do(&shop, "POST", "/v1/calls", request("n", 1)).text("callId")
	if a := w.do(&clinic, "GET", "/v1/calls/"+id, ""); a.Status != http.StatusOK {
		t.Error(a.Status, a.Text)
	}
	w.want(w.do(&clinic, "POST", "/v1/calls/"+id+"/cancel", ""), http.StatusForbidden, "key_space_forbidden")
	w.want(w.do(&clinic, "POST", "/v1/calls/"+id+"/acknowledge", ""), http.StatusForbidden, "key_space_forbidden")
	w.sweep()
	w.rings(1)
}
