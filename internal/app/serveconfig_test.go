package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func withServe(section string) string {
	return `
ledger: {driver: sqlite, path: calls.db}
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"}
serve: ` + section
}

func TestTheServiceListensOnLoopbackUnlessToldOtherwise(t *testing.T) {
	t.Parallel()
	c, err := Parse("test", []byte(withServe(`{}`)))
	if err != nil || c.Serve.ListenAddress() != "127.0.0.1:7464" || c.Serve.HasTLS() || c.Serve.Duration(c.Serve.Drain) != 0 {
		t.Errorf("%v: %+v", err, c)
	}
	c, err = Parse("test", []byte(withServe(`{listen: "[::1]:1", drain: 1m, tls: {cert_file: a, key_file: b, client_ca_file: c, clients: optional}, limits: {concurrent: 5, read_time: 2s}, queues: [{url: x, lanes: 3, visibility: 30s, max_back_off: 5m}]}`)))
	if err != nil || c.Serve.ListenAddress() != "[::1]:1" || !c.Serve.HasTLS() || c.Serve.Duration(c.Serve.Drain) != time.Minute {
		t.Errorf("%v: %+v", err, c)
	}
}

func TestASectionOfTheServiceThatCannotBeIsRefusedByItsKey(t *testing.T) {
	t.Parallel()
	for section, field := range map[string]string{
		`{listen: "7464"}`:            "serve.listen",
		`{listen: "127.0.0.1:99999"}`: "serve.listen",
		`{listen: "127.0.0.1:http"}`:  "serve.listen",
		`{tls: {cert_file: a}}`:       "serve.tls",
		`{tls: {key_file: a}}`:        "serve.tls",
		`{tls: {client_ca_file: a}}`:  "serve.tls.client_ca_file",
		`{tls: {clients: optional}}`:  "serve.tls.clients",
		`{tls: {cert_file: a, key_file: b, client_ca_file: c, clients: sometimes}}`: "serve.tls.clients",
		`{limits: {concurrent: -1}}`:                                          "serve.limits.concurrent",
		`{limits: {body_bytes: -1}}`:                                          "serve.limits.concurrent",
		`{limits: {write_time: 1h}}`:                                          "serve.limits.write_time",
		`{metrics_auth: true}`:                                                "serve.metrics_auth",
		`{traces: {sample: 0.5}}`:                                             "serve.traces.endpoint",
		`{traces: {endpoint: "http://collector.example.com/v1/traces"}}`:      "serve.traces.endpoint",
		`{traces: {endpoint: "http://10.0.0.1:4318"}}`:                        "serve.traces.endpoint",
		`{traces: {endpoint: "https://user:secret@collector.example.com"}}`:   "serve.traces.endpoint",
		`{traces: {endpoint: "https://collector.example.com?key=secret"}}`:    "serve.traces.endpoint",
		`{traces: {endpoint: "grpc://127.0.0.1:4317"}}`:                       "serve.traces.endpoint",
		`{traces: {endpoint: "https://collector.example.com", sample: 1.5}}`:  "serve.traces.sample",
		`{traces: {endpoint: "https://collector.example.com", sample: -0.1}}`: "serve.traces.sample",
		`{drain: soon}`:                           "serve.drain",
		`{drain: 0s}`:                             "serve.drain",
		`{queues: [{lanes: 1}]}`:                  "serve.queues[0].url",
		`{queues: [{url: a}, {url: a}]}`:          "serve.queues[1].url",
		`{queues: [{url: a, lanes: 1001}]}`:       "serve.queues[0].lanes",
		`{queues: [{url: a, visibility: 1s}]}`:    "serve.queues[0].visibility",
		`{queues: [{url: a, max_back_off: 13h}]}`: "serve.queues[0].max_back_off",
	} {
		_, err := Parse("test", []byte(withServe(section)))
		told, ok := errors.AsType[*call.Error](err)
		if !ok || told.Field != field {
			t.Errorf("%s: %v, want a refusal of %s", section, err, field)
		}
	}
}

func TestTheDataDirectoryIsTheUsersAndOnlyTheirs(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	lookup := func(data, home string) func(string) (string, bool) {
		return func(name string) (string, bool) {
			value := map[string]string{"XDG_DATA_HOME": data, "HOME": home}[name]
			return value, value != ""
		}
	}
	for want, look := range map[string]func(string) (string, bool){
		filepath.Join(base, "data", "ringonce"):                    lookup(filepath.Join(base, "data"), filepath.Join(base, "home")),
		filepath.Join(base, "home", ".local", "share", "ringonce"): lookup("relative/is/ignored", filepath.Join(base, "home")),
	} {
		dir, err := DataDirectory(look)
		if err != nil || dir != want {
			t.Errorf("%s, %v; want %s", dir, err, want)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v, %v", info, err)
		}
	}
	if _, err := DataDirectory(lookup("", "")); call.CodeOf(err) != call.CodeConfiguration {
		t.Errorf("without a home: %v", err)
	}
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := DataDirectory(lookup(file, "")); call.CodeOf(err) != call.CodeConfiguration {
		t.Errorf("in a file: %v", err)
	}
}

func TestTheEmbeddedConfigurationRingsNothingReal(t *testing.T) {
	t.Parallel()
	telephone := Telephone{"http://127.0.0.1:1", "us-east-1", "11111111-2222-4333-8444-555555555555", "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee", "+12025550100"}
	c, err := Embedded("/data dir/with \"quotes\"", telephone)
	if err != nil || c.IsProduction() || c.Connect.Endpoint != telephone.Endpoint || !strings.HasPrefix(c.Ledger.Path, "/data dir/with \"quotes\"") {
		t.Errorf("%v: %+v", err, c)
	}
	telephone.Endpoint = "https://connect.us-east-1.amazonaws.com"
	if _, err := Embedded("/data", telephone); call.CodeOf(err) != call.CodeConfiguration {
		t.Errorf("a telephone that is not on loopback: %v", err)
	}
}
