package connect

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// The trace of a delivery is a header beside the stored bytes: same body, same signature.
func TestADialCarriesItsTraceAndNothingElseChanges(t *testing.T) {
	t.Parallel()
	var seen []*http.Request
	var bodies [][]byte
	d := testDialer(t, roundTrip(func(r *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		seen, bodies = append(seen, r), append(bodies, body)
		return answerWith(http.StatusOK, `{"ContactId":"c"}`), nil
	}), nil)
	s := testSend(t, d)
	trace := call.Trace{ID: "5759e988bd862e3fe1be46a994272793", Parent: "53995c3f42cd8ad8", Sampled: "1"}
	expectAnswer(t, d.Dial(t.Context(), s), call.ClassOK, "")
	expectAnswer(t, d.Dial(call.WithTrace(t.Context(), trace), s), call.ClassOK, "")
	const name = "X-Amzn-Trace-Id"
	if got := seen[0].Header.Get(name); got != "" {
		t.Errorf("a dial without a trace carries %q", got)
	}
	if got := seen[1].Header.Get(name); got != "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1" {
		t.Errorf("the header is %q", got)
	}
	if !bytes.Equal(bodies[0], bodies[1]) || !bytes.Equal(bodies[1], s.Body) {
		t.Error("the trace changed the stored body")
	}
	signed := func(r *http.Request) string {
		_, rest, _ := strings.Cut(r.Header.Get("Authorization"), "SignedHeaders=")
		names, _, _ := strings.Cut(rest, ",")
		return names
	}
	if a, b := signed(seen[0]), signed(seen[1]); a != b || a == "" || strings.Contains(b, "trace") {
		t.Errorf("with a trace %q is signed, without %q", b, a)
	}
	// The guard stands before the header: a dial outside of its bounds sends nothing, trace or not.
	s.NotAfter = testStart.Add(-1)
	if got := d.Dial(call.WithTrace(t.Context(), trace), s); got.Class != call.ClassNotSent || len(seen) != 2 {
		t.Errorf("a dial outside of its bounds is %+v, %d requests", got, len(seen))
	}
}
