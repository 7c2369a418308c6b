package scenariotest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioV53AnIntervalOutOfRangeIsRefusedWithTheRange(t *testing.T) {
	t.Parallel()
	const sound = `production: false
connect: {endpoint: "http://127.0.0.1:7465", timeout: TIMEOUT}
profiles: {alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: 22222222-2222-4222-8222-222222222222, ring_timeout: RING}}
sweep: {every: SWEEP}
`
	fill := func(timeout, ring, sweep string) []byte {
		return []byte(strings.NewReplacer("TIMEOUT", timeout, "RING", ring, "SWEEP", sweep).Replace(sound))
	}
	if _, err := app.Parse("sound", fill("12s", "30s", "30s")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text   []byte
		bounds []string
	}{
		"connect.timeout":             {fill("10m", "30s", "30s"), []string{"10s", "15s"}},
		"profiles.alert.ring_timeout": {fill("12s", "10m", "30s"), []string{"15s", "1m0s"}},
		"sweep.every":                 {fill("12s", "30s", "10m"), []string{"1s", "4m"}},
	} {
		_, err := app.Parse("config.yaml", c.text)
		if err == nil || !strings.Contains(err.Error(), name) || slices.ContainsFunc(c.bounds, func(b string) bool { return !strings.Contains(err.Error(), b) }) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestScenarioV82ANumberIsRecognizableAndNowhereInFull(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	config := func(dir string) func(*app.Config) {
		key := filepath.Join(dir, "identity.key")
		if err := os.WriteFile(key, []byte("0123456789abcdef0123456789abcdef"), 0o600); err != nil {
			t.Fatal(err)
		}
		return func(c *app.Config) { c.Identity = app.Identity{Mode: "hmac", KeyFile: key} }
	}
	play(t, setting{log: &log, config: config(t.TempDir()), faults: "fail-500 nth=1; throttle nth=2"}, func(w *world) {
		w.sweep()
		byNumber := wish(142).with("recipientId", number(142)) // the recipient is named by its number
		w.send(byNumber)
		w.sweepFor(time.Hour)
		w.send(byNumber)
		w.rang(1)
		ids, err := w.app.Store.Index.ByRecipient(w.Context(), w.app.Engine.Naming.Recipient("", number(142)), 10)
		if err != nil || len(ids) != 1 { // a keyed hash finds the calls of a recipient
			t.Errorf("found %q by the recipient: %v", ids, err)
		}
		plain, err := w.app.Store.Index.ByRecipient(w.Context(), call.Naming{}.Recipient("", number(142)), 10)
		if err != nil || len(plain) != 0 {
			t.Errorf("the hash needs no key: %q, %v", plain, err)
		}
	})
	if text := log.String(); strings.Contains(text, number(142)) || strings.Contains(text, number(142)[1:]) || !strings.Contains(text, "+81******0142") {
		t.Errorf("the log says:\n%s", text)
	}
}

func TestScenarioV71TheStoredBodyIsTheOneThatWasOnTheWire(t *testing.T) {
	t.Parallel()
	play(t, setting{}, func(w *world) {
		w.send(wish(1).with("attributes", object{"language": "ja-JP", "text": "<b>5 < 6</b>"}))
		c := w.stands(wish(1), call.Placed)
		if sent := w.starts()[0]; sent.BodyHash != fmt.Sprintf("%x", sha256.Sum256([]byte(c.Pin))) {
			t.Errorf("the ledger holds another body than %s", sent.BodyHash)
		}
		contact, _ := w.emu.Contact(c.ContactID)
		for _, name := range []string{"language", "text", "ringonceCallId"} {
			if !strings.Contains(c.Pin, `"`+name+`"`) || contact.Attributes[name] == "" {
				t.Errorf("the attribute %s is missing in %v", name, contact.Attributes)
			}
		}
	})
}
