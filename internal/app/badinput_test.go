package app_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/ringonce/ringonce/internal/app"
)

// badInput is a class of bad input (reliability-security.md section C). Every class has at least 20 cases.
type badInput struct {
	codes string             // that a case may be refused with, separated by spaces
	make  func(n int) string // the n-th payload
	whole func(n int) string // or the n-th document
	done  bool               // the ledger keeps the refusal, so the source may forget it
	none  bool               // without a ledger
}

const badCases = 24

// The classes that belong to an HTTP server (header smuggling, large headers, slow bodies, chunks that lie, a wrong Content-Type, a method override, ten
// thousand idle connections) are tests of packages service and httpapi.

func TestEveryClassOfBadInputIsRefusedWithAStableCodeAndDialsNothing(t *testing.T) {
	t.Parallel()
	for name, class := range badInputs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { refusesAll(t, class) })
		})
	}
}

func refusesAll(t *testing.T, class badInput) {
	log := &canary{}
	m := newMeter(t, func(c *app.Config, o *app.Options) {
		c.Destinations = app.Destinations{Allow: app.List{"US", "GB", "JP"}, Deny: app.List{"+12025550100"}}
		o.Log = slog.New(slog.NewJSONHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		if class.none {
			c.Ledger, c.Profiles = app.Ledger{}, map[string]app.Profile{"alert": c.Profiles["alert"]}
		}
	})
	allowed := strings.Fields(class.codes)
	seen := map[string]bool{}
	for n := range badCases {
		document := wrapped(n, class)
		seen[document] = true
		report, err := m.app.Handler.Process(t.Context(), []byte(document))
		if err != nil || len(report.Results) == 0 {
			t.Fatalf("case %d: %d results, %v", n, len(report.Results), err)
		}
		for _, result := range report.Results {
			if code := string(result.Outcome.Code); !slices.Contains(allowed, code) || result.Acknowledged() != class.done || result.Outcome.ContactID != "" {
				t.Errorf("case %d: %s with the code %q (%s), acknowledged %v: %.200s", n, result.Outcome.Met, code, result.Outcome.Message, result.Acknowledged(), document)
			}
		}
		response, failure := report.Response()
		if found := betrayals(string(response)+"\n"+fmt.Sprint(failure), secretValue); len(found) > 0 {
			t.Errorf("case %d: the answer says %.300s", n, found[0])
		}
	}
	if m.emu.RingCount() > 0 || len(m.emu.Requests()) > 0 {
		t.Errorf("%d rings, %d requests on the wire", m.emu.RingCount(), len(m.emu.Requests()))
	}
	if found := betrayals(log.text.String()+m.out.String(), secretValue); len(found) > 0 {
		t.Errorf("logged: %.300s", found[0])
	}
	if log.text.Len() == 0 || len(seen) < 20 {
		t.Errorf("%d different cases, %d bytes of log: the test is hollow", len(seen), log.text.Len())
	}
}

// TestTheBadInputTestSeesARing is the control: a good request among the bad ones is dialed and reported.
func TestTheBadInputTestSeesARing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t, func(c *app.Config, _ *app.Options) { c.Destinations.Allow = app.List{"JP"} })
		for n := range badCases {
			time.Sleep(time.Minute) // the call before has ended
			report, err := m.app.Handler.Process(t.Context(), []byte(wrapped(n, badInput{make: goodPayload})))
			if err != nil || !report.Results[0].Acknowledged() {
				t.Fatalf("case %d: %+v, %v", n, report.Results[0].Outcome, err)
			}
		}
		if m.emu.RingCount() != badCases {
			t.Errorf("%d rings for %d requests", m.emu.RingCount(), badCases)
		}
	})
}

// wrapped puts a payload into one of the ways in, as far as its bytes can travel there.
func wrapped(n int, class badInput) string {
	if class.whole != nil {
		return class.whole(n)
	}
	payload := class.make(n)
	way := n % 4
	if !utf8.ValidString(payload) || len(payload) > 1<<20 {
		way = 1 + 2*(n%2)
	}
	quoted, _ := json.Marshal(payload)
	switch way {
	case 0:
		return `{"Records":[{"messageId":"m-1","body":` + string(quoted) + `,"attributes":{},"eventSource":"aws:sqs","eventSourceARN":"arn:aws:sqs:us-east-1:111122223333:calls"}]}`
	case 1:
		return kinesisOf([]byte(payload))
	case 2:
		return `{"Records":[{"EventSource":"aws:sns","Sns":{"Type":"Notification","MessageId":"s-1","TopicArn":"arn:aws:sns:us-east-1:111122223333:calls","Timestamp":"1999-12-31T23:00:00.000Z","Message":` + string(quoted) + `}}]}`
	}
	return `{"version":"2.0","requestContext":{"http":{"method":"POST"},"requestId":"r-1"},"isBase64Encoded":true,"body":"` + base64.StdEncoding.EncodeToString([]byte(payload)) + `"}`
}

func kinesisOf(data []byte) string {
	return `{"Records":[{"eventSource":"aws:kinesis","eventID":"s:1","eventSourceARN":"arn:aws:kinesis:us-east-1:111122223333:stream/s","kinesis":{"sequenceNumber":"1","data":"` +
		base64.StdEncoding.EncodeToString(data) + `"}}]}`
}

// badNumber is the n-th number of a range nobody owns.
func badNumber(n int) string { return fmt.Sprintf("+81900000%04d", n) }

func goodPayload(n int) string { return payloadOf(n, nil) }

// payloadOf returns a request with some members replaced; an empty text removes one. Every payload holds a text that no log may show.
func payloadOf(n int, members map[string]string) string {
	all := map[string]string{
		"notificationId": fmt.Sprintf(`"n-%d"`, n), "recipientId": `"r-1"`, "destinationPhoneNumber": `"` + badNumber(n) + `"`, "note": `"` + secretValue + `"`,
	}
	maps.Copy(all, members)
	var b strings.Builder
	for _, name := range []string{
		"notificationId", "recipientId", "destinationPhoneNumber", "recallId", "clientToken", "profile", "requestedAt", "notAfter", "attributes", "action", "note",
	} {
		if all[name] == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(`"` + name + `":` + all[name])
	}
	return "{" + b.String() + "}"
}

// edited returns payloads that were changed as text.
func edited(edit func(n int, payload string) string) func(int) string {
	return func(n int) string { return edit(n, goodPayload(n)) }
}

func gzipped(content []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(content)
	_ = w.Close()
	return b.Bytes()
}

// idMembers and textMembers are the members that a case may damage.
var (
	idMembers   = []string{"notificationId", "recipientId", "recallId", "clientToken"}
	textMembers = []string{"notificationId", "recipientId", "destinationPhoneNumber", "recallId", "clientToken", "profile"}
)

func turn(list []string, n int) string { return list[n%len(list)] }

// Two classes are no refusals: names that the schema does not know are ignored, and markup in attributes reaches the flow as text.
func TestUnknownNamesAndMarkupChangeNothingOfTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMeter(t, func(c *app.Config, _ *app.Options) { c.Destinations.Allow = app.List{"JP"} })
		markup := []string{"<speak>", "<break time='9s'/>", "</speak>", "<audio src='x'/>", "&lt;", "<!--", "]]>", "<say-as>"}
		names := []string{"__proto__", "to", "phone", "$ref", "destination", "", "x-y", "😀"}
		for n := range badCases {
			time.Sleep(time.Minute)
			unknown, _ := json.Marshal(turn(names, n) + strings.Repeat("_", n/len(names)))
			text, _ := json.Marshal(fmt.Sprint(turn(markup, n), n))
			payload := payloadOf(n, map[string]string{"attributes": `{"text":` + string(text) + `}`})
			payload = payload[:len(payload)-1] + "," + string(unknown) + `:["+12025550199"]}`
			report, err := m.app.Handler.Process(t.Context(), []byte(wrapped(n, badInput{make: func(int) string { return payload }})))
			if err != nil || !report.Results[0].Acknowledged() {
				t.Fatalf("case %d: %+v, %v", n, report.Results[0].Outcome, err)
			}
			rings := m.emu.RingsFor(badNumber(n))
			if len(rings) != 1 || strings.ContainsAny(rings[0].Attributes["text"], "<>") || rings[0].Attributes["text"] == "" {
				t.Errorf("case %d: rang %+v", n, rings)
			}
		}
		if m.emu.RingCount() != badCases {
			t.Errorf("%d rings", m.emu.RingCount())
		}
	})
}
