package cli

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
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
