package scenariotest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The kinds of work that a report can wait for: the subjects of the project's next issues.
var kinds = []string{"edges", "life of a call", "service", "console"}

// mapping is docs/scenarios.md, as far as a machine reads it.
type mapping struct {
	tests   map[string][]string // by id: package.Test
	waiting map[string]string   // by id: the kind of issue
	faults  []string
}

var (
	testID   = regexp.MustCompile(`Scenario((?:VL?[0-9]+|I[0-9]+)+)`)
	oneID    = regexp.MustCompile(`VL?[0-9]+|I[0-9]+`)
	testName = regexp.MustCompile("`([a-z0-9/]+)\\.(Test[A-Za-z0-9]+)`")
)

// readMapping reads the two tables of the document: id, tests, remark; and id, kind of issue, reason.
func readMapping(text string) mapping {
	m := mapping{tests: map[string][]string{}, waiting: map[string]string{}}
	section := ""
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.TrimSpace(title)
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if !strings.HasPrefix(line, "|") || len(cells) != 3 || !oneID.MatchString(cells[0]) {
			continue
		}
		id := strings.TrimSpace(cells[0])
		switch section {
		case "Tests":
			names := testName.FindAllStringSubmatch(cells[1], -1)
			if len(names) == 0 {
				m.faults = append(m.faults, id+" names no test")
			}
			for _, name := range names {
				m.tests[id] = append(m.tests[id], name[1]+"."+name[2])
			}
		case "Waiting":
			kind := strings.TrimSpace(cells[1])
			if !slices.Contains(kinds, kind) {
				m.faults = append(m.faults, fmt.Sprintf("%s waits for %q, which is no kind of issue", id, kind))
			}
			if strings.TrimSpace(cells[2]) == "" {
				m.faults = append(m.faults, id+" waits without a reason")
			}
			m.waiting[id] = kind
		}
	}
	return m
}

// testsIn returns the tests under a folder, as package.Test, with the ids that their names carry.
func testsIn(root fs.FS) (map[string][]string, error) {
	found := map[string][]string{}
	err := fs.WalkDir(root, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && file != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(file, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, file)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil || !strings.HasPrefix(f.Name.Name, "Test") {
				continue
			}
			found[path.Dir(file)+"."+f.Name.Name] = idsOf(f.Name.Name)
		}
		return nil
	})
	return found, err
}

// idsOf returns the ids that a test's name carries.
func idsOf(name string) []string {
	match := testID.FindStringSubmatch(name)
	if match == nil {
		return nil
	}
	return oneID.FindAllString(match[1], -1)
}

// compare returns what is wrong between the list of reports, the document and the tests.
func compare(ids []string, m mapping, tests map[string][]string) []string {
	wrong := slices.Clone(m.faults)
	find := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for _, id := range ids {
		if len(m.tests[id]) == 0 && m.waiting[id] == "" {
			find("%s is neither tested nor waiting", id)
		}
	}
	for id, names := range m.tests {
		if !slices.Contains(ids, id) {
			find("%s of the document is no report", id)
		}
		for _, name := range names {
			if carried, exists := tests[name]; !exists {
				find("%s: there is no test %s", id, name)
			} else if !slices.Contains(carried, id) {
				find("%s: the name of %s does not carry it", id, name)
			}
		}
	}
	for id := range m.waiting {
		if !slices.Contains(ids, id) {
			find("%s of the document is no report", id)
		}
	}
	for name, carried := range tests {
		for _, id := range carried {
			if !slices.Contains(m.tests[id], name) {
				find("%s is not in the document under %s", name, id)
			}
		}
	}
	slices.Sort(wrong)
	return wrong
}

// reports reads the list of ids.
func reports(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("testdata/ids.txt")
	if err != nil {
		t.Fatal(err)
	}
	ids := strings.Fields(string(text))
	if distinct := slices.Sorted(maps.Keys(set(ids))); len(distinct) != len(ids) || len(ids) < 100 {
		t.Fatalf("%d ids, %d of them distinct", len(ids), len(distinct))
	}
	return ids
}

func set(list []string) map[string]bool {
	s := map[string]bool{}
	for _, v := range list {
		s[v] = true
	}
	return s
}

func TestEveryReportIsATestOrWaitsForAReason(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := testsIn(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range compare(reports(t), readMapping(string(text)), tests) {
		t.Error(wrong)
	}
}
