package awstest

import (
	"os"
	"os/exec"
	"testing"
)

// browsers are the names under which Chromium is installed.
var browsers = []string{"chromium", "chromium-browser", "google-chrome-stable", "google-chrome"}

// Chromium returns the program of a Chromium. Where there is none it is installed by apt-get, which needs the rights of an administrator.
func Chromium(t testing.TB) string {
	t.Helper()
	if path := browser(); path != "" {
		return path
	}
	if os.Geteuid() != 0 {
		t.Fatalf("there is no browser: install one of %q", browsers)
	}
	run(t, t.TempDir(), "apt-get", "update", "-qq")
	run(t, t.TempDir(), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium")
	path := browser()
	if path == "" {
		t.Fatalf("apt-get installed chromium, and none of %q is there", browsers)
	}
	return path
}

func browser() string {
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}
