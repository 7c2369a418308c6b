package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain lets this test binary play govulncheck: the first argument that names a part decides how it behaves.
func TestMain(m *testing.M) {
	if part := os.Getenv("RINGONCE_TEST_GOVULNCHECK"); part != "" {
		os.Exit(play(part, len(os.Args) > 1 && os.Args[1] == "-version"))
	}
	os.Exit(m.Run())
}

// play prints and returns what govulncheck v1.9.0 does in each situation.
func play(part string, version bool) int {
	if version {
		fmt.Println("Scanner: govulncheck@v1.9.0\nDB: https://vulndb.example.org")
		switch part {
		case "unreachable":
			fmt.Println()
		case "broken-tool":
			return 1
		default:
			fmt.Println("DB updated: 2026-11-20 10:00:00 +0000 UTC")
		}
		return 0
	}
	switch part {
	case "clean":
		fmt.Println("No vulnerabilities found.")
		return 0
	case "findings":
		fmt.Println("Vulnerability #1: GO-2026-0001")
		return 3
	case "lost-later":
		fmt.Fprintln(os.Stderr, "govulncheck: fetching vulnerabilities: connection reset")
		return 1
	}
	fmt.Fprintln(os.Stderr, "govulncheck: loading packages: no Go files")
	return 1
}

// Not parallel: the part is given through the environment.
func TestFindingsUnreachableDatabaseAndBrokenToolAreToldApart(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		part string
		code int
		says string
	}{
		{"clean", clean, "No vulnerabilities found."},
		{"findings", findings, "GO-2026-0001"},
		{"unreachable", clean, "NOT CHECKED"},
		{"lost-later", clean, "NOT CHECKED"},
		{"broken-tool", broken, "does not run"},
		{"broken-module", broken, "no Go files"},
	}
	for _, test := range tests {
		t.Run(test.part, func(t *testing.T) {
			t.Setenv("RINGONCE_TEST_GOVULNCHECK", test.part)
			var out strings.Builder
			if code := check(t.Context(), self, []string{"./..."}, &out); code != test.code {
				t.Errorf("exit code %d, want %d; it said:\n%s", code, test.code, out.String())
			}
			if !strings.Contains(out.String(), test.says) {
				t.Errorf("%q is missing in:\n%s", test.says, out.String())
			}
		})
	}
}

func TestAMissingToolIsAnErrorNotAnUnreachableDatabase(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if code := check(t.Context(), t.TempDir()+"/govulncheck", nil, &out); code != broken {
		t.Errorf("exit code %d, want %d; it said:\n%s", code, broken, out.String())
	}
}
