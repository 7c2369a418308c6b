package clitest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/ringonce/ringonce/internal/cli/clitest"
)

// verdict is a testscript.T that remembers whether a script failed.
type verdict struct {
	failed bool
	log    strings.Builder
}

// stopped ends a script that failed.
type stopped struct{}

// The methods of testscript.T.
func (v *verdict) Skip(...any)   { panic("a script was skipped") }
func (v *verdict) Fatal(...any)  { v.FailNow() }
func (v *verdict) FailNow()      { v.failed = true; panic(stopped{}) }
func (v *verdict) Parallel()     {}
func (v *verdict) Verbose() bool { return false }

func (v *verdict) Log(args ...any) {
	for _, arg := range args {
		if text, ok := arg.(string); ok {
			v.log.WriteString(text)
		}
	}
}

func (v *verdict) Run(_ string, f func(testscript.T)) {
	defer func() {
		if _, ok := recover().(stopped); !ok && v.failed {
			panic("a failed script did not stop")
		}
	}()
	f(v)
}

// run runs one script and returns what became of it.
func run(t *testing.T, script string) *verdict {
	t.Helper()
	file := filepath.Join(t.TempDir(), "script.txt")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	v := &verdict{}
	testscript.RunT(v, testscript.Params{Files: []string{file}, Setup: clitest.Prepare, Cmds: clitest.Commands()})
	return v
}

// A word that compares has to be able to fail, each for its own reason.
func TestAWrongExpectationFailsTheScript(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ script, why string }{
		"a wrong exit code":        {"exits 3 false", "ended with 1, not 3"},
		"a failure taken for none": {"exits 0 false", "ended with 1, not 0"},
		"a ring that was not":      {"emulator\nrings 1", "rang 0 times, not 1"},
		"no emulator":              {"rings 0", "start the emulator first"},
		"a text that is not there": {"replace old new file.txt\n-- file.txt --\ntext\n", "does not hold"},
		"a wrong end":              {"serve '' sleep 60\nend 0", "ended with -1, not 0"},
		"a program that ended":     {"serve never true", "ended before it was ready"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := run(t, c.script)
			if !v.failed || !strings.Contains(v.log.String(), c.why) {
				t.Errorf("failed: %v, without %q:\n%s", v.failed, c.why, v.log.String())
			}
		})
	}
}

func TestARightExpectationPasses(t *testing.T) {
	t.Parallel()
	v := run(t, "exits 1 false\nexits 0 true\nemulator\nrings 0\nserve '' sleep 60\nend -1\n")
	if v.failed {
		t.Errorf("failed:\n%s", v.log.String())
	}
}
