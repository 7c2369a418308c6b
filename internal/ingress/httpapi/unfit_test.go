package httpapi_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/ogen-go/ogen/validate"

	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

func TestABodyThatDoesNotFitIsToldByItsField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []struct{ path, body, says string }{
		{"/v1/calls:search", `{"recipent":"user-1"}`, "The field recipent is not in the document."},
		{"/v1/calls:search", `{"limit":0}`, "The field limit holds a value that is not allowed."},
		{"/v1/calls:search", `{"limit":"many"}`, "The field limit holds a value that is not allowed."},
		{"/v1/calls:search", `{"acceptedAfter":"yesterday"}`, "The field acceptedAfter holds a value that is not allowed."},
		{"/v1/calls:search", `{"state":["gone"]}`, "The field state[0] holds a value that is not allowed."},
		{"/v1/calls:search", `{"limit":`, "The body is not JSON."},
		{"/v1/calls:search", "", "The body is missing."},
		{"/v1/calls:batch", `{"calls":[]}`, "The field calls holds a value that is not allowed."},
		{"/v1/calls:search", `[]`, "The body does not fit the document."},
		{"/v1/pauses", `{"target":"all"}`, "The field reason is missing."},
		{"/v1/calls/nothing-of-that-id/recall", `{"reason":"again","notafter":"2026-12-01T00:00:00Z"}`, "The field notafter is not in the document."},
		{"/v1/recalls", `{"reason":"again","filter":{"sate":["failed"]}}`, "The field sate is not in the document."},
	} {
		if a := w.do(&admin, http.MethodPost, c.path, c.body); a.Status != http.StatusBadRequest || a.text("detail") != c.says {
			t.Errorf("%s %s: %d %s, want %q", c.path, c.body, a.Status, a.Text, c.says)
		}
	}
}

// TestANameThatIsANumberIsNotRepeated: a key of a map is a name of a field for the validators.
func TestANameThatIsANumberIsNotRepeated(t *testing.T) {
	t.Parallel()
	err := &validate.Error{Fields: []validate.FieldError{{Name: "attributes", Error: &validate.Error{Fields: []validate.FieldError{{Name: "+819000000077", Error: errors.New("planted")}}}}}}
	if says := httpapi.Unfit(err, []byte("{}")); says != "The body does not fit the document." {
		t.Error(says)
	}
}

// TestALookWithAParameterThatNobodyKnowsIsRefused: a filter that is misspelled would list what it was to leave out.
func TestALookWithAParameterThatNobodyKnowsIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	placed := w.do(&shop, http.MethodPost, "/v1/calls?source=gateway", request("n", 1)) // what a gateway adds holds up no call
	if placed.Status != http.StatusAccepted {
		t.Errorf("%d %s", placed.Status, placed.Text)
	}
	id := placed.text("callId")
	for path, says := range map[string]string{
		"/v1/calls?stat=failed":             "The parameter stat is not in the document.",
		"/v1/calls?State=failed":            "The parameter State is not in the document.",
		"/v1/calls?limit=1&limit=2":         "The parameter limit comes more than once.",
		"/v1/calls?%2B819000000077=1":       "A parameter of the query is not in the document.",
		"/v1/calls?state=placed;limit=1":    "The query of the address cannot be read.",
		"/v1/calls/" + id + "?reveal=yes":   "The parameter reveal is not in the document.",
		"/v1/suppressed?state=placed":       "The parameter state is not in the document.",
		"/v1/held?profile=a&profile=b":      "The parameter profile comes more than once.",
		"/v1/orders?cursor=x":               "The parameter cursor is not in the document.",
		"/v1/do-not-call?number=everything": "The parameter number is not in the document.",
	} {
		a := w.do(&admin, http.MethodGet, path, "")
		if a.Status != http.StatusBadRequest || a.text("detail") != says || a.text("fix") == "" {
			t.Errorf("%s: %d %s, want %q", path, a.Status, a.Text, says)
		}
	}
	for _, path := range []string{"/v1/calls?state=placed&state=failed&limit=3", "/v1/calls?", "/v1/held?reason=quiet_hours&reason=accepted", "/v1/producers"} {
		if a := w.do(&admin, http.MethodGet, path, ""); a.Status != http.StatusOK {
			t.Errorf("%s: %d %s", path, a.Status, a.Text)
		}
	}
	if a := w.do(&admin, http.MethodGet, "/v1/calls?stat=failed", ""); !strings.Contains(a.text("fix"), "state, outcome") {
		t.Error(a.Text)
	}
}
