package cli

import (
	"strings"
	"testing"
)

func TestScenarioV82TheCallsOfANumberAreListedAlikeBesideTheLedgerAndThroughTheService(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-1", "+819000000001")
	d.request(ExitOK, "n-2", "+819000000002")
	d.request(ExitOK, "n-3", "+819000000001")
	number, nobody := d.write("number.txt", "+819000000001\n"), d.write("nobody.txt", "+819000000003\n")
	c := counterOf(t, d)
	for args, want := range map[string]int{
		"--number-file " + number: 2, "--number-file " + number + " --limit 1": 1, "--number-file " + nobody: 0, "--number-file " + number + " --state received": 0,
	} {
		words := append([]string{"calls", "list", "--json"}, strings.Fields(args)...)
		here, there := ofOneLedger(d.here(words...)), ofOneLedger(c.there(words...))
		if here != there || here.code != ExitOK || strings.Count(here.stdout, "\n") != want || strings.Contains(here.stdout, "n-2") {
			t.Errorf("%s\nhere  %d\n%s%s\nthere %d\n%s%s", args, here.code, here.stdout, here.stderr, there.code, there.stdout, there.stderr)
		}
		if strings.Contains(here.stdout+there.stdout, "8190000") {
			t.Errorf("%s prints the number", args)
		}
	}
}
