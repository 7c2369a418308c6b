package envelope

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// A phone number must appear in no refusal and in no text form, wherever in the document it stands.
func TestNoTextHoldsAPhoneNumber(t *testing.T) {
	t.Parallel()
	const canary = "+12025550142"
	const digits = "2025550142"
	shapes := []string{
		`{"notificationId":"n","recipientId":"r","destinationPhoneNumber":"` + canary + `"}`,
		`{"notificationId":"` + canary + `","recipientId":"call-` + canary + `","destinationPhoneNumber":"` + canary + `","clientToken":"` + canary + `"}`,
		`{"notificationId":"n","recipientId":"r","destinationPhoneNumber":" ` + canary + `"}`,
		`{"notificationId":"n","recipientId":"r","destinationPhoneNumber":"` + canary + `x"}`,
		`{"notificationId":"n","recipientId":"r","destinationPhoneNumber":` + digits + `}`,
		`{"notificationId":"n","` + canary + `":1,"` + canary + `":2}`,
		`{"notificationId":"n","recipientId":"r","destinationPhoneNumber":"` + canary + `","attributes":{"` + canary + `":"x"}}`,
		`{"notificationId":"n","recipientId":"r","destinationPhoneNumber":"` + canary + `","attributes":{"` + digits + `":1}}`,
		`{"notificationId":"n","recipientId":"r","destinationPhoneNumber":"` + canary + `","attributes":{"a 1-202-555-0142":"x"}}`,
		`{"notificationId":"n","` + canary + `":"\ud800"}`,
		`"` + canary + `"`, canary, `[` + digits + `]`, `{"notificationId":"` + canary,
	}
	for i, shape := range shapes {
		documents := [][]byte{[]byte(shape), sqsBatch(t, shape), []byte(snsRecords(t, shape)), []byte(eventBridge("com.example", shape)), kinesisBatch([]byte(shape))}
		for j, document := range documents {
			for _, r := range Decode(document, at(processedAt)).Records {
				checkSecrecy(t, fmt.Sprintf("shape %d document %d", i, j), r, digits, "555-0142")
			}
		}
	}
}

func TestNoTextOfTheCorpusHoldsAPhoneNumber(t *testing.T) {
	t.Parallel()
	number := regexp.MustCompile(`\+[1-9][0-9]{7,14}`)
	seen := 0
	for _, want := range loadCorpus(t).Files {
		if want.File == nil {
			continue
		}
		content := readEvent(t, *want.File)
		var secrets []string
		for _, found := range number.FindAllString(string(content), -1) {
			secrets = append(secrets, found[1:])
		}
		for _, r := range Decode(content, at(processedAt)).Records {
			if r.Verdict == VerdictOK {
				secrets = append(secrets, r.Delivery.Request.Destination.Wire()[1:])
			}
			seen += len(secrets)
			checkSecrecy(t, want.ID, r, secrets...)
		}
	}
	if seen < 250 {
		t.Errorf("only %d numbers were looked for", seen)
	}
}

func checkSecrecy(tb testing.TB, name string, r Record, secrets ...string) {
	tb.Helper()
	var text strings.Builder
	if err := Text(&text, "event.json", r); err != nil {
		tb.Fatal(err)
	}
	fmt.Fprintf(&text, "%s %s %s %v", r.Field, r.Message, r.Fix, r.Delivery.Request.Destination)
	for _, secret := range secrets {
		if strings.Contains(text.String(), secret) {
			tb.Errorf("%s: a number is printed:\n%s", name, text.String())
		}
	}
}

func TestTextHoldsNoControlCharacters(t *testing.T) {
	t.Parallel()
	hostile := strings.Replace(snsEnvelope(t, plainPayload), `"MessageId":"s-1"`, `"MessageId":"\u001b[2J\u202e\u0007"`, 1)
	var text strings.Builder
	if err := Text(&text, "a\x1bb.json", only(t, Decode([]byte(hostile), at(processedAt)))); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(text.String(), "\x1b\x07\u202e") {
		t.Errorf("a terminal would obey: %q", text.String())
	}
}

func TestTextTellsThePersonWhatToDo(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	for _, file := range []string{"bad-duplicate-key-02.json", "eventbridge-sns-sqs-02.json"} {
		if err := Text(&text, file, only(t, Decode(readEvent(t, file), at(processedAt)))); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{
		"bad-duplicate-key-02.json /Records/0: reject json_duplicate_key", "destinationPhoneNumber twice", "what to do",
		"sqs > sns-envelope > eventbridge > payload", "/Records/0/body|json/Message|json/detail", "eventbridge_replay",
		"+44******0030", "tier message", "window            inside", "fails as",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
}
