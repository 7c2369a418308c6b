package timeline

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

const pinned = `{"Attributes":{"language":"ja-JP","ringonceCallId":"c","text":"&lt;b&gt; 本 \"x\""},"ClientToken":"token-1","ContactFlowId":"flow",` +
	`"DestinationPhoneNumber":"+819000000001","InitialMessage":{"Content":"secret","ContentType":"text/plain"},"InstanceId":"instance",` +
	`"ParticipantDetails":{"DisplayName":"Kim"},"References":["secret"],"RingTimeoutInSeconds":30,"SourcePhoneNumber":"+12025550100"}`

func TestARequestIsShownWithNamesAndSizesAndWithoutValues(t *testing.T) {
	t.Parallel()
	w, ok := WireOf(call.Call{Pin: pinned, Target: call.Target{Region: "us-east-1"}}, false)
	if !ok || w.Operation != "StartOutboundVoiceContact" || w.Bytes != len(pinned) || w.SHA256 != call.HashBody([]byte(pinned)) {
		t.Errorf("%t %+v", ok, w)
	}
	const want = `{"Attributes":{"language":"<5 bytes>","ringonceCallId":"<1 byte>","text":"<17 bytes>"},"ClientToken":"<7 bytes>","ContactFlowId":"flow",` +
		`"DestinationPhoneNumber":"+81******0001","InitialMessage":{"Content":"<6 bytes>","ContentType":"text/plain"},"InstanceId":"instance",` +
		`"ParticipantDetails":{"DisplayName":"<3 bytes>"},"References":["<6 bytes>"],"RingTimeoutInSeconds":30,"SourcePhoneNumber":"+12*****0100"}`
	var read any
	if w.Body != want || json.Unmarshal([]byte(w.Body), &read) != nil {
		t.Errorf("the body is shown as\n%s, want\n%s", w.Body, want)
	}
	if told, _ := WireOf(call.Call{Pin: pinned}, true); !strings.Contains(told.Body, `"ClientToken":"token-1"`) {
		t.Errorf("the token is not told: %s", told.Body)
	}
	for _, pin := range []string{"", "no JSON", `{"Attributes":`} {
		if w, ok := WireOf(call.Call{Pin: pin}, true); ok {
			t.Errorf("%q is shown as %+v", pin, w)
		}
	}
}

func TestADialTellsWhatItCarriesAndARepeatedOneDoesNot(t *testing.T) {
	t.Parallel()
	row := call.Call{Pin: pinned, PinHash: call.HashBody([]byte(pinned))}
	open := &call.Attempt{ID: "a-1", Opened: start}
	lines := Of(row, []call.Event{
		{Kind: call.EventAccepted, Opening: &call.Opening{}},
		{Kind: call.EventIntent, Attempt: open, Pin: row.PinHash},
		{Kind: call.EventIntent, Attempt: open},
		{Kind: call.EventIntent, Attempt: open, Pin: "of other bytes"},
	})
	const carried = " bytes for Amazon Connect, attributes language (5 bytes), ringonceCallId (1 byte), text (17 bytes)"
	for i, want := range []bool{false, true, false, false} {
		if strings.HasSuffix(lines[i].What, carried) != want {
			t.Errorf("line %d says %q", i, lines[i].What)
		}
	}
	var many []string
	for i := range 30 {
		many = append(many, fmt.Sprintf(`"a%02d":"x"`, i))
	}
	if w, _ := WireOf(call.Call{Pin: `{"Attributes":{` + strings.Join(many, ",") + `}}`}, false); !strings.HasSuffix(w.words(), "a19 (1 byte) and 10 more") {
		t.Errorf("many attributes: %s", w.words())
	}
}
