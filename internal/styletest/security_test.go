package styletest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	checklistLine = regexp.MustCompile(`^\| (D[0-9]+) [^|]*\| ([^|]*)\|`)
	checklistTest = regexp.MustCompile("`([a-z0-9/]+)\\.(Test[A-Za-z0-9]+)`")
)

// unbuilt are the lines that may name no test.
var unbuilt = []string{"D6", "D7", "D11"}

// checklistFaults says what is wrong with a security checklist whose tests are below root.
func checklistFaults(text, root string) (faults []string) {
	seen := map[string]bool{}
	for line := range strings.Lines(text) {
		cells := checklistLine.FindStringSubmatch(line)
		if cells == nil {
			continue
		}
		id, tests := cells[1], checklistTest.FindAllStringSubmatch(cells[2], -1)
		seen[id] = true
		if waits := strings.TrimSpace(cells[2]) == "not built yet"; waits != slices.Contains(unbuilt, id) || waits == (len(tests) > 0) {
			faults = append(faults, id+" names no test, or one although it is not built")
		}
		for _, test := range checklistTest.FindAllStringSubmatch(line, -1) {
			if !hasTest(filepath.Join(root, test[1]), test[2]) {
				faults = append(faults, id+": there is no "+test[1]+"."+test[2])
			}
		}
	}
	for n := range 12 {
		if id := fmt.Sprint("D", n+1); !seen[id] {
			faults = append(faults, id+" is missing")
		}
	}
	return faults
}

func hasTest(folder, name string) bool {
	files, _ := filepath.Glob(filepath.Join(folder, "*_test.go")) // the pattern is good
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err == nil && strings.Contains(string(text), "\nfunc "+name+"(t *testing.T) {")
	})
}

func TestEveryLineOfTheSecurityChecklistNamesTestsThatThereAre(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range checklistFaults(string(text), "../..") {
		t.Error(fault)
	}
	for what, planted := range map[string]string{
		"a test that there is not": strings.Replace(string(text), "TestNothingPrintsASecret", "TestNothingPrintsIt", 1),
		"a line without tests":     strings.Replace(string(text), "| D7 ", "| D2 ", 1),
		"an excuse":                regexp.MustCompile(`(?m)^(\| D9 [^|]*\|)[^|]*`).ReplaceAllString(string(text), "$1 not built yet "),
	} {
		if len(checklistFaults(planted, "../..")) == 0 {
			t.Errorf("%s is not seen", what)
		}
	}
}
