package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
)

const withAttributes = `{"notificationId":"n","recipientId":"user-1","destinationPhoneNumber":"+819000000001","attributes":{"language":"ja-JP","text":"<b>boiler</b> 漏れ"}}`

func TestScenarioV71ADryRunShowsTheRequestThatIsSentAndTheTimelineItsAttributes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dry := w.do(&shop, "POST", "/v1/explain", withAttributes)
	w.rings(0)
	body := dry.text("request", "body")
	for _, part := range []string{
		`"DestinationPhoneNumber":"+81******0001"`, `"language":"<5 bytes>"`, `"text":"<32 bytes>"`, `"ringonceCallId":"<43 bytes>"`, `"ContactFlowId":"`, `"ClientToken":"`,
	} {
		if !strings.Contains(body, part) {
			t.Errorf("%s is missing in %s", part, body)
		}
	}
	if dry.text("request", "operation") != "StartOutboundVoiceContact" || dry.count("request", "attributes") != 3 || dry.text("request", "region") == "" {
		t.Error(dry.Text)
	}
	id := w.do(&shop, "POST", "/v1/calls", withAttributes, "Prefer", "wait=10").text("callId")
	w.rings(1)
	sent := ""
	for _, r := range w.phone.Requests() {
		if r.Operation == connectemu.OpStart {
			sent = r.BodyHash
		}
	}
	if sent == "" || dry.text("request", "sha256") != sent || dry.text("callId") != id {
		t.Errorf("the dry run showed %s of call %s, sent was %s of call %s", dry.text("request", "sha256"), dry.text("callId"), sent, id)
	}
	shown := w.do(&shop, "GET", "/v1/calls/"+id, "")
	if !strings.Contains(shown.Text, " for Amazon Connect, attributes language (5 bytes), ringonceCallId (43 bytes), text (32 bytes)") {
		t.Error(shown.Text)
	}
	for _, text := range []string{dry.Text, shown.Text} { // names and sizes, and no value
		if strings.Contains(text, "ja-JP") || strings.Contains(text, "boiler") || strings.Contains(text, "819000000001") {
			t.Errorf("a value is shown: %s", text)
		}
	}
	again := w.do(&shop, "POST", "/v1/explain", withAttributes)
	if again.Status != http.StatusOK || again.at("dials") != false || again.at("request") != nil {
		t.Errorf("nothing would be sent, and this is shown: %s", again.Text)
	}
}
