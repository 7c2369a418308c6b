package doctor

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTheDocumentationListsEveryCheck compares the table in docs/doctor.md with the catalog.
func TestTheDocumentationListsEveryCheck(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/doctor.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| about | check | asks | at worst |\n|---|---|---|---|\n")
	for _, c := range Checks() {
		fmt.Fprintf(&want, "| %s | `%s` | %s | %s |\n", c.Group, c.Name, c.Asks, c.Worst)
	}
	if !strings.Contains(string(page), want.String()) {
		t.Errorf("docs/doctor.md does not hold this table:\n%s", want.String())
	}
}

func TestTheGroupsOfTheCatalogAreThoseThatAreShown(t *testing.T) {
	t.Parallel()
	last, names := 0, map[string]bool{}
	for _, c := range Checks() {
		place := -1
		for i, g := range Groups() {
			if g == c.Group {
				place = i
			}
		}
		if place < last || names[c.Name] || !strings.HasSuffix(c.Asks, ".") && !strings.HasSuffix(c.Asks, "?") {
			t.Errorf("check %s: group %q at place %d after %d, twice: %t, asks %q", c.Name, c.Group, place, last, names[c.Name], c.Asks)
		}
		last, names[c.Name] = place, true
		if GroupOf(c.Name) != c.Group {
			t.Errorf("the group of %s is %s", c.Name, GroupOf(c.Name))
		}
	}
}
