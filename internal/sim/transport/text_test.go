package transport

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/internal/envelope"
)

func TestAnyTextSurvivesItsWayIntoADocument(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\x00-\x7f]*`)).Draw(rt, "text")
		var got string
		if err := json.Unmarshal(appendString(nil, text), &got); err != nil || got != text {
			rt.Fatalf("%q became %q: %v", text, got, err)
		}
	})
}

func TestAnyPayloadSurvivesEveryForm(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		note := rapid.String().Draw(rt, "note")
		want := map[string]any{
			"notificationId": rapid.StringMatching(`[\p{Han}\p{L}0-9:/\\" .-]{0,20}[a-z]`).Draw(rt, "notificationId"), "recipientId": "r",
			"destinationPhoneNumber": "+819000000001", "attributes": map[string]any{"note": note},
			"ignored": []any{1.5, true, nil, map[string]any{"x": []any{}}},
		}
		text, err := json.Marshal(want)
		if err != nil {
			rt.Fatal(err)
		}
		form := rapid.SampledFrom(Forms()).Draw(rt, "form")
		n := calm(Options{})
		if err := n.Publish(Message{ID: "m", Form: form, Payload: text, Group: rapid.String().Draw(rt, "group")}, start); err != nil {
			rt.Fatal(err)
		}
		d, now, _ := next(n)
		r := envelope.Decode(d.Document, envelope.Options{Now: now}).Records[0]
		if r.Verdict != envelope.VerdictOK || r.Delivery.Request.NotificationID != want["notificationId"] ||
			r.Delivery.Request.Attributes["note"] != note {
			rt.Fatalf("%s: %s %s: %s", form, r.Verdict, r.Reason, d.Document)
		}
		if !json.Valid(d.Document) {
			rt.Fatalf("%s: no JSON: %s", form, d.Document)
		}
	})
}

func TestAnItemHoldsTheTypesOfItsPayload(t *testing.T) {
	t.Parallel()
	got := appendImage(nil, []byte(`{"s":"a\n","n":-1.50,"t":true,"f":false,"z":null,"l":[1,"b",[],{}],"m":{"x":{"y":"c"}}}`))
	var item, want any
	if err := json.Unmarshal(got, &item); err != nil {
		t.Fatalf("%s: %v", got, err)
	}
	text := `{"s":{"S":"a\n"},"n":{"N":"-1.50"},"t":{"BOOL":true},"f":{"BOOL":false},"z":{"NULL":true},` +
		`"l":{"L":[{"N":"1"},{"S":"b"},{"L":[]},{"M":{}}]},"m":{"M":{"x":{"M":{"y":{"S":"c"}}}}}}`
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(item, want) {
		t.Errorf("got %s", got)
	}
}

func TestNetworksOfDifferentSpacesShareNoId(t *testing.T) {
	t.Parallel()
	first := func(space uint32) string {
		n := calm(Options{Space: space})
		publish(t, n, Message{ID: "m", Form: SQS}, start)
		d, _ := mustNext(t, n)
		return d.Records[0].Item
	}
	if a, b := first(0), first(120); a == b || !strings.HasPrefix(b, "00000120-") || len(a) != 36 || len(b) != 36 {
		t.Errorf("%s and %s", a, b)
	}
}

func TestADeliveryAllocatesLittle(t *testing.T) {
	// Not parallel: AllocsPerRun counts the whole process.
	for _, form := range Forms() {
		n := calm(Options{MaxReceive: -1, AsyncRetries: 1 << 40, ClientTries: 1 << 40, Retention: 1 << 62, StreamRetention: 1 << 62, AsyncAge: 1 << 62})
		publish(t, n, Message{ID: "m", Form: form}, start)
		allocations := testing.AllocsPerRun(50, func() {
			d, now, _ := next(n)
			if _, err := n.Answer(d.ID, Response{Crashed: true}, now); err != nil {
				t.Fatal(err)
			}
		})
		if allocations > 8 {
			t.Errorf("%s: %v allocations for a delivery and its answer", form, allocations)
		}
	}
}

func TestAThrottledReceiveCountsAndReachesTheDeadLetterQueueUnseen(t *testing.T) {
	t.Parallel()
	for _, form := range []Form{SQS, SQSFIFO} {
		n := calm(Options{MaxReceive: 3, Visibility: time.Hour, Profile: Profile{Throttle: 1}})
		publish(t, n, Message{ID: "m", Form: form}, start)
		for range 4 {
			at, _ := n.Next()
			if _, ok := n.Take(at); ok {
				t.Fatalf("%s: delivered", form)
			}
		}
		if s := n.Of("m")[0]; s.State != StateDeadLetter || s.Received != 3 || s.Delivered != 0 || n.Counts().Throttled != 3 {
			t.Errorf("%s: %+v", form, s)
		}
		n.SetProfile(Profile{})
		n.Redrive(start.Add(day), "somebody else")
		if n.Redrive(start.Add(day), "m") != 1 {
			t.Errorf("%s: not redriven: %v", form, n.Statuses())
		}
		if d, now := mustNext(t, n); d.Records[0].Received != 1 || !bytes.Contains(d.Document, []byte(`"ApproximateReceiveCount":"1"`)) || now.Sub(start) < day {
			t.Errorf("%s: %s", form, d.Document)
		}
	}
}
