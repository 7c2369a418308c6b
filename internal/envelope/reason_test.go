package envelope

import (
	"strings"
	"testing"
)

// TestTheNextStepForAValueIsOfItsField holds the text against what a person can do: the generic one sends them to a schema.
func TestTheNextStepForAValueIsOfItsField(t *testing.T) {
	t.Parallel()
	for field, says := range map[string]string{
		"destinationPhoneNumber": "E.164", "escalation[3].destinationPhoneNumber": "E.164", "recipientId": "not blank", "clientToken": "500 characters", "notAfter": "RFC 3339",
		"timeZone": "IANA", "action": "acknowledge", "escalation": "at most 20", "attributes.language": "schema", "": "schema",
	} {
		message, fix := advise(ReasonFieldValue, field)
		if !strings.Contains(fix, says) || !strings.Contains(message, field) {
			t.Errorf("%q: %s %s", field, message, fix)
		}
	}
	if _, fix := advise(ReasonFieldMissing, "notAfter"); strings.Contains(fix, "RFC 3339") {
		t.Errorf("a field that is missing has no value: %s", fix)
	}
	for _, name := range memberNames {
		if _, fix := advise(ReasonFieldValue, name); name != "attributes" && name != "requestedAt" && name != "urgent" && strings.Contains(fix, "schema") {
			t.Errorf("%s has no next step of its own", name)
		}
	}
}
