package app_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
)

const (
	identityARN = "arn:aws:secretsmanager:us-east-1:111122223333:secret:ringonce/identity-AbCdEf"
	tokenARN    = "arn:aws:ssm:us-east-1:111122223333:parameter/ringonce/token"
	keyA        = "the identity key A, 32 bytes or more"
	keyB        = "the identity key B, 32 bytes or more"
)

// vault stands in for both stores and holds one value.
func vault(t *testing.T) (endpoint string, value *atomic.Value) {
	t.Helper()
	value = new(atomic.Value)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		held, _ := value.Load().(string)
		answer := object{"SecretString": held, "Parameter": object{"Type": "SecureString", "Value": held}}
		if held == "" {
			w.WriteHeader(http.StatusBadRequest)
			answer = object{"__type": "AccessDeniedException", "Message": keyA}
		}
		if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 Credential=") {
			t.Error("a request for a key is not signed")
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, value
}

func keyed(t *testing.T, more string) *app.Config {
	t.Helper()
	text := strings.Replace(good, "path: calls.db", "path: "+filepath.Join(t.TempDir(), "calls.db"), 1) + more
	c, err := app.Parse("ringonce.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func start(t *testing.T, c *app.Config) error {
	t.Helper()
	state := t.TempDir()
	a, err := app.New(t.Context(), c, app.Options{
		Stores: stores.All(), Random: newSource(1), LookupEnv: func(name string) (string, bool) { return state, name == "XDG_STATE_HOME" },
	})
	if err != nil {
		return err
	}
	return a.Close()
}

func TestAKeyComesFromASecretAndAnotherOneIsRefusedByTheLedger(t *testing.T) {
	t.Parallel()
	endpoint, value := vault(t)
	c := keyed(t, fmt.Sprintf("secrets: {endpoint: %q}\nidentity: {mode: hmac, key_secret: %q}\ntoken: {recipe: hmac-sha256, key_secret: %q}\n", endpoint, identityARN, tokenARN))
	value.Store(keyA)
	if err := start(t, c); err != nil {
		t.Fatal(err)
	}
	value.Store(keyA + "\n") // a line feed is not part of it
	if err := start(t, c); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "id.key")
	if err := os.WriteFile(file, []byte(keyA), 0o600); err != nil {
		t.Fatal(err)
	}
	moved := *c
	moved.Identity = app.Identity{Mode: "hmac", KeyFile: file} // the same key from elsewhere is the same identity
	if err := start(t, &moved); err != nil {
		t.Fatal(err)
	}
	value.Store(keyB) // a rotation, or the ARN of another stage
	if err := start(t, c); call.CodeOf(err) != call.CodeConfiguration || !strings.Contains(err.Error(), "identity") {
		t.Errorf("a ledger was opened with another key: %v", err)
	}
}

func TestAKeyThatCannotBeHadEndsTheStartWithAStep(t *testing.T) {
	t.Parallel()
	endpoint, value := vault(t)
	for group, arn := range map[string]string{"identity: {mode: hmac, ": identityARN, "token: {recipe: hmac-sha256, ": tokenARN} {
		c := keyed(t, fmt.Sprintf("secrets: {endpoint: %q}\n%skey_secret: %q}\n", endpoint, group, arn))
		field, _, _ := strings.Cut(group, ":")
		for held, says := range map[string]string{"": "this role may not do", "short": "holds 5 bytes"} {
			value.Store(held)
			err := start(t, c)
			refusal, ok := errors.AsType[*call.Error](err)
			if !ok || refusal.Field != field+".key_secret" || refusal.Fix == "" || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "short") || strings.Contains(err.Error(), keyA) {
				t.Errorf("%q: %v", held, err)
			}
		}
	}
}

func TestAKeyComesFromExactlyOnePlace(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		"identity: {mode: hmac}":       "identity.key_file",
		"token: {recipe: hmac-sha256}": "token.key_file",
		"identity: {mode: hmac, key_file: a, key_secret: " + `"` + identityARN + `"}`:      "identity.key_secret",
		"token: {recipe: hmac-sha256, key_file: a, key_secret: " + `"` + tokenARN + `"}`:   "token.key_secret",
		"identity: {mode: hmac, key_secret: ringonce/identity}":                            "identity.key_secret",
		"identity: {mode: hmac, key_secret: \"arn:aws:kms:us-east-1:111122223333:key/a\"}": "identity.key_secret",
		"secrets: {endpoint: \"http://192.0.2.1\"}":                                        "secrets.endpoint",
	} {
		_, err := app.Parse("ringonce.yaml", []byte(good+text+"\n"))
		if refusal, ok := errors.AsType[*call.Error](err); !ok || refusal.Field != field {
			t.Errorf("%s: %v", text, err)
		}
	}
	_, err := app.Parse("ringonce.yaml", []byte(strings.NewReplacer("production: false", "production: true", "connect:\n  endpoint: http://127.0.0.1:7465\n", "").Replace(good)+"secrets: {endpoint: \"http://127.0.0.1:1\"}\n"))
	if refusal, ok := errors.AsType[*call.Error](err); !ok || refusal.Field != "secrets.endpoint" {
		t.Errorf("an emulator of secrets in production: %v", err)
	}
}

func TestANamingThatIsPrintedHidesItsKey(t *testing.T) {
	t.Parallel()
	endpoint, value := vault(t)
	value.Store(keyA)
	c := keyed(t, fmt.Sprintf("secrets: {endpoint: %q}\nidentity: {mode: hmac, key_secret: %q}\n", endpoint, identityARN))
	naming, err := c.Naming(t.Context(), app.Options{LookupEnv: app.LookupNothing})
	if err != nil || string(naming.Secret) != keyA {
		t.Fatalf("the key was not read: %v", err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		for _, held := range []any{naming, &naming, struct{ N call.Naming }{naming}} {
			if printed := fmt.Sprintf(verb, held); strings.Contains(printed, keyA) || strings.Contains(printed, fmt.Sprintf("%x", keyA)) || strings.Contains(printed, "116 104 101") {
				t.Errorf("%s prints %s", verb, printed)
			}
		}
	}
}
