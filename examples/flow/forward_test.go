//go:build integration

package flow

import (
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lambda invokes the function as its runtime does, once for each line of standard input, and prints an answer or the error a line.
const lambda = `
import json, sys
import forward
for line in sys.stdin:
    try:
        print(json.dumps(forward.handler(json.loads(line), None)))
    except Exception as e:
        print("error: " + str(e))
`

// secrets stands in for the SDK that the runtime of Lambda brings: each read returns the next key.
const secrets = `
class client:
    keys = ["first\n", "second\n"]
    def __init__(self, service):
        assert service == "secretsmanager"
    def get_secret_value(self, SecretId):
        assert SecretId == "arn:secret"
        return {"SecretString": client.keys.pop(0)}
`

func TestTheFunctionForwardsAReportAndReturnsTheAnswerAndFailsSoThatItIsInvokedAgain(t *testing.T) {
	t.Parallel()
	const event = `{"Name":"ContactFlowEvent","Details":{"ContactData":{"ContactId":"c","Attributes":{"name":"é"}},"Parameters":{"ringonce":"pressed"}}}`
	const told = `{"wanted": "no", "why": "canceled"}`
	answers := []int{http.StatusOK, http.StatusServiceUnavailable, http.StatusFound, http.StatusUnauthorized, http.StatusOK}
	var bearers []string
	service := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent, want any
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &sent) != nil || json.Unmarshal([]byte(event), &want) != nil {
			t.Errorf("%v: %s", err, body)
		}
		if a, _ := json.Marshal(sent); r.Method != http.MethodPost || r.URL.Path != "/v1/flow-reports" || r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s %v: %s", r.Method, r.URL, r.Header, a)
		} else if b, _ := json.Marshal(want); string(a) != string(b) {
			t.Errorf("sent %s, not %s", a, b)
		}
		bearers = append(bearers, r.Header.Get("Authorization"))
		w.Header().Set("Location", "/elsewhere")
		w.WriteHeader(answers[len(bearers)-1])
		_, _ = io.WriteString(w, told)
	}))
	t.Cleanup(service.Close)
	dir := t.TempDir()
	function, err := os.ReadFile("forward.py")
	if err != nil {
		t.Fatal(err)
	}
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: service.Certificate().Raw})
	for name, text := range map[string]string{"forward.py": string(function), "boto3.py": secrets, "invoke.py": lambda, "ca.pem": string(ca)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	python := exec.CommandContext(t.Context(), "python3", "-B", filepath.Join(dir, "invoke.py"))
	python.Env = append(os.Environ(), "RINGONCE_HOST="+service.Listener.Addr().String(), "RINGONCE_KEY_SECRET=arn:secret", "SSL_CERT_FILE="+filepath.Join(dir, "ca.pem"))
	python.Stdin = strings.NewReader(strings.Repeat(event+"\n", len(answers)))
	output, err := python.CombinedOutput()
	want := strings.Join([]string{told, "error: ringonce answered 503", "error: ringonce answered 302", "error: ringonce answered 401", told}, "\n")
	if got := strings.TrimSpace(string(output)); err != nil || got != want {
		t.Errorf("%v: the flow was told\n%s\nnot\n%s", err, got, want)
	}
	if got := strings.Join(bearers, ", "); got != "Bearer first, Bearer first, Bearer first, Bearer first, Bearer second" {
		t.Errorf("shown: %s", got)
	}
}
