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
