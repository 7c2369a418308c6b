//go:build integration

package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/awstest"
)

// fuzz asks the API everything that its document allows and forbids, as an operator, and returns what schemathesis says.
func fuzz(t *testing.T, handler http.Handler, more ...string) (string, error) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(access.With(r.Context(), access.Local())))
	}))
	t.Cleanup(server.Close)
	program, args := awstest.Schemathesis(t)
	args = append(args,
		"run", server.URL+"/openapi.yaml", "--url", server.URL, "--checks",
		"not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance",
		"--phases", "examples,coverage,fuzzing", "--max-examples", "30", "--seed", "1", "--workers", "1", "--no-color", // two threads make Python 3.11 fail in its own compiler (cpython issue 106905)
	)
	cmd := exec.CommandContext(t.Context(), program, append(args, more...)...)
	cmd.Dir = t.TempDir()
	output, err := cmd.CombinedOutput()
	return string(output), err
}

func TestSchemathesisFindsNoServerErrorAndNoUndocumentedAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=5")
	output, err := fuzz(t, w.handler)
	if err != nil {
		t.Errorf("%v\n%s", err, output)
	}
	t.Log(output)
}

func TestSchemathesisFindsAPlantedAnswerThatIsNotDocumented(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	planted := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/pauses" && r.Method == http.MethodGet {
			rw.Header().Set("Content-Type", "application/json")
			_, _ = rw.Write([]byte(`{"pauses":"none"}`))
			return
		}
		w.handler.ServeHTTP(rw, r)
	})
	if output, err := fuzz(t, planted, "--include-path", "/v1/pauses"); err == nil || !strings.Contains(output, "Response violates schema") {
		t.Errorf("the planted answer was not found:\n%s", output)
	}
}
