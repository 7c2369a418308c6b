package cli

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// auditedDesk returns a desk with an audit log in a folder of its own, and the keys of the producer crm and of kim, who administers.
func auditedDesk(t *testing.T) (d *desk, audit string, keys map[string]string) {
	t.Helper()
	d = newDesk(t, "")
	audit = filepath.Join(d.dir, "audit")
	d.add(fmt.Sprintf("access: {keys_file: %q, audit_dir: %q}\n", filepath.Join(d.dir, "keys.json"), audit))
	keys = map[string]string{}
	for name, args := range map[string][]string{"crm": {"--producer", "crm"}, "kim": {"--operator", "--role", "admin", "--name", "kim"}} {
		key, _ := d.run(ExitOK, append([]string{"access", "key", "add"}, args...)...)
		keys[name] = strings.TrimSpace(key)
	}
	return d, audit, keys
}

func TestAServiceWhoseAuditLogCannotBeWrittenRefusesOperatorsUntilItCanAndGoesOnForProducers(t *testing.T) {
	t.Parallel()
	d, audit, keys := auditedDesk(t)
	s := d.serve()
	ask := func(path string) int {
		return s.send(http.MethodPost, path, keys["kim"], `{"target":"profile","name":"alert","reason":"a flood"}`)
	}
	check := func(holds bool) {
		t.Helper()
		var ready struct{ Checks []struct{ Name, Code string } }
		text := s.read("/readyz")
		if err := json.Unmarshal([]byte(text), &ready); err != nil {
			t.Fatal(err)
		}
		for _, c := range ready.Checks {
			if c.Name == "audit" {
				if (c.Code == "") != holds {
					t.Errorf("readiness: %s", text)
				}
				return
			}
		}
		t.Errorf("readiness does not look at the audit log: %s", text)
	}
	check(true)
	d.clock.advance(24 * time.Hour)
	blocked := filepath.Join(audit, "serve", "audit-"+d.clock.Now().UTC().Format(time.DateOnly)+".jsonl")
	if err := os.Mkdir(blocked, 0o700); err != nil { // so that nobody can write there, also not root
		t.Fatal(err)
	}
	if status, body := s.place(1, "Authorization", "Bearer "+keys["crm"]); status >= 300 { // its record fails
		t.Errorf("%d %s", status, body)
	}
	check(false)
	if got := ask("/v1/pauses"); got != http.StatusOK {
		t.Errorf("the kill switch hangs on the audit log: %d", got)
	}
	if got := ask("/v1/pauses/resume"); got != http.StatusServiceUnavailable {
		t.Errorf("an operator is answered %d while nothing is written down", got)
	}
	if status, body := s.place(2, "Authorization", "Bearer "+keys["crm"]); status >= 300 {
		t.Errorf("a producer is answered %d %s", status, body)
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	d.clock.advance(time.Minute)
	check(true)
	if got := ask("/v1/pauses/resume"); got != http.StatusOK {
		t.Errorf("an operator is answered %d although the log can be written again", got)
	}
	s.stop()
	told, _ := d.run(ExitOK, "audit", "tail", "--writer", "serve")
	says(t, told, "log.reopened", "up to 3 acts are not in it", "profile:alert")
	d.run(ExitOK, "audit", "verify")
}

func TestTheAuditCommandsTellWhatWasActedOnAndFindANumberByItsDigest(t *testing.T) {
	t.Parallel()
	d, audit, keys := auditedDesk(t)
	s := d.serve()
	for _, c := range []struct {
		key, path, body string
		want            int
	}{
		{"kim", "/v1/pauses", `{"target":"profile","name":"alert","reason":"a flood"}`, http.StatusOK},
		{"kim", "/v1/do-not-call", `{"number":"+819000000077","reason":"they asked"}`, http.StatusOK},
		{"kim", "/v1/do-not-call", `{"number":"+819000000078","reason":"someone else asked"}`, http.StatusOK},
		{"kim", "/v1/do-not-call/remove", `{"number":"+819000000077","reason":"by mistake"}`, http.StatusOK},
		{"kim", "/v1/pauses", `{"target":"profile","name":"+819000000077","reason":"a flood"}`, http.StatusUnprocessableEntity},
		{"crm", "/v1/pauses", `{"target":"all","reason":"a flood"}`, http.StatusForbidden},
	} {
		if got := s.send(http.MethodPost, c.path, keys[c.key], c.body); got != c.want {
			t.Errorf("%s: %d", c.body, got)
		}
	}
	s.stop()
	table, _ := d.run(ExitOK, "audit", "tail", "--writer", "serve")
	says(t, table, "TARGET", "profile:alert", "number#", "removeDoNotCall", "profile:+81******0077", "forbidden")
	csv, _ := d.run(ExitOK, "audit", "export", "--writer", "serve", "--format", "csv")
	says(t, csv, ",prev,target", ",profile:alert", "number:")
	lines, _ := d.run(ExitOK, "audit", "export", "--writer", "serve")
	says(t, lines, `"target":"profile:alert"`, `"personal":{"number":"`, `"actor":"crm","kind":"producer","action":"pause","answer":"forbidden"`)

	file := d.write("number", "+819000000077\n")
	found, _ := d.run(ExitOK, "audit", "tail", "--number-file", file)
	says(t, found, "they asked", "by mistake")
	if strings.Contains(found, "someone else") || strings.Contains(found, "pause") {
		t.Errorf("others are shown too: %s", found)
	}
	d.run(ExitOK, "audit", "verify")
	err := filepath.WalkDir(audit, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.Contains(string(text), "9000000077") {
			t.Errorf("%s holds a number", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	salts, err := filepath.Glob(filepath.Join(audit, "serve", "salt-*"))
	if err != nil || len(salts) == 0 {
		t.Fatal(salts, err)
	}
	for _, salt := range salts {
		if err := os.Remove(salt); err != nil {
			t.Fatal(err)
		}
	}
	if found, _ = d.run(ExitOK, "audit", "tail", "--number-file", file); strings.Contains(found, "they asked") {
		t.Errorf("what was erased is found: %s", found)
	}
	d.run(ExitOK, "audit", "verify")
}
