package awstest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// installed returns the folder of a tool, which is filled by fill if it does not exist. Of processes that fill it at once one wins; a
// folder is never seen half full.
func installed(t testing.TB, name string, fill func(dir string)) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatalf("find the cache directory: %v", err)
	}
	root := filepath.Join(cache, "ringonce-awstest")
	if err := os.MkdirAll(root, 0o750); err != nil {
		t.Fatalf("make the cache directory: %v", err)
	}
	dir := filepath.Join(root, name)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	fresh, err := os.MkdirTemp(root, "new-"+name+"-") //nolint:usetesting // it outlives the test, under its final name
	if err != nil {
		t.Fatalf("install %s: %v", name, err)
	}
	fill(fresh)
	err = os.Rename(fresh, dir)
	if errors.Is(err, fs.ErrExist) { // another process was faster
		err = os.RemoveAll(fresh)
	}
	if err != nil {
		t.Fatalf("install %s: %v", name, err)
	}
	return dir
}

// run runs a program of an installation to its end.
func run(t testing.TB, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = dir
	if output, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %q: %v\n%s", program, args, err, output)
	}
}

// python returns the interpreter of an environment that has these packages.
func python(t testing.TB, name string, packages ...string) string {
	t.Helper()
	dir := installed(t, name, func(dir string) {
		run(t, dir, "python3", "-m", "venv", dir)
		install := []string{"-m", "pip", "install", "--quiet", "--disable-pip-version-check"}
		run(t, dir, filepath.Join(dir, "bin", "python"), append(install, packages...)...)
	})
	return filepath.Join(dir, "bin", "python")
}

// node returns the folder node_modules of an installation that has these packages.
func node(t testing.TB, name string, packages ...string) string {
	t.Helper()
	dir := installed(t, name, func(dir string) {
		install := []string{"install", "--prefix", dir, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"}
		run(t, dir, "npm", append(install, packages...)...)
	})
	return filepath.Join(dir, "node_modules")
}
