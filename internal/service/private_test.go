package service_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/service"
)

func TestMetricsAndChecksAreToldOnlyToWhoMayReadThem(t *testing.T) {
	t.Parallel()
	var broken error
	s, _, _ := newServer(t, func(o *service.Options) {
		o.Checks = []service.Check{{Name: "ledger", Look: func(context.Context) error { return broken }}}
		o.Tells = func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer good" }
	})
	send := func(path, authorization string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodGet, path, http.NoBody)
		r.Header.Set("Authorization", authorization)
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		return w
	}
	for _, wrong := range []string{"", "Bearer wrong"} {
		w := send("/metrics", wrong)
		if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") == "" || strings.Contains(w.Body.String(), "ringonce_") || !strings.Contains(w.Body.String(), `"code":"unauthorized"`) {
			t.Errorf("%q: %d %s", wrong, w.Code, w.Body)
		}
		broken = nil
		if w := send("/readyz", wrong); w.Code != http.StatusOK || strings.TrimSpace(w.Body.String()) != `{"ready":true}` {
			t.Errorf("%q: %d %s", wrong, w.Code, w.Body)
		}
		broken = &call.Error{Code: call.CodeLedgerUnavailable}
		if w := send("/readyz", wrong); w.Code != http.StatusServiceUnavailable || strings.TrimSpace(w.Body.String()) != `{"ready":false}` {
			t.Errorf("%q: %d %s", wrong, w.Code, w.Body)
		}
		if w := send("/healthz", wrong); w.Code != http.StatusOK {
			t.Errorf("%q: %d", wrong, w.Code)
		}
	}
	says(t, send("/metrics", "Bearer good").Body.String(), `ringonce_ready{check="ledger"} 0`)
	says(t, send("/readyz", "Bearer good").Body.String(), `"name":"ledger"`)
}

func TestTheExampleOfPrometheusAsksForWhatIsServed(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/prometheus/scrape.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var example struct {
		Jobs []struct {
			Path          string `yaml:"metrics_path"`
			Authorization struct {
				Type string `yaml:"type"`
				File string `yaml:"credentials_file"`
			} `yaml:"authorization"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal(text, &example); err != nil || len(example.Jobs) != 1 {
		t.Fatalf("%v: %+v", err, example)
	}
	if job := example.Jobs[0]; job.Path != "/metrics" || job.Authorization.Type != "Bearer" || job.Authorization.File == "" {
		t.Errorf("%+v", job)
	}
}
