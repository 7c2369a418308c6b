package cli

import (
	"bytes"
	"reflect"
	"strings"
	"testing"
)

func TestScenarioV85NoActRingsOrErasesWithoutACountOrAReason(t *testing.T) {
	t.Parallel()
	for typed, goesOn := range map[string]bool{"17\n": true, "y\n": false, "yes\n": false, "1\n": false, "": false} {
		var prompt bytes.Buffer
		err := ask(strings.NewReader(typed), &prompt, plural(17, "phone call would be made", "phone calls would be made"), 17)
		if (err == nil) != goesOn || !strings.Contains(prompt.String(), "17 phone calls") {
			t.Errorf("typed %q after %q: %v", typed, prompt.String(), err)
		}
	}
	for name, command := range map[string]any{
		"calls recall": recallCommand{}, "calls forget": forgetCommand{}, "held release": heldReleaseCommand{}, "held drop": heldDropCommand{},
		"resume": resumeCommand{}, "dnc add": dncAddCommand{}, "dnc rm": dncRmCommand{},
	} {
		reason, ok := reflect.TypeOf(command).FieldByName("Reason")
		if _, required := reason.Tag.Lookup("required"); !ok || !required {
			t.Errorf("%s needs no reason", name)
		}
	}
}

func TestScenarioV85ManyCallsRingAgainOnlyAfterTheirNumberOrTheDigestOfWhatWasSeen(t *testing.T) {
	t.Parallel()
	c := withCalls(t, "", []string{"n-1", "n-2"})
	order := []string{"calls", "recall", "--where", "state=placed", "--reason", "wrong recording"}
	c.asks(ExitUsage, order[:4]...) // no reason
	for _, typed := range []string{"", "y\n", "1\n"} {
		c.stdin = typed
		_, stderr := c.asks(ExitRefused, order...)
		says(t, stderr, "2 calls would ring again. Type 2 to go on:")
	}
	c.stdin = ""
	stdout, _ := c.asks(ExitOK, append(order, "--dry-run", "--json")...)
	seen := each[orderShown](t, stdout)[0].Digest
	c.asks(ExitUsage, append(order, "--seen", seen[:8])...)
	c.asks(ExitOK, "calls", "place", c.wishes("n-3", "+819000000003"), "--wait", "10s") // one more matches
	_, stderr := c.asks(ExitConflict, append(order, "--seen", seen)...)
	says(t, stderr, "The calls are others than those that were seen: 3 match now.")
	c.service.sweep()
	c.service.rang(3)
	stdout, _ = c.asks(ExitOK, append(order, "--dry-run", "--json")...)
	seen = each[orderShown](t, stdout)[0].Digest
	for range 2 { // and the same again is the same order
		c.asks(ExitOK, append(order, "--seen", seen[:leastSeen])...)
		c.service.sweep()
		c.service.rang(6)
	}
}
