package connectemu_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
)

// code is a word in the documentation that is set as code, without what is in parentheses.
var code = regexp.MustCompile("`([^`\n(]+)[^`\n]*`")

// undocumented are the words of the emulator that a page does not name.
func undocumented(page string) []string {
	var named []string
	for _, match := range code.FindAllStringSubmatch(page, -1) {
		named = append(named, strings.TrimSpace(match[1]))
	}
	var missing []string
	want := func(words ...string) {
		for _, w := range words {
			if !slices.Contains(named, w) {
				missing = append(missing, w)
			}
		}
	}
	for _, f := range connectemu.Faults() {
		want(f.String())
	}
	for _, f := range connectemu.EventFaults() {
		want(f.String())
	}
	for _, f := range connectemu.Fates() {
		want(f.String())
	}
	content, err := json.Marshal(connectemu.Switches{})
	var switches map[string]any
	if err == nil {
		err = json.Unmarshal(content, &switches)
	}
	if err != nil {
		return []string{err.Error()}
	}
	for name := range switches {
		want(name)
	}
	return missing
}

func TestTheDocumentationNamesEverySwitchFateAndFault(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/emulator.md")
	if err != nil {
		t.Fatal(err)
	}
	if missing := undocumented(string(page)); len(missing) > 0 {
		t.Errorf("docs/emulator.md does not name %q", missing)
	}
	for _, planted := range []string{"`lose-event`", "`tokenLag`", "`barged`", "slow(20s)"} {
		if missing := undocumented(strings.ReplaceAll(string(page), planted, "elsewhere")); len(missing) != 1 {
			t.Errorf("without %s the page misses %q", planted, missing)
		}
	}
}
