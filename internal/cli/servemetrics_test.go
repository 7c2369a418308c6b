package cli

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// get asks a service with a bearer; empty shows none.
func (s *served) get(path, bearer string) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func TestAServiceTellsItsMetricsToAScrapeTokenAndToOperatorsAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	token := strings.Repeat("s", 40)
	d.add(fmt.Sprintf("access: {keys_file: %q}\nserve: {metrics_auth: true, metrics_token_file: %q}\n", filepath.Join(d.dir, "keys.json"), d.write("token", token+"\n")))
	producer, _ := d.run(ExitOK, "access", "key", "add", "--producer", "crm")
	s := d.serve()
	producer = strings.TrimSpace(producer)
	for bearer, want := range map[string]int{"": http.StatusUnauthorized, token: http.StatusOK, token + "s": http.StatusUnauthorized, producer: http.StatusUnauthorized} {
		if got := s.get("/metrics", bearer); got != want {
			t.Errorf("%d for a bearer of %d characters, want %d", got, len(bearer), want)
		}
	}
	if got := s.get("/v1/calls", token); got != http.StatusUnauthorized {
		t.Errorf("the scrape token opens the API: %d", got)
	}
	if got := s.get("/v1/calls", producer); got != http.StatusOK {
		t.Errorf("the key opens nothing: %d", got)
	}
}

func TestAScrapeTokenIsReplacedWhileTheServiceRuns(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	before, after := strings.Repeat("b", 40), strings.Repeat("a", 40)
	file := d.write("token", before+"\n")
	d.add(fmt.Sprintf("serve: {metrics_token_file: %q}\n", file))
	s := d.serve()
	if got := s.get("/metrics", before); got != http.StatusOK {
		t.Fatalf("%d for the token", got)
	}
	d.write("token", after+"\n")
	for looks := 0; s.get("/metrics", after) != http.StatusOK; looks++ {
		if looks > 1000 {
			t.Fatal("the new token is never taken")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if got := s.get("/metrics", before); got != http.StatusUnauthorized {
		t.Errorf("%d for the token of before", got)
	}
}

// send asks a service with a bearer and a body.
func (s *served) send(method, path, bearer, body string) int {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+bearer)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	_ = response.Body.Close()
	return response.StatusCode
}

func TestAnOperatorsKeyDoesOverHTTPWhatItsRoleMay(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.add(fmt.Sprintf("access: {keys_file: %q}\nserve: {metrics_auth: true}\n", filepath.Join(d.dir, "keys.json")))
	keys := map[string]string{}
	for _, role := range []string{"read", "operate", "admin"} {
		key, _ := d.run(ExitOK, "access", "key", "add", "--operator", "--role", role, "--name", "of-"+role)
		keys[role] = strings.TrimSpace(key)
	}
	s := d.serve()
	for _, c := range []struct {
		method, path, body string
		want               map[string]int
	}{
		{http.MethodGet, "/v1/calls", "", map[string]int{"read": 200, "operate": 200, "admin": 200}},
		{http.MethodGet, "/metrics", "", map[string]int{"read": 200, "operate": 200, "admin": 200}},
		{http.MethodPost, "/v1/pauses", `{"scope":"all","reason":"a drill"}`, map[string]int{"read": 403}},
		{http.MethodPost, "/v1/do-not-call", `{"number":"+819000000001","reason":"they asked"}`, map[string]int{"read": 403, "operate": 403}},
	} {
		for _, role := range []string{"read", "operate", "admin"} {
			got := s.send(c.method, c.path, keys[role], c.body)
			want, listed := c.want[role]
			if listed && got != want || !listed && (got == http.StatusForbidden || got == http.StatusUnauthorized) {
				t.Errorf("%s %s as %s: %d", c.method, c.path, role, got)
			}
		}
	}
}

func TestAServiceCountsTheOpenCallsOfItsLedgerBeforeTheFirstRequest(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.add(fmt.Sprintf("access: {keys_file: %q, max_open: 1}\nsweep: {every: 4m}\n", filepath.Join(d.dir, "keys.json")))
	key, _ := d.run(ExitOK, "access", "key", "add", "--producer", "crm")
	key = strings.TrimSpace(key)
	s := d.serve()
	s.stop() // which made the ledger
	d.run(ExitOK, "pause", "--all", "--reason", "a drill", "--actor", "kim")
	s = d.serve()
	bearer := []string{"Authorization", "Bearer " + key}
	if status, body := s.place(1, bearer...); status != http.StatusAccepted {
		t.Fatalf("%d: %s", status, body)
	}
	s.stop()
	s = d.serve()
	if status, body := s.place(2, bearer...); status != http.StatusTooManyRequests || !strings.Contains(body, "too_many_open") {
		t.Errorf("%d: %s", status, body)
	}
	if status, body := s.place(1, bearer...); status >= 300 || !strings.Contains(body, `"duplicate"`) {
		t.Errorf("%d: %s", status, body)
	}
}
