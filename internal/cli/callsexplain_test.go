package cli

import (
	"encoding/json"
	"testing"

	"github.com/ringonce/ringonce/internal/timeline"
)

const explained = `{"notificationId":"n-1","recipientId":"user-1","destinationPhoneNumber":"+819000000001","attributes":{"text":"the boiler leaks"}}`

func TestScenarioV71ExplainShowsWhatWouldBeSentBesideTheLedgerAndThroughTheService(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-0", "+819000000001") // makes the ledger
	file := d.write("request.json", explained)
	stdout, _ := d.run(ExitOK, "calls", "explain", file)
	says(t, stdout, "would-ring", "sends StartOutboundVoiceContact in us-east-1", "attribute text: 16 bytes", `"DestinationPhoneNumber":"+81******0001"`, `"text":"<16 bytes>"`)
	var dry whatIf
	stdout, _ = d.run(ExitOK, "calls", "explain", file, "--json")
	if err := json.Unmarshal([]byte(stdout), &dry); err != nil || !dry.Dials || dry.Request == nil {
		t.Fatal(stdout, err)
	}
	if rings := d.telephone.RingCount(); rings != 1 {
		t.Errorf("%d rings", rings)
	}
	d.run(ExitOK, "lambda-invoke", file)
	sent := d.telephone.Requests()
	if got := sent[len(sent)-1].BodyHash; got != dry.Request.SHA256 {
		t.Errorf("sent was %s, shown was %s", got, dry.Request.SHA256)
	}
	stdout, _ = d.run(ExitOK, "calls", "show", dry.CallID)
	says(t, stdout, "for Amazon Connect, attributes ringonceCallId (43 bytes), text (16 bytes)")
	stdout, _ = d.run(ExitOK, "calls", "explain", file)
	says(t, stdout, "placed", "call "+dry.CallID)
	d.run(ExitUsage, "calls", "explain", d.write("wrong.json", `{"notificationID":"n-1"}`))
	d.run(ExitRefused, "calls", "explain", d.write("none.json", `{"notificationId":"n-1"}`))

	c := newCounter(t, "")
	file = c.write("request.json", explained)
	stdout, _ = c.asks(ExitOK, "calls", "explain", file)
	says(t, stdout, "would-ring", "check rules passes", "sends StartOutboundVoiceContact in us-east-1", `"text":"<16 bytes>"`)
	stdout, _ = c.asks(ExitOK, "calls", "explain", file, "--json")
	if err := json.Unmarshal([]byte(stdout), &dry); err != nil || dry.Request == nil || len(dry.Request.Attributes) != 2 || dry.Request.Attributes[1] != (timeline.Attribute{Name: "text", Bytes: 16}) {
		t.Error(stdout, err)
	}
	c.service.rang(0)
}
