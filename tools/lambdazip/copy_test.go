//go:build integration

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestAPackageBuiltFromACopyWithAnEmptyCacheIsByteIdentical compiles everything again, at another place, as another person would. The
// second path is longer than the first one.
func TestAPackageBuiltFromACopyWithAnEmptyCacheIsByteIdentical(t *testing.T) {
	here := t.TempDir()
	if err := build(t.Context(), "amd64", here); err != nil {
		t.Fatal(err)
	}
	elsewhere := filepath.Join(t.TempDir(), "a", "copy", "of", "the", "module")
	copyTracked(t, elsewhere)
	t.Setenv("GOCACHE", t.TempDir())
	t.Chdir(elsewhere)
	there := t.TempDir()
	if err := build(t.Context(), "amd64", there); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(read(t, here), read(t, there)) {
		t.Error("the packages differ")
	}
}

// copyTracked copies the files that git knows, and those it would take, to another directory.
func copyTracked(t *testing.T, to string) {
	t.Helper()
	command := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard", "-z")
	command.Dir = filepath.Join("..", "..")
	list, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(list), "\x00"), "\x00") {
		content, err := os.ReadFile(filepath.Join("..", "..", name))
		if os.IsNotExist(err) {
			continue // deleted and not committed yet
		}
		if err != nil {
			t.Fatal(err)
		}
		target := filepath.Join(to, name)
		if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(target, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
