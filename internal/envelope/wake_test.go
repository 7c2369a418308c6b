package envelope

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	wakeRow = "LqohfnX3vLjSIAolRW5VYebgp0HJItKBdU5xYm2lsyc"
	hint    = `{"ringonce":"wake","version":1,"call":"` + wakeRow + `","due":"2026-11-29T03:00:01.123456789Z"}`
)

func TestAHintIsReadFromAQueueAndFromTheDocument(t *testing.T) {
	t.Parallel()
	due := time.Date(2026, 11, 29, 3, 0, 1, 123456789, time.UTC)
	spaced := "\n{\"due\": \"2026-11-29T03:00:01.123456789Z\", \"call\":\"" + wakeRow + "\",\t\"version\": 1 ,\"ringonce\":\"wake\"} "
	for source, content := range map[call.Source][]string{
		call.SourceDirect: {hint, spaced},
		call.SourceSQS:    {string(sqsBatch(t, hint)), string(sqsBatch(t, spaced))},
	} {
		for _, text := range content {
			doc := Decode([]byte(text), at(processedAt))
			r := only(t, doc)
			if !r.IsWake() || r.Wake == nil || r.Wake.Call != wakeRow || !r.Wake.Due.Equal(due) || doc.Source != source || r.Message == "" {
				t.Errorf("%s: got %s %s %+v from %s", text, r.Verdict, r.Reason, r.Wake, doc.Source)
			}
		}
	}
}

func TestWhatOnlyLooksLikeAHintIsNone(t *testing.T) {
	t.Parallel()
	change := func(from, to string) string { return strings.Replace(hint, from, to, 1) }
	refused := []string{
		change(`"version":1`, `"version":2`), change(`"version":1`, `"version":"1"`), change(`"version":1`, `"version":1.0`), change(`,"version":1`, ""),
		change(`"wake"`, `"Wake"`), change(`"ringonce"`, `"Ringonce"`), change(`"wake"`, `true`), change(`"call"`, `"Call"`),
		change(wakeRow, wakeRow[1:]), change(wakeRow, "+819000000001"), change(wakeRow, ""), change(`"`+wakeRow+`"`, "7"),
		change("2026-11-29T03:00:01.123456789Z", "soon"), change(`"2026-11-29T03:00:01.123456789Z"`, "1"),
		change("{", `{"x":1,`), change("{", `{"ringonce":"wake",`), change(`,"due"`, `,"call":"`+wakeRow+`","due"`), "[" + hint + "]",
	}
	for _, content := range refused {
		for _, document := range [][]byte{[]byte(content), sqsBatch(t, content)} {
			if r := only(t, Decode(document, at(processedAt))); r.IsWake() || r.Wake != nil || r.Verdict != VerdictReject {
				t.Errorf("%s: got %s %s", document, r.Verdict, r.Reason)
			}
		}
	}
}

func TestAHintIsHonoredInNoEnvelope(t *testing.T) {
	t.Parallel()
	inside := []string{
		eventBridge("com.example", hint), snsEnvelope(t, hint), snsRecords(t, hint),
		lambdaRecord("RetriesExhausted", strings.Replace(hint, `"version":1`, `"version":2`, 1)),
	}
	for _, content := range inside {
		for _, document := range [][]byte{[]byte(content), sqsBatch(t, content)} {
			if r := only(t, Decode(document, at(processedAt))); r.IsWake() || r.Wake != nil || r.Verdict != VerdictReject {
				t.Errorf("%s: got %s %s", document, r.Verdict, r.Reason)
			}
		}
	}
}

func TestAHintThatWasNotDeliveredIsIgnoredAndNotActedOn(t *testing.T) {
	t.Parallel()
	for _, content := range undelivered(t, hint) {
		r := only(t, Decode([]byte(content), at(processedAt)))
		acts := r.Nesting[0] == "sqs" && (len(r.Nesting) == 1 || r.Nesting[1] == "direct") // still the message of a queue
		if r.Verdict != VerdictIgnore || r.Reason != ReasonWake || r.IsWake() != acts || (r.Wake != nil) != acts {
			t.Errorf("%s: got %s %s %v %q", content, r.Verdict, r.Reason, r.Wake, r.Nesting)
		}
	}
}

func TestARequestThatNamesRingonceStaysARequest(t *testing.T) {
	t.Parallel()
	for _, extra := range []string{`"ringonce":"wake",`, strings.TrimSuffix(strings.TrimPrefix(hint, "{"), "}") + ","} {
		content := strings.Replace(plainPayload, "{", "{"+extra, 1)
		if r := only(t, Decode(sqsBatch(t, content), at(processedAt))); r.Verdict != VerdictOK || r.IsWake() || r.Wake != nil {
			t.Errorf("%s: got %s %s", content, r.Verdict, r.Reason)
		}
	}
}
