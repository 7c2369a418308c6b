package app_test

import (
	"encoding/json"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// pressed is what a contact flow sends when somebody opts out.
func pressed(contactID, callID string) string {
	return object{"Name": "ContactFlowEvent", "Details": object{
		"ContactData": object{
			"ContactId": contactID, "InitiationMethod": "API", "Attributes": object{"ringonceCallId": callID},
			"InstanceARN": "arn:aws:connect:" + testRegion + ":111122223333:instance/" + connectemu.DefaultInstance,
		},
		"Parameters": object{"ringonce": "pressed", "key": "9", "opts_out": "yes"},
	}}.text()
}

func TestWhoOptsOutByAKeyIsNotRungAgain(t *testing.T) {
	t.Parallel()
	m := newMeter(t, nil)
	report, err := m.app.Handler.Process(t.Context(), []byte(batch(request(1, nil))))
	if err != nil {
		t.Fatal(err)
	}
	row := report.Results[0].Outcome.Call
	for range 2 { // its answer may be lost
		text, err := m.app.Invoke(t.Context(), []byte(pressed(row.ContactID, row.ID)))
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ CallID, OptedOut, Wanted string }
		if err := json.Unmarshal(text, &answer); err != nil || answer.OptedOut != "yes" || answer.CallID != row.ID {
			t.Fatalf("%s: %v", text, err)
		}
	}
	again := request(1, object{"notificationId": "another"})
	if report, err = m.app.Handler.Process(t.Context(), []byte(batch(again))); err != nil {
		t.Fatal(err)
	}
	if out := report.Results[0].Outcome; out.Code != call.CodeDoNotCall || m.emu.RingCount() != 1 {
		t.Errorf("%s after %d rings", out.Code, m.emu.RingCount())
	}
}
