//go:build lint

package lintrules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/styletest"
)

func TestGolangciReportsEveryPlantedImport(t *testing.T) {
	t.Parallel()
	rules, err := styletest.ReadRules(settings(t))
	if err != nil {
		t.Fatal(err)
	}
	byRule := map[string][]styletest.Plant{}
	for _, p := range styletest.Plants(rules) {
		byRule[p.Rule] = append(byRule[p.Rule], p)
	}
	for rule, plants := range byRule {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			m := newModule(t)
			for _, p := range plants {
				m.write(p.File, p.Source())
				m.provide(p.Import)
			}
			report := m.lint("depguard")
			for _, p := range plants {
				if !mentions(report, filepath.Base(p.File), p.Import, p.Reason) {
					t.Errorf("%s imports %s: not reported with %q in\n%s", p.File, p.Import, p.Reason, report)
				}
			}
		})
	}
}

// The control: without depguard the same plant goes unreported, so the test above does not pass on any output.
func TestAPlantedImportGoesUnreportedWhenItsLinterIsOff(t *testing.T) {
	t.Parallel()
	rules, err := styletest.ReadRules(settings(t))
	if err != nil {
		t.Fatal(err)
	}
	plant := styletest.Plants(rules)[0]
	m := newModule(t)
	m.write(plant.File, plant.Source())
	m.provide(plant.Import)
	if report := m.lint("errorlint"); mentions(report, plant.Import, plant.Reason) {
		t.Errorf("reported without depguard:\n%s", report)
	}
}

func TestGolangciReportsEveryPlantedFault(t *testing.T) {
	t.Parallel()
	const state = "// State is a state.\ntype State int\n\n// States.\nconst (\n\tOpen State = iota\n\tClosed\n)\n\n"
	tests := []struct{ linter, file, body, want string }{
		{"forbidigo", "internal/call/a.go", "// F reads the clock.\nfunc F() any { return time.Now() }\n", "take the clock as an argument"},
		{"forbidigo", "internal/envelope/a.go", "// F draws.\nfunc F() any { return rand.Int() }\n", "take randomness as an argument"},
		{"exhaustive", "a/a.go", state + "// F decides.\nfunc F(s State) int {\n\tswitch s {\n\tcase Open:\n\t\treturn 1\n\tdefault:\n\t\treturn 2\n\t}\n}\n", "Closed"},
		{"godot", "a/a.go", "// F is no sentence\nfunc F() {}\n", "Comment should end in a period"},
		{"errcheck", "a/a.go", "// F asserts.\nfunc F(x any) int { return x.(int) }\n", "Error return value is not checked"},
		{"errorlint", "a/a.go", "// F wraps.\nfunc F(err error) error { return fmt.Errorf(\"f: %v\", err) }\n", "non-wrapping format verb"},
		{"sloglint", "a/a.go", "// F logs.\nfunc F() { slog.Info(\"x\", \"k\", 1) }\n", "should not be used"},
		{"nolintlint", "a/a.go", "// F is exempt.\nfunc F() {} //nolint\n", "should mention specific linter"},
		{"revive", "a/a.go", "func F() {}\n", "exported function F should have comment"},
	}
	for _, test := range tests {
		t.Run(test.linter+" "+filepath.Dir(test.file), func(t *testing.T) {
			t.Parallel()
			m := newModule(t)
			m.write(test.file, "// Package a is planted.\npackage a\n\n"+importsFor(test.body)+test.body)
			if report := m.lint(test.linter); !strings.Contains(report, test.want) {
				t.Errorf("%q is missing in the report:\n%s", test.want, report)
			}
		})
	}
}

// importsFor returns the import lines a planted body needs.
func importsFor(body string) string {
	var b strings.Builder
	for name, path := range map[string]string{"time.": "time", "rand.": "math/rand/v2", "fmt.": "fmt", "slog.": "log/slog"} {
		if strings.Contains(body, name) {
			b.WriteString("import \"" + path + "\"\n\n")
		}
	}
	return b.String()
}

// mentions reports whether one line of the report holds all parts.
func mentions(report string, parts ...string) bool {
	for line := range strings.Lines(report) {
		all := true
		for _, part := range parts {
			all = all && strings.Contains(line, part)
		}
		if all {
			return true
		}
	}
	return false
}

// settings returns the project's lint settings.
func settings(t *testing.T) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", ".golangci.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
