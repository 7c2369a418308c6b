package guards_test

import (
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/guards"
	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/call"
)

var quiet = slog.New(slog.DiscardHandler)

func TestTheGuardOfAConfigurationTakesItsKeys(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := &app.Config{Access: app.Access{
		KeysFile: filepath.Join(dir, "keys.json"), KeySpaces: []app.AccessKeySpace{{Name: "calls", Producers: []string{"crm"}}},
		Producers:    []app.AccessProducer{{Name: "shop", Profiles: []string{"alert"}}},
		Certificates: []app.AccessCertificate{{SAN: "dns:shop.example", Producer: "shop"}},
	}}
	file := access.KeyFile{Path: c.Access.KeysFile, Clock: app.SystemClock{}, Random: rand.Reader}
	text, _, err := file.Add(access.Scope{Producer: "crm", KeySpace: "calls"}, app.SystemClock{}.Now().Add(1e12))
	if err != nil {
		t.Fatal(err)
	}
	g, err := guards.Open(c, &access.LocalOptions{}, app.SystemClock{}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	var who access.Principal
	h := g.Wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { who, _ = access.From(r.Context()) }))
	for _, c := range []struct {
		key  string
		want int
	}{{"Bearer " + text, 200}, {"Bearer " + text + "x", 401}, {"", 401}} {
		r := httptest.NewRequest(http.MethodGet, "/v1/calls", http.NoBody)
		r.Host, r.RemoteAddr = "localhost", "127.0.0.1:1"
		if c.key != "" {
			r.Header.Set("Authorization", c.key)
		}
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != c.want {
			t.Errorf("%d, not %d", w.Code, c.want)
		}
	}
	if who.KeySpace != "calls" || who.Name != "crm" {
		t.Errorf("%+v", who)
	}
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(c.Access.KeysFile + ".used"); err != nil {
		t.Error(err)
	}
}

func TestWithoutCredentialsOnlyTheEmbeddedDefaultIsMade(t *testing.T) {
	t.Parallel()
	if _, err := guards.Open(&app.Config{}, nil, app.SystemClock{}, quiet); call.CodeOf(err) != call.CodeConfiguration {
		t.Errorf("%v", err)
	}
	if _, err := guards.Open(&app.Config{}, &access.LocalOptions{}, app.SystemClock{}, quiet); err != nil {
		t.Error(err)
	}
}

func TestEachWriterHasALogOfItsOwn(t *testing.T) {
	t.Parallel()
	c := &app.Config{Access: app.Access{AuditDir: filepath.Join(t.TempDir(), "audit")}}
	for _, writer := range []string{guards.WriterService, guards.WriterCommand} {
		l, err := guards.OpenAudit(c, writer, app.SystemClock{}, rand.Reader, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Append(t.Context(), auditlog.Act{Action: "x"}); err != nil {
			t.Error(err)
		}
		if _, err := guards.OpenAudit(c, writer, app.SystemClock{}, rand.Reader, false); call.CodeOf(err) != call.CodeConfiguration {
			t.Errorf("%v", err)
		}
		t.Cleanup(func() { _ = l.Close() })
	}
	if l, err := guards.OpenAudit(&app.Config{}, guards.WriterService, app.SystemClock{}, rand.Reader, false); l != nil || err != nil {
		t.Errorf("%v %v", l, err)
	}
}
