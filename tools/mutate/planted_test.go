package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// module is a small module with one function and its tests.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.test/m\n\ngo 1.26\n",
		"sum/sum.go": `package sum

// Sum adds.
func Sum(a, b int) int {
	return a + b
}
`,
		"sum/sum_test.go": `package sum

import "testing"

func TestSum(t *testing.T) {
	for range Sum(1, 1) {
		if Sum(1, 2) != 3 {
			t.Error("wrong")
		}
	}
}

func TestNothing(t *testing.T) {}

func TestRed(t *testing.T) { t.Error("always") }
`,
		"world/main.go": `package main

import (
	"fmt"
	"os"

	"example.test/m/sum"
)

func main() {
	for seed := 1; seed <= 5; seed++ {
		if sum.Sum(seed, 1) != seed+1 {
			fmt.Printf("seed %d: wrong\n", seed)
			os.Exit(1)
		}
	}
}
`,
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func mutantOf(old, replacement, run string) mutant {
	return mutant{
		ID: "planted", What: "It is planted.", Breaks: "G1", Edits: []edit{{File: "sum/sum.go", Old: code(old), New: code(replacement)}},
		Tests: []test{{Package: "./sum", Run: run}},
	}
}

// only returns the verdict on one mutant.
func only(t *testing.T, c *campaign, m mutant, judge func(context.Context, *planting, *verdict) error) verdict {
	t.Helper()
	verdicts, err := c.all(t.Context(), []mutant{m}, judge, func(verdict) {})
	if err != nil {
		t.Fatal(err)
	}
	return verdicts[0]
}

// judged plants one mutant in the small module and returns its verdict with what a person sees and the exit code.
func judged(t *testing.T, m mutant) (v verdict, said string, exit int) {
	t.Helper()
	c := &campaign{tool: goTool{root: module(t), limit: 10 * time.Second}, jobs: 1}
	var out bytes.Buffer
	verdicts, err := c.all(t.Context(), []mutant{m}, c.byTests, func(v verdict) { tell(&out, v) })
	if err != nil {
		t.Fatal(err)
	}
	exit = summarize(&out, verdicts)
	return verdicts[0], out.String(), exit
}

func TestAMutantThatATestReportsIsCaught(t *testing.T) {
	t.Parallel()
	v, said, exit := judged(t, mutantOf("a + b", "a - b + 2", "^TestSum$"))
	if !v.caught() || v.by != "TestSum" || exit != 0 {
		t.Errorf("caught by %q, exit %d:\n%s", v.by, exit, said)
	}
}

func TestTheSecondTestIsAskedWhenTheFirstIsBlind(t *testing.T) {
	t.Parallel()
	m := mutantOf("a + b", "a - b + 2", "^TestNothing$")
	m.Tests = append(m.Tests, test{Package: "./sum", Run: "^TestSum$"})
	v, said, exit := judged(t, m)
	if v.test.Run != "^TestSum$" || exit != 0 {
		t.Errorf("caught by %s, exit %d:\n%s", v.test, exit, said)
	}
}

func TestAMutantThatNothingReportsSurvivesAndFailsTheRun(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]mutant{
		"no-op":      mutantOf("// Sum adds.", "// Sum adds up.", "^TestSum$"),
		"blind test": mutantOf("a + b", "a - b", "^TestNothing$"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, said, exit := judged(t, m)
			if v.caught() || v.err != nil || exit != exitSurvived || !strings.Contains(said, "SURVIVED") || !strings.Contains(said, "survivor planted") {
				t.Errorf("exit %d: %v\n%s", exit, v.err, said)
			}
		})
	}
}

func TestWhatProvesNothingIsAnError(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		m    mutant
		want string
	}{
		"the old text is gone":        {mutantOf("a * b", "a - b", "^TestSum$"), "occurs 0 times"},
		"the old text is there twice": {mutantOf("a", "b", "^TestSum$"), "times in sum/sum.go instead of once"},
		"it does not compile":         {mutantOf("a + b", "a + c", "^TestSum$"), "it does not compile"},
		"no test has the name":        {mutantOf("a + b", "a - b", "^TestSumm$"), "no test has such a name"},
		"the test fails anyhow":       {mutantOf("a + b", "a - b", "^TestRed$"), "does not pass without any mutant"},
		"the program ends":            {mutantOf("return a + b", "panicked()\n\treturn 0\n}\n\nfunc panicked() {\n\tos.Exit(3)", "^TestSum$"), "it does not compile"},
		"nothing says why":            {mutantOf("// Sum adds.", "import \"os\"\n\nfunc init() { os.Exit(3) }", "^TestSum$"), "no test says why"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, said, exit := judged(t, c.m)
			if v.err == nil || exit != exitWrong || !strings.Contains(said, c.want) || !strings.Contains(said, "ERROR") {
				t.Errorf("exit %d, want %q:\n%s", exit, c.want, said)
			}
		})
	}
}

func TestATestThatDoesNotEndCatchesNothingUnlessTheMutantSaysSo(t *testing.T) {
	t.Parallel()
	for _, hangs := range []bool{false, true} {
		m := mutantOf("return a + b", "for a > -1 {\n\t}\n\treturn b", "^TestSum$")
		m.Hangs = hangs
		c := &campaign{tool: goTool{root: module(t), limit: 2 * time.Second}, jobs: 1}
		v := only(t, c, m, c.byTests)
		if v.caught() != hangs || v.err != nil {
			t.Errorf("hangs %v: caught %v, %v", hangs, v.caught(), v.err)
		}
	}
}

func TestAPanicIsACatch(t *testing.T) {
	t.Parallel()
	v, said, exit := judged(t, mutantOf("return a + b", "panic(a + b)", "^TestSum$"))
	if v.by != "TestSum" || exit != 0 {
		t.Errorf("caught by %q, exit %d:\n%s", v.by, exit, said)
	}
}

func TestTheTreeIsNotTouched(t *testing.T) {
	t.Parallel()
	root := module(t)
	c := &campaign{tool: goTool{root: root, limit: 10 * time.Second}, jobs: 1}
	before, err := os.ReadFile(filepath.Join(root, "sum", "sum.go"))
	if err != nil {
		t.Fatal(err)
	}
	only(t, c, mutantOf("a + b", "a - b", "^TestSum$"), c.byTests)
	after, err := os.ReadFile(filepath.Join(root, "sum", "sum.go"))
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the mutated file changed: %v", err)
	}
	left, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil || len(left) != 3 {
		t.Errorf("the module holds %v: %v", left, err)
	}
}

func TestASimulationTellsTheFirstSeedThatSeesAMutant(t *testing.T) {
	t.Parallel()
	s := simulation{Name: "world", Seeds: 5, Program: []string{"./world"}, Found: `seed (\d+):`}
	for name, c := range map[string]struct {
		replacement string
		seed        int
	}{
		"seen":   {"a + b + a/3", 3},
		"unseen": {"a + b + a/7", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c2 := &campaign{tool: goTool{root: module(t), limit: 10 * time.Second}, jobs: 1}
			m := mutantOf("a + b", c.replacement, "")
			v := only(t, c2, m, c2.bySimulations([]simulation{s}))
			if v.err != nil || v.seeds["world"] != (sighting{Seed: c.seed, Seeds: 5}) {
				t.Errorf("%+v: %v", v.seeds, v.err)
			}
		})
	}
}

func TestASecondSimulationIsAskedForWhatTheFirstSeesAndNoneForWhatItCannotSee(t *testing.T) {
	t.Parallel()
	first := simulation{Name: "first", Seeds: 5, Program: []string{"./world"}, Found: `seed (\d+):`}
	second := first
	second.Name, second.After = "second", "first"
	blind := first
	blind.Name, blind.Blind = "blind", []blindness{{Path: "sum/", Reason: "it does not add"}}
	for name, c := range map[string]struct {
		replacement string
		asked       int
	}{
		"seen":   {"a + b + a/3", 2},
		"unseen": {"a + b + a/7", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c2 := &campaign{tool: goTool{root: module(t), limit: 10 * time.Second}, jobs: 1}
			v := only(t, c2, mutantOf("a + b", c.replacement, ""), c2.bySimulations([]simulation{first, second, blind}))
			if _, asked := v.seeds["blind"]; v.err != nil || asked || len(v.seeds) != c.asked {
				t.Errorf("%+v: %v", v.seeds, v.err)
			}
		})
	}
}

func TestASimulationThatFailsWithoutASeedIsAnError(t *testing.T) {
	t.Parallel()
	c := &campaign{tool: goTool{root: module(t), limit: 10 * time.Second}, jobs: 1}
	s := simulation{Name: "world", Seeds: 5, Test: test{Package: "./sum", Run: "^TestSum$"}, Found: `seed (\d+):`}
	v := only(t, c, mutantOf("a + b", "a - b + 2", ""), c.bySimulations([]simulation{s}))
	if v.err == nil || !strings.Contains(v.err.Error(), "names no seed") {
		t.Error(v.err)
	}
}
