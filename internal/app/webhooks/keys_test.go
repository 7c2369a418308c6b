package webhooks

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/webhook"
)

// moved is a clock that is moved.
type moved struct{ now time.Time }

func (m *moved) Now() time.Time { return m.now }

func (m *moved) Sleep(context.Context, time.Duration) error { return nil }

// A secret is replaced while the service runs, as docs/webhooks.md says: first both sign, then the new one alone.
func TestAnEventIsSignedByTheSecretsOfTheMoment(t *testing.T) {
	t.Parallel()
	const first, second = "the first secret, long enough", "the second secret, long enough"
	dir, clock := t.TempDir(), &moved{now: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)}
	w := app.Webhook{SecretFile: filepath.Join(dir, "now"), PreviousSecretFile: filepath.Join(dir, "before")}
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		clock.now = clock.now.Add(time.Second)
	}
	write(w.SecretFile, first)
	write(w.PreviousSecretFile, first)
	keys, err := watch("webhooks[0]", w, app.WebhookRequest{Clock: clock, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	sign := signing(keys)
	signs := func(by ...string) {
		t.Helper()
		signature, body := sign("e-1", clock.now, []byte("{}")), []byte("{}")
		for _, secret := range []string{first, second} {
			want := strings.Contains(strings.Join(by, "\n"), secret)
			if got := webhook.Verify([][]byte{[]byte(secret)}, "e-1", clock.now, body, signature); got != want {
				t.Errorf("%q signs: %t", secret, got)
			}
		}
	}
	signs(first)
	write(w.SecretFile, second)
	signs(first, second)
	write(w.SecretFile, "short") // an editor's slip
	signs(first, second)
	write(w.SecretFile, second)
	signs(first, second)
	write(w.PreviousSecretFile, second)
	signs(second)
}
