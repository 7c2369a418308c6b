//go:build integration

package clients

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/awstest"
)

// document is what the clients are generated from.
const document = "../../internal/ingress/httpapi/openapi.yaml"

// programs make the program of a language, which is generated in a folder of its own.
var programs = map[string]func(t *testing.T) []string{
	"python": func(t *testing.T) []string {
		t.Helper()
		interpreter, dir := awstest.OpenAPIPython(t), t.TempDir()
		write(t, filepath.Join(dir, "generator.yaml"), "post_hooks: []\n")
		run(t, interpreter, "-m", "openapi_python_client", "generate", "--path", document, "--meta", "none", "--config", filepath.Join(dir, "generator.yaml"),
			"--output-path", filepath.Join(dir, "ringonce_client"))
		copied(t, "python/place.py", dir)
		return []string{interpreter, "-B", filepath.Join(dir, "place.py")}
	},
	"typescript": func(t *testing.T) []string {
		t.Helper()
		modules, generator, compiler := awstest.OpenAPITypeScript(t)
		dir := t.TempDir()
		run(t, "node", generator, document, "-o", filepath.Join(dir, "api.d.ts"))
		copied(t, "typescript/place.ts", dir)
		copied(t, "typescript/tsconfig.json", dir)
		write(t, filepath.Join(dir, "package.json"), `{"type": "module"}`)
		if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
			t.Fatal(err)
		}
		run(t, "node", compiler, "--project", dir)
		return []string{"node", filepath.Join(dir, "place.js")}
	},
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func copied(t *testing.T, from, dir string) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, filepath.Base(from)), string(text))
}

func run(t *testing.T, program string, args ...string) {
	t.Helper()
	if output, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, output)
	}
}

// printed is an output that is read while it is written.
type printed struct {
	mu   sync.Mutex
	text strings.Builder
}

func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// service is the built program, which serves, and the telephone network that it rings.
type service struct {
	telephone *connectemu.Server
	url, key  string
}

var (
	api    = regexp.MustCompile(`(?m)^\s+api\s+(http://\S+)$`)
	issued = regexp.MustCompile(`^ro_\S+\n$`)
)

func serve(t *testing.T) *service {
	t.Helper()
	telephone, err := connectemu.New(connectemu.Config{StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, SearchRate: connectemu.Unlimited})
	if err != nil {
		t.Fatal(err)
	}
	network := httptest.NewServer(telephone)
	t.Cleanup(func() { telephone.Close(); network.Close() })
	dir := t.TempDir()
	binary, config := filepath.Join(dir, "ringonce"), filepath.Join(dir, "ringonce.yaml")
	run(t, "go", "build", "-o", binary, "github.com/ringonce/ringonce/cmd/ringonce")
	write(t, config, `
production: false
connect: {endpoint: "`+network.URL+`"}
ledger: {driver: sqlite, path: "`+filepath.Join(t.TempDir(), "calls.db")+`"}
access: {keys_file: "`+filepath.Join(dir, "keys.json")+`"}
serve: {listen: "127.0.0.1:0", drain: 5s}
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"}
`)
	env := []string{"HOME=" + dir, "USER=test", "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test"}
	add := exec.CommandContext(t.Context(), binary, "access", "key", "add", "--config", config, "--producer", "shop")
	add.Env = env
	key, err := add.Output()
	if err != nil || !issued.Match(key) {
		t.Fatalf("make a key: %v", err)
	}
	s := &service{telephone: telephone, key: filepath.Join(dir, "shop.key")}
	write(t, s.key, string(key))
	out := &printed{}
	process := exec.CommandContext(t.Context(), binary, "--config", config, "serve")
	process.Env, process.Stdout, process.Stderr = env, out, out
	process.Cancel = func() error { return process.Process.Signal(syscall.SIGTERM) }
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Wait() }) // the context of a test ends before its cleanups
	for deadline := time.Now().Add(time.Minute); !strings.Contains(out.String(), `"msg":"serving"`); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the service does not serve:\n%s", out)
		}
	}
	s.url = api.FindStringSubmatch(out.String())[1]
	return s
}

// place runs a program for a notification. The number goes by standard input.
func (s *service) place(t *testing.T, program []string, notification string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program[0], append(program[1:], notification)...)
	cmd.Env = append(os.Environ(), "SERVER="+s.url, "RINGONCE_API_KEY_FILE="+s.key)
	cmd.Stdin = strings.NewReader("+819000000001\n")
	output, err := cmd.CombinedOutput()
	return string(output), err
}

func TestAGeneratedClientInEachLanguagePlacesACallTwiceAndItRingsOnce(t *testing.T) {
	s := serve(t)
	rings := 0
	for language, made := range programs {
		program := made(t)
		rings++
		output, err := s.place(t, program, "fire-"+language)
		if want := "placed true\nduplicate of the same call: true\nnow placed\n"; err != nil || output != want {
			t.Errorf("%s: %v\n%s", language, err, output)
		}
		if n := s.telephone.RingCount(); n != rings {
			t.Errorf("%s: %d rings, want %d", language, n, rings)
		}
		output, err = s.place(t, program, "fire-"+language) // another process, the same request
		if err != nil || !strings.HasPrefix(output, "duplicate true\n") {
			t.Errorf("%s, once more: %v\n%s", language, err, output)
		}
		if n := s.telephone.RingCount(); n != rings {
			t.Errorf("%s, once more: %d rings, want %d", language, n, rings)
		}
	}
	// What is refused ends each program with the code of the problem.
	write(t, s.key, "ro_wrong")
	for language, made := range programs {
		if output, err := s.place(t, made(t), "fire-"+language); err == nil || !strings.Contains(output, "refused with 401: unauthorized: ") {
			t.Errorf("%s with a wrong key: %v\n%s", language, err, output)
		}
	}
	if n := s.telephone.RingCount(); n != rings {
		t.Errorf("%d rings, want %d", n, rings)
	}
}
