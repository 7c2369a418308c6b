//go:build integration

package httpapi_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/awstest"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
	"github.com/ringonce/ringonce/internal/service"
)

// fuzzed is the API behind the guard and the service, as ringonce serve has it, with a key for each who asks.
type fuzzed struct {
	*world

	handler http.Handler
	keys    map[string]string

	mu     sync.Mutex
	listed map[string]bool // codes that were answered, and are in the document
	other  map[string]bool // and those that are not
}

func newFuzzed(t *testing.T) *fuzzed {
	t.Helper()
	f := &fuzzed{world: newWorld(t), keys: map[string]string{}, listed: map[string]bool{}, other: map[string]bool{}}
	file := access.KeyFile{Path: filepath.Join(t.TempDir(), "keys.json"), Clock: app.SystemClock{}, Random: rand.Reader}
	end := time.Now().Add(time.Hour)
	var err error
	if f.keys["producer"], _, err = file.Add(access.Scope{Producer: "shop"}, end); err != nil {
		t.Fatal(err)
	}
	if f.keys["operator"], _, err = file.AddOperator("ada", access.RoleAdmin, end); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	keys, err := access.OpenKeys(file.Path, app.SystemClock{}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = keys.Close() })
	guard, err := access.NewGuard(access.Options{Keys: keys, Clock: app.SystemClock{}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	routes, err := httpapi.Routes()
	if err != nil {
		t.Fatal(err)
	}
	metrics := service.NewMetrics("test")
	s, err := service.New(service.Options{
		API: guard.Wrap(service.Limits{}.Shared(f.world.handler, metrics)), Routes: routes, Clock: app.SystemClock{}, Log: log, Metrics: metrics,
	})
	if err != nil {
		t.Fatal(err)
	}
	f.handler = s.Handler()
	return f
}

// ServeHTTP answers, and looks whether the code of a problem is in the document.
func (f *fuzzed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if httpapi.Public(r) {
		f.world.handler.ServeHTTP(w, r)
		return
	}
	recorder := httptest.NewRecorder()
	f.handler.ServeHTTP(recorder, r)
	if server, err := router(); err == nil && recorder.Code >= http.StatusBadRequest {
		var problem struct{ Code string }
		_ = json.Unmarshal(recorder.Body.Bytes(), &problem)
		if route, found := server.FindPath(r.Method, r.URL); found {
			f.mu.Lock()
			code := fmt.Sprint(recorder.Code, " ", problem.Code)
			if problems()[route.OperationID()][code] {
				f.listed[code] = true
			} else {
				f.other[route.OperationID()+": "+code] = true
			}
			f.mu.Unlock()
		}
	}
	maps.Copy(w.Header(), recorder.Header())
	w.WriteHeader(recorder.Code)
	_, _ = w.Write(recorder.Body.Bytes())
}

// fuzz asks the API everything that its document allows and forbids, as the owner of a key, and returns what schemathesis says.
func fuzz(t *testing.T, handler http.Handler, key string, more ...string) (string, error) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	program, args := awstest.Schemathesis(t)
	args = append(args,
		"run", server.URL+"/openapi.yaml", "--url", server.URL, "--header", "Authorization: Bearer "+key, "--checks",
		"not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance",
		"--phases", "examples,coverage,fuzzing", "--max-examples", "15", "--seed", "1", "--workers", "1", "--no-color", // two threads make Python 3.11 fail in its own compiler (cpython issue 106905)
	)
	cmd := exec.CommandContext(t.Context(), program, append(args, more...)...)
	cmd.Dir = t.TempDir()
	output, err := cmd.CombinedOutput()
	return string(output), err
}

func TestSchemathesisFindsNoServerErrorAndNoUndocumentedAnswer(t *testing.T) {
	t.Parallel()
	for _, who := range []string{"producer", "operator"} {
		f := newFuzzed(t)
		f.do(&shop, "POST", "/v1/calls", request("n", 1), "Prefer", "wait=5")
		output, err := fuzz(t, f, f.keys[who])
		if err != nil {
			t.Errorf("as a %s: %v\n%s", who, err, output)
		}
		for code := range f.other {
			t.Errorf("as a %s: %s is not among x-problems", who, code)
		}
		if len(f.listed) < 5 {
			t.Errorf("as a %s only these codes were met, so the fuzzer is blind: %v", who, f.listed)
		}
		t.Log(output)
	}
}

func TestSchemathesisFindsAPlantedAnswerThatIsNotDocumented(t *testing.T) {
	t.Parallel()
	f := newFuzzed(t)
	for says, answer := range map[string]func(w http.ResponseWriter){
		"Response violates schema": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"pauses":"none"}`))
		},
		"Undocumented status code": func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusTeapot)
			_, _ = w.Write([]byte(`{"type":"urn:ringonce:problem:teapot","title":"Teapot","status":418,"code":"teapot"}`))
		},
	} {
		planted := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/pauses" && r.Method == http.MethodGet {
				answer(w)
				return
			}
			f.ServeHTTP(w, r)
		})
		if output, err := fuzz(t, planted, f.keys["operator"], "--include-path", "/v1/pauses"); err == nil || !strings.Contains(output, says) {
			t.Errorf("the planted answer was not found (%s):\n%s", says, output)
		}
	}
}
