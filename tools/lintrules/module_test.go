//go:build lint

package lintrules

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/styletest"
)

// module is a scratch copy of our module: its name and lint settings, and nothing but what a test plants.
type module struct {
	t    *testing.T
	dir  string
	file strings.Builder // go.mod
}

func newModule(t *testing.T) *module {
	t.Helper()
	m := &module{t: t, dir: t.TempDir()}
	m.file.WriteString("module " + styletest.Module + "\n\ngo 1.26.0\n")
	m.write(".golangci.yaml", string(settings(t)))
	return m
}

func (m *module) write(name, content string) {
	m.t.Helper()
	path := filepath.Join(m.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		m.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		m.t.Fatal(err)
	}
}

// provide makes an import path resolvable: a folder for a package of ours, a replaced module for one of others.
func (m *module) provide(imported string) {
	m.t.Helper()
	const empty = "// Package planted is empty.\npackage planted\n"
	first, _, _ := strings.Cut(imported, "/")
	if inside, ours := strings.CutPrefix(imported, styletest.Module+"/"); ours {
		m.write(inside+"/empty.go", empty)
		return
	}
	if !strings.Contains(first, ".") || strings.Contains(m.file.String(), "\nrequire "+imported+" ") {
		return
	}
	m.write("others/"+imported+"/go.mod", "module "+imported+"\n\ngo 1.26.0\n")
	m.write("others/"+imported+"/empty.go", empty)
	m.file.WriteString("\nrequire " + imported + " v0.0.0\nreplace " + imported + " => ./others/" + imported + "\n")
}

// lint runs one linter with the project's settings over the scratch module and returns its report.
func (m *module) lint(linter string) string {
	m.t.Helper()
	m.write("go.mod", m.file.String())
	binary, err := filepath.Abs(filepath.Join("..", "..", ".tools", "bin", "golangci-lint"))
	if err != nil {
		m.t.Fatal(err)
	}
	cmd := exec.CommandContext(m.t.Context(), binary, "run", "--enable-only="+linter, "--allow-parallel-runners",
		"--output.text.print-issued-lines=false", "--show-stats=false", "./...")
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("%v: run make tools first", err)
	}
	return string(out)
}
