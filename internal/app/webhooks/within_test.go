package webhooks_test

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/webhooks"
	"github.com/ringonce/ringonce/internal/call"
)

// TestAReceiverInARangeThatIsAllowedForItIsToldAndNoOther opens them as production does, where loopback is a private range like any other.
func TestAReceiverInARangeThatIsAllowedForItIsToldAndNoOther(t *testing.T) {
	t.Parallel()
	taken := make(chan struct{}, 100)
	inside := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		taken <- struct{}{}
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(inside.Close)
	ca, secret := filepath.Join(t.TempDir(), "ca.pem"), filepath.Join(t.TempDir(), "secret")
	for path, text := range map[string]string{
		ca:     string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: inside.Certificate().Raw})),
		secret: "0123456789abcdef0123456789abcdef",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	a, err := newSet(t).open(t)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	place(t, a)
	rows, _, err := a.Store.Index.List(t.Context(), call.Filter{Limit: 1})
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d %v", len(rows), err)
	}
	byName := strings.Replace(inside.URL, "127.0.0.1", "localhost", 1)
	opened := app.Webhook{KeySpace: "other", URL: inside.URL, SecretFile: secret, Allow: []string{"127.0.0.0/8", "::1/128"}, CAFile: ca}
	for _, c := range []struct {
		what string
		hook app.Webhook
		says string // what the error says; empty when the event is taken
	}{
		{"another receiver is allowed", app.Webhook{URL: byName, CAFile: ca}, "private, local or reserved"},
		{"another range", app.Webhook{URL: byName, CAFile: ca, Allow: []string{"10.0.0.0/8"}}, "private, local or reserved"},
		{"an authority that the machine does not know", app.Webhook{URL: inside.URL, Allow: opened.Allow}, "certificate"},
		{"its range", app.Webhook{URL: inside.URL, Allow: opened.Allow, CAFile: ca}, ""},
	} {
		c.hook.SecretFile = secret
		told, err := webhooks.Open(app.WebhookRequest{
			Endpoints: []app.Webhook{opened, c.hook}, Ledger: a.Store.Ledger, Index: a.Store.Index, Cells: a.Store.Cells, Clock: a.Clock,
		})
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		_, err = told.Tell(t.Context(), rows[0].ID)
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.what, err)
		}
		if got := len(taken) > 0; got != (c.says == "") {
			t.Errorf("%s: taken %t", c.what, got)
		}
	}
}
