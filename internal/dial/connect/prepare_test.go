package connect

import (
	"encoding/json"
	"maps"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

const (
	testInstance = connectemu.DefaultInstance
	testFlow     = "22222222-3333-4444-8555-666666666666"
	testQueue    = "33333333-4444-4555-8666-777777777777"
	testRegion   = connectemu.DefaultRegion
)

func testOrder(tb testing.TB) call.Order {
	tb.Helper()
	phone, err := call.ParsePhone("+12025550101")
	if err != nil {
		tb.Fatalf("ParsePhone: %v", err)
	}
	return call.Order{
		CallID: "row-1", Token: "token-1", Destination: phone, Attributes: map[string]string{"b": "2 < 3", "a": "日本\n", "z": ""},
		Profile: call.Profile{
			Name: "p", InstanceID: testInstance, ContactFlowID: testFlow, QueueID: testQueue, SourcePhone: "+12025550100", RingTimeout: 45 * time.Second,
		},
	}
}

func TestTheBodyIsKnownByteForByte(t *testing.T) {
	t.Parallel()
	const want = `{"Attributes":{"a":"日本\n","b":"2 &lt; 3","ringonceCallId":"row-1","z":""},"ClientToken":"token-1",` +
		`"ContactFlowId":"` + testFlow + `","DestinationPhoneNumber":"+12025550101","InstanceId":"` + testInstance + `","Name":"ringonce-row-1",` +
		`"QueueId":"` + testQueue + `","RingTimeoutInSeconds":45,"SourcePhoneNumber":"+12025550100"}`
	body, err := (&Dialer{}).Prepare(testOrder(t))
	if err != nil || string(body) != want {
		t.Errorf("got\n%s, %v\nwant\n%s", body, err, want)
	}
}

func TestAnyValidOrderSurvivesTheBody(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		o := testOrder(t)
		o.Profile.RawMarkup = true
		o.Token = rapid.StringN(1, 500, -1).Draw(rt, "token")
		o.Attributes = rapid.MapOf(rapid.StringMatching(`[A-Za-z0-9_-]{1,12}`), rapid.String()).Draw(rt, "attributes")
		body, err := (&Dialer{}).Prepare(o)
		if err != nil {
			rt.Fatalf("Prepare: %v", err)
		}
		var got struct {
			ClientToken string
			Attributes  map[string]string
		}
		if err := json.Unmarshal(body, &got); err != nil {
			rt.Fatalf("the body is not JSON: %v", err)
		}
		delete(got.Attributes, CallIDAttribute)
		if got.ClientToken != o.Token || !maps.Equal(got.Attributes, o.Attributes) {
			rt.Fatalf("%q, %q came back as %+v", o.Token, o.Attributes, got)
		}
		if err := checkSendToken(call.Send{Token: o.Token, Body: body}); err != nil {
			rt.Fatalf("its own body is refused: %v", err)
		}
	})
}

func TestAFlowMayBringItsOwnQueue(t *testing.T) {
	t.Parallel()
	o := testOrder(t)
	o.Profile.QueueID, o.Profile.SourcePhone = "", ""
	if _, err := (&Dialer{}).Prepare(o); err != nil {
		t.Errorf("Prepare: %v", err)
	}
}
