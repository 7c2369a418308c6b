package cli

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheDocumentAndItsPageNeedNoCredentialAndNothingElseIsOpen(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.add(fmt.Sprintf("access: {keys_file: %q}\n", filepath.Join(d.dir, "keys.json")))
	d.run(ExitOK, "access", "key", "add", "--producer", "crm")
	s := d.serve()
	if text := s.read("/openapi.yaml"); !strings.HasPrefix(text, "openapi: 3.1.0") {
		t.Errorf("the document: %.200s", text)
	}
	if text := s.read("/docs"); !strings.Contains(text, "Idempotency-Key") {
		t.Errorf("the page: %.200s", text)
	}
	for range 100 { // they cost no place of the guesses that an address has
		if got := s.send(http.MethodHead, "/docs", "wrong", ""); got != http.StatusOK {
			t.Fatalf("HEAD /docs with a wrong credential: %d", got)
		}
	}
	for _, c := range [][2]string{
		{http.MethodPost, "/docs"},
		{http.MethodGet, "/docs/"},
		{http.MethodGet, "/v1/calls"},
		{http.MethodGet, "/"},
		{http.MethodGet, "/v1/../v1/calls"},
		{http.MethodGet, "/docs/../v1/calls"},
		{http.MethodGet, "/openapi.yaml/../v1/calls"},
	} {
		if got := s.send(c[0], c[1], "wrong", ""); got != http.StatusUnauthorized {
			t.Errorf("%s %s: %d, want 401", c[0], c[1], got)
		}
	}
}
