package stored_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/stored"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 123456789, time.UTC)

// full is a row with a member of every kind that rows are made of.
func full() call.Call {
	return call.Call{
		Schema: call.SchemaVersion, ID: "row", Key: call.Key{Kind: call.KindVoice, NotificationID: "order-1", RecipientID: "customer-1"}, Ring: 2, Version: 3, State: call.Dialing,
		Destination: "+12025550100", Attributes: map[string]string{"greeting": "<\u2028> \"電話\" & more", "empty": ""}, RequestedAt: noon,
		Pin: `{"DestinationPhoneNumber":"+12025550100"}`, Target: call.Target{Region: "us-east-1"}, Open: []call.Attempt{{ID: "a", Opened: noon, LeaseEnd: noon.Add(time.Second)}},
		TokenUsed: true, Next: &call.Child{Ring: 3, Due: noon, Escalation: []call.Recipient{{}}}, Settings: &call.Settings{}, Sight: &call.Sight{}, Turn: &call.Turn{Due: noon},
		Anomalies: []string{"contact"}, Head: "h",
	}
}

func encoded(tb testing.TB, c call.Call) []byte {
	tb.Helper()
	doc, err := c.Encode()
	if err != nil {
		tb.Fatal(err)
	}
	return doc
}

// same holds that a document is read as the core reads it, or is read by neither.
func same(tb testing.TB, doc []byte) {
	tb.Helper()
	want, refused := call.DecodeCall(doc)
	got, err := stored.Call(doc)
	if (err == nil) != (refused == nil) || errors.Is(err, call.ErrNewerRow) != errors.Is(refused, call.ErrNewerRow) {
		tb.Fatalf("%q: %v, the core says %v", doc, err, refused)
	}
	if refused == nil && !reflect.DeepEqual(got, want) {
		tb.Errorf("%q is read as\n%#v, by the core as\n%#v", doc, got, want)
	}
}

func FuzzARowIsReadAsTheCoreReadsIt(f *testing.F) {
	newer := full()
	newer.Schema = 1000
	forgotten := call.Call{Schema: call.ForgottenSchema, ID: "row", State: call.Placed, Forgotten: noon, FirstRow: "first", Head: "h"}
	for _, c := range []call.Call{full(), newer, forgotten, {}} {
		doc := encoded(f, c)
		f.Add(doc)
		f.Add(doc[:len(doc)/2])
	}
	for _, doc := range []string{
		``, `null`, `{}`, `[]`, `{"ID":"other case","id":"twice"}`, `{"version":1e3}`, `{"open":null,"next":{}}`, `{"unknown":{"a":[1]},"id":"x"}`, "{\"message\":\"\xff\"}",
		`{"due":"yesterday"}`, `{"ring":"1"}`, `{"schema":3} trailing`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) { same(t, doc) })
}

func TestWhatIsReadKeepsNothingOfItsDocument(t *testing.T) {
	t.Parallel()
	doc := encoded(t, full())
	c, err := stored.Call(doc)
	if err != nil {
		t.Fatal(err)
	}
	clear(doc)
	if !reflect.DeepEqual(c, full()) {
		t.Errorf("it changed with its document: %#v", c)
	}
}

func BenchmarkCall(b *testing.B) {
	doc := encoded(b, full())
	for name, read := range map[string]func([]byte) (call.Call, error){"stored": stored.Call, "core": call.DecodeCall} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := read(doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
