package envelope

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzDecode asks of any bytes: no panic, at least one record, and records that hold together.
func FuzzDecode(f *testing.F) {
	names, err := filepath.Glob(filepath.Join("testdata", "events", "*-*.json"))
	if err != nil || len(names) < pinnedFiles {
		f.Fatalf("the corpus has %d files: %v", len(names), err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	for _, seed := range []string{"", "{", "[", `"`, `{"Records":[{"eventSource":"aws:sqs"}]}`, `{"Records":[null,1]}`, `{"a":"\ud800"}`, "\xff"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		doc := Decode(content, at(processedAt))
		if len(doc.Records) == 0 {
			t.Fatal("a document without a record")
		}
		for _, r := range doc.Records {
			checkRecord(t, r)
		}
	})
}

func checkRecord(tb testing.TB, r Record) {
	tb.Helper()
	switch r.Verdict {
	case VerdictOK:
		if r.Reason != "" || r.Window == "" || r.Delivery.Request.NotificationID == "" {
			tb.Errorf("an incomplete request: %s", r.Path)
		}
		if err := r.Delivery.Request.Validate(); err != nil {
			tb.Errorf("an accepted request that is not valid: %v", err)
		}
	case VerdictReject, VerdictIgnore:
		if r.Reason == "" || r.Message == "" || r.Fix == "" || r.Window != "" {
			tb.Errorf("a refusal that says nothing: %s %s", r.Path, r.Reason)
		}
		if !r.Delivery.Request.Destination.IsZero() {
			tb.Errorf("a refused record with a number to ring: %s", r.Path)
		}
	default:
		tb.Errorf("no verdict: %q", r.Verdict)
	}
	if at := r.FirstRequested.At; at.After(processedAt.Add(futureTolerance)) {
		tb.Errorf("a stamp of the future is evidence: %s", at)
	}
	if _, err := json.Marshal(Explain(r)); err != nil {
		tb.Error(err)
	}
	if err := Text(new(strings.Builder), "file", r); err != nil {
		tb.Error(err)
	}
}

// Damage anywhere in a sound document must not make a panic, and must never change the number that is rung unnoticed.
func TestDamagedDocumentsDoNotPanic(t *testing.T) {
	t.Parallel()
	seeds := [][]byte{
		sqsBatch(t, snsEnvelope(t, eventBridge("com.example", plainPayload))),
		[]byte(lambdaRecord("RetriesExhausted", snsRecords(t, plainPayload))),
		readEvent(t, "kafka-04.json"), readEvent(t, "dynamodb-stream-01.json"), readEvent(t, "apigw-rest-v1-01.json"),
	}
	for _, seed := range seeds {
		for i := 0; i < len(seed); i += 3 {
			for _, r := range Decode(seed[:i], at(processedAt)).Records {
				checkRecord(t, r)
			}
			for _, b := range []byte{'"', '{', '}', '[', ']', '\\', ',', 0, 0xff, '1'} {
				damaged := bytes.Clone(seed)
				damaged[i] = b
				for _, r := range Decode(damaged, at(processedAt)).Records {
					if r.Verdict != VerdictReject && r.Reason == "" && r.Delivery.Request.NotificationID == "" {
						t.Fatalf("an empty request from damage at %d", i)
					}
				}
			}
		}
	}
}
