package main

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// here is the root of this module.
var here = filepath.Join("..", "..")

func theData(t *testing.T) data {
	t.Helper()
	d, err := load(embedded)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestEveryMutantAppliesToTheTreeOfNow(t *testing.T) {
	t.Parallel()
	for _, m := range theData(t).mutants {
		changed, err := m.mutate(here)
		if err != nil {
			t.Error(err)
		}
		for name, text := range changed {
			if _, err := parser.ParseFile(token.NewFileSet(), name, text, 0); err != nil {
				t.Errorf("mutant %s: %v", m.ID, err)
			}
		}
	}
}

// testsOf returns the names of the tests of a package.
func testsOf(t *testing.T, pkg string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(here, filepath.FromSlash(pkg), "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Errorf("%s has no tests: %v", pkg, err)
	}
	var names []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, declared := range parsed.Decls {
			if f, ok := declared.(*ast.FuncDecl); ok && f.Recv == nil {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names
}

func TestEveryTestThatIsNamedExists(t *testing.T) {
	t.Parallel()
	d := theData(t)
	known := map[string][]string{}
	see := func(id string, of test) {
		if known[of.Package] == nil {
			known[of.Package] = testsOf(t, of.Package)
		}
		for name := range strings.SplitSeq(strings.NewReplacer("^", "", "$", "", "(", "", ")", "").Replace(of.Run), "|") {
			if !slices.Contains(known[of.Package], name) {
				t.Errorf("%s: %s has no test %q", id, of.Package, name)
			}
		}
	}
	for _, m := range d.mutants {
		for _, of := range m.Tests {
			see(m.ID, of)
		}
	}
	for _, v := range d.variants {
		for _, of := range v.Tests {
			see(v.ID, of)
		}
	}
	for _, s := range d.simulations {
		if len(s.Program) == 0 {
			see(s.Name, s.Test)
		}
	}
}

// variantsOf reads the ids of the tables of sections 15 and 16.
func variantsOf(t *testing.T) []string {
	t.Helper()
	file, err := os.Open(filepath.Join(here, "docs", "protocol.md"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	first := regexp.MustCompile(`^\| ([NR][0-9]+[a-c]?) \|`)
	var ids []string
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if m := first.FindStringSubmatch(lines.Text()); m != nil {
			ids = append(ids, m[1])
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestNoVariantOfTheProtocolIsForgotten(t *testing.T) {
	t.Parallel()
	d := theData(t)
	var ids []string
	for _, v := range d.variants {
		ids = append(ids, v.ID)
		planted := slices.ContainsFunc(d.mutants, func(m mutant) bool { return m.ID == v.ID })
		switch v.As {
		case asMutant:
			if !planted {
				t.Errorf("%s: there is no such mutant", v.ID)
			}
		case asPlanted, asControl:
			if len(v.Tests) == 0 || v.Why == "" || planted {
				t.Errorf("%s: a test and a reason are needed, and no mutant", v.ID)
			}
		case asImpossible:
			if v.Why == "" || planted {
				t.Errorf("%s: a reason is needed, and no mutant", v.ID)
			}
		default:
			t.Errorf("%s: %q is unknown", v.ID, v.As)
		}
	}
	if want := variantsOf(t); !slices.Equal(ids, want) || len(want) != 61 {
		t.Errorf("the protocol has the %d variants\n%v\nand the data has the %d\n%v", len(want), want, len(ids), ids)
	}
	for _, m := range d.mutants {
		if regexp.MustCompile(`^[NR][0-9]`).MatchString(m.ID) && !slices.Contains(ids, m.ID) {
			t.Errorf("mutant %s has the id of no variant", m.ID)
		}
	}
}

func TestEachMutantThatOneWorldSeesTheOtherSeesOrThereIsAReason(t *testing.T) {
	t.Parallel()
	d := theData(t)
	for _, m := range d.mutants {
		for name := range m.Unseen {
			if name != "any" && !slices.ContainsFunc(d.simulations, func(s simulation) bool { return s.Name == name }) {
				t.Errorf("mutant %s: there is no simulation %q", m.ID, name)
			}
		}
		for _, s := range d.simulations {
			was := d.measured[m.ID].Seeds[s.Name]
			switch {
			case was.Seed > 0 || s.blind(m) != "":
			case s.After == "" && was.Seeds == 0:
				t.Errorf("mutant %s: nobody asked %s for it", m.ID, s.Name)
			case s.After != "" && d.measured[m.ID].Seeds[s.After].Seed > 0:
				t.Errorf("mutant %s: %s sees it and %s does not, and nobody says why", m.ID, s.After, s.Name)
			}
		}
	}
}

func TestIncompleteDataIsRefused(t *testing.T) {
	t.Parallel()
	good := "- id: a\n  what: It breaks.\n  breaks: G1\n  tests: [./sum TestSum]\n  edits:\n    - {file: sum/sum.go, old: a, new: b}\n"
	if _, err := load(dataOf(good)); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"two of one id":     good + good,
		"no sentence":       strings.Replace(good, "It breaks.", "it", 1),
		"no promise":        strings.Replace(good, "breaks: G1", "breaks: ''", 1),
		"no test":           strings.Replace(good, "[./sum TestSum]", "[]", 1),
		"a test elsewhere":  strings.Replace(good, "./sum TestSum", "sum TestSum", 1),
		"a changed test":    strings.Replace(good, "sum.go", "sum_test.go", 1),
		"a file above":      strings.Replace(good, "sum/sum.go", "../sum.go", 1),
		"nothing changes":   strings.Replace(good, "new: b", "new: a", 1),
		"an unknown member": strings.Replace(good, "breaks:", "brakes:", 1),
	} {
		if _, err := load(dataOf(text)); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
}

func dataOf(mutants string) fstest.MapFS {
	return fstest.MapFS{
		"data/a.yaml": {Data: []byte(mutants)}, variantsFile: {Data: []byte("[]\n")}, simulationFile: {Data: []byte("[]\n")},
		measuredFile: {Data: []byte("{}\n")},
	}
}

func TestLeadingBlanksStandForTabs(t *testing.T) {
	t.Parallel()
	d, err := load(dataOf("- id: a\n  what: It breaks.\n  breaks: G1\n  tests: [./sum]\n  edits:\n    - file: a.go\n      old: |-\n        if a {\n            b  c\n          }\n      new: \"x\\n    y\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	if e := d.mutants[0].Edits[0]; e.Old != "if a {\n\t\tb  c\n\t}" || e.New != "x\n\t\ty" {
		t.Errorf("%q, %q", e.Old, e.New)
	}
}

func TestTheQuickModeTakesOtherMutantsWhenItRotates(t *testing.T) {
	t.Parallel()
	d := data{measured: map[string]measured{}}
	for _, id := range []string{"a", "b", "c", "d", "e", "f"} {
		d.mutants = append(d.mutants, mutant{ID: id})
		d.measured[id] = measured{By: "Test", Seconds: 1}
	}
	d.measured["b"] = measured{By: "Test", Seconds: 60}
	seen := map[string]bool{}
	for rotate := range 5 {
		chosen, err := d.choose(flags{quick: 2, rotate: rotate})
		if err != nil || len(chosen) != 2 || chosen[0].ID == chosen[1].ID {
			t.Fatalf("%v: %v", chosen, err)
		}
		seen[chosen[0].ID], seen[chosen[1].ID] = true, true
	}
	if len(seen) != 5 || seen["b"] {
		t.Errorf("chosen were %v", seen)
	}
	if _, err := d.choose(flags{only: "a,z"}); err == nil {
		t.Error("an unknown id is taken")
	}
}
