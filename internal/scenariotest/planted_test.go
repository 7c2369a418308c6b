package scenariotest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// soundDocument maps three reports: one with a test, one with two, one that waits.
const soundDocument = `## Tests

| id | test | remark |
|---|---|---|
| I1 | ` + "`internal/p.TestScenarioI1V2Holds`" + ` | |
| V2 | ` + "`internal/p.TestScenarioI1V2Holds`, `internal/q.TestScenarioV2Holds`" + ` | as well |

## Waiting

| id | kind of issue | reason |
|---|---|---|
| VL3 | service | there is no HTTP API |
`

// TestEachPlantedFaultOfTheMapIsSeen shows that the comparison is not blind.
func TestEachPlantedFaultOfTheMapIsSeen(t *testing.T) {
	t.Parallel()
	sound := func() fstest.MapFS {
		return fstest.MapFS{
			"internal/p/a_test.go": {Data: []byte("package p\nfunc TestScenarioI1V2Holds(t *testing.T) {}\nfunc TestOther(t *testing.T) {}\nfunc helperScenarioI9() {}")},
			"internal/q/b_test.go": {Data: []byte("package q\nfunc TestScenarioV2Holds(t *testing.T) {}")},
		}
	}
	ids := []string{"I1", "V2", "VL3"}
	for name, c := range map[string]struct {
		change func(ids *[]string, text *string, tree fstest.MapFS)
		want   string
	}{
		"nothing": {func(*[]string, *string, fstest.MapFS) {}, ""},
		"a report that nobody maps": {
			func(ids *[]string, _ *string, _ fstest.MapFS) { *ids = append(*ids, "V99") }, "V99 is neither tested nor waiting",
		},
		"a test that does not exist": {
			func(_ *[]string, _ *string, tree fstest.MapFS) {
				tree["internal/q/b_test.go"] = &fstest.MapFile{Data: []byte("package q\n// func TestScenarioV2Holds(t *testing.T) {}")}
			}, "V2: there is no test internal/q.TestScenarioV2Holds",
		},
		"a test that was moved": {
			func(_ *[]string, _ *string, tree fstest.MapFS) {
				tree["internal/r/b_test.go"] = tree["internal/q/b_test.go"]
				delete(tree, "internal/q/b_test.go")
			}, "V2: there is no test internal/q.TestScenarioV2Holds",
		},
		"a name without the id": {
			func(_ *[]string, text *string, _ fstest.MapFS) {
				replace(text, "| I1 | `internal/p.TestScenarioI1V2Holds`", "| I1 | `internal/p.TestOther`")
			},
			"I1: the name of internal/p.TestOther does not carry it",
		},
		"a test that the document leaves out": {
			func(_ *[]string, text *string, _ fstest.MapFS) {
				replace(text, ", `internal/q.TestScenarioV2Holds`", "")
			},
			"internal/q.TestScenarioV2Holds is not in the document under V2",
		},
		"a row without a test": {
			func(_ *[]string, text *string, _ fstest.MapFS) {
				replace(text, "| I1 | `internal/p.TestScenarioI1V2Holds`", "| I1 | somewhere")
			}, "I1 names no test",
		},
		"an id that is no report": {
			func(_ *[]string, text *string, _ fstest.MapFS) { replace(text, "| VL3 |", "| VL33 |") }, "VL33 of the document is no report",
		},
		"a wait for nothing": {
			func(_ *[]string, text *string, _ fstest.MapFS) { replace(text, "| service |", "| some day |") }, `VL3 waits for "some day", which is no kind of issue`,
		},
		"a wait without a reason": {
			func(_ *[]string, text *string, _ fstest.MapFS) { replace(text, "there is no HTTP API", "") }, "VL3 waits without a reason",
		},
	} {
		list, text, tree := slices.Clone(ids), soundDocument, sound()
		c.change(&list, &text, tree)
		tests, err := testsIn(tree)
		if err != nil {
			t.Fatal(err)
		}
		found := compare(list, readMapping(text), tests)
		if (c.want == "") != (len(found) == 0) || (c.want != "" && !slices.Contains(found, c.want)) {
			t.Errorf("%s: found %q, want %q", name, found, c.want)
		}
	}
}

func replace(text *string, old, changed string) {
	before, after, found := strings.Cut(*text, old)
	if !found {
		panic("the document has no " + old)
	}
	*text = before + changed + after
}

// TestEachPlantedMixOfKindsIsSeen shows that the comparison of calls and contacts is not blind.
func TestEachPlantedMixOfKindsIsSeen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plant func(rows []call.Call, contacts []connectemu.Contact)
		want  string
	}{
		"nothing":                     {func([]call.Call, []connectemu.Contact) {}, ""},
		"a chat that became a call":   {func(_ []call.Call, c []connectemu.Contact) { c[1].Channel = connectemu.ChannelVoice }, "of kind chat became a contact of VOICE"},
		"two calls under one token":   {func(r []call.Call, c []connectemu.Contact) { r[2].Token, c[2].Token = r[1].Token, r[1].Token }, "have one token"},
		"contacts that were swapped":  {func(_ []call.Call, c []connectemu.Contact) { c[0].Channel, c[2].Channel = c[2].Channel, c[0].Channel }, "of kind task became"},
		"a contact of another token":  {func(_ []call.Call, c []connectemu.Contact) { c[0].Token = "t-9" }, "carries the token of another one"},
		"a record that changed kinds": {func(r []call.Call, _ []connectemu.Contact) { r[0].Key.Kind = call.KindTask }, "of kind task became a contact of VOICE"},
	} {
		var rows []call.Call
		var contacts []connectemu.Contact
		for i, kind := range call.Kinds() {
			id, token := fmt.Sprintf("c-%d", i), fmt.Sprintf("t-%d", i)
			rows = append(rows, call.Call{ID: id, Token: token, Key: call.Key{Kind: kind}})
			contacts = append(contacts, connectemu.Contact{Channel: channels[kind], Token: token, Attributes: map[string]string{"ringonceCallId": id}})
		}
		c.plant(rows, contacts)
		found := misplaced(rows, contacts)
		seen := slices.ContainsFunc(found, func(wrong string) bool { return strings.Contains(wrong, c.want) })
		if (c.want == "") != (len(found) == 0) || c.want != "" && !seen {
			t.Errorf("%s: found %q, want %q", name, found, c.want)
		}
	}
}
