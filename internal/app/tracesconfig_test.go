package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHeadersOfTheCollectorComeFromAPrivateFileAndAreNeverPrinted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "headers")
	read := func(text string, mode os.FileMode) (string, error) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		c, err := Parse("test", []byte(withServe(fmt.Sprintf(`{traces: {endpoint: "https://collector.example.com", headers_file: %q}}`, path))))
		if err != nil {
			t.Fatal(err)
		}
		if c.Serve.Traces.URL() != "https://collector.example.com/v1/traces" || c.Serve.Traces.Share() != 1 {
			t.Errorf("%q, %v", c.Serve.Traces.URL(), c.Serve.Traces.Share())
		}
		headers, err := c.TraceHeaders()
		printed := fmt.Sprintf("%v %+v %#v %v", headers, headers, headers, err)
		if strings.Contains(printed, "hush") {
			t.Errorf("printed: %s", printed)
		}
		return string(headers["Authorization"].Reveal()), err
	}
	if got, err := read("Authorization: Bearer hush\n\nX-Tenant: a\n", 0o600); err != nil || got != "Bearer hush" {
		t.Errorf("%q, %v", got, err)
	}
	for text, mode := range map[string]os.FileMode{
		"Authorization: hush": 0o644, "hush": 0o600, "Authorization:": 0o600, "Authori zation: hush": 0o600, "A: hush\x01": 0o600,
		strings.Repeat("x", 65) + ": hush": 0o600,
	} {
		if _, err := read(text, mode); err == nil || !strings.Contains(err.Error(), "serve.traces.headers_file") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
