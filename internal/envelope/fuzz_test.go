package envelope

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
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
	for _, seed := range []string{"", "{", "[", `"`, `{"Records":[{"eventSource":"aws:sqs"}]}`, `{"Records":[null,1]}`, `{"a":"\ud800"}`, "\xff", with(`"timeZone":"Asia/Tokyo","urgent":true`), with(`"timeZone":"","urgent":"yes"`)} {
		f.Add([]byte(seed))
	}
	keeping := mapped(f, orders, func(o *Options) { o.Keep, o.Explain = true, true })
	f.Fuzz(func(t *testing.T, content []byte) {
		doc := Decode(content, at(processedAt))
		if len(doc.Records) == 0 {
			t.Fatal("a document without a record")
		}
		for _, r := range doc.Records {
			checkRecord(t, r)
		}
		for _, r := range Decode(content, keeping).Records {
			checkRecord(t, r)
			checkKept(t, r, keeping)
		}
		checkCost(t, content, keeping)
	})
}

// checkKept reads a kept record again: it is refused for the same reason.
func checkKept(tb testing.TB, r Record, options Options) {
	tb.Helper()
	if r.Kept == nil {
		return
	}
	again := Decode(r.Kept.Document, options)
	if len(again.Records) != 1 || again.Records[0].Verdict != VerdictReject || len(r.Kept.Content) == 0 {
		tb.Errorf("kept %q as %q, which gives %d records, the first %s", r.Path, r.Kept.Document, len(again.Records), again.Records[0].Verdict)
	}
}

// checkCost holds the reading of a document to 8 MiB for each MiB of it, and what its inflated records may be.
func checkCost(tb testing.TB, content []byte, options Options) {
	tb.Helper()
	if len(content) < 4<<10 {
		return
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Decode(content, options)
	runtime.ReadMemStats(&after)
	const floor, perByte = 5 * maxInflated, 8 // ReadAll grows by doubling
	if spent := after.TotalAlloc - before.TotalAlloc; spent > floor+perByte*uint64(len(content)) {
		tb.Errorf("%d bytes allocated for %d bytes of input", spent, len(content))
	}
}

// FuzzMapping asks of any expression and any payload: no panic, no more looks than the budget, and values that are JSON.
func FuzzMapping(f *testing.F) {
	for _, c := range append(expressionCases, beyondStandard...) {
		f.Add(c.text, sample)
		f.Add(c.text, orderPayload)
	}
	for _, text := range []string{"a[", "*", "`", "'", `"`, "((((", "a[?b", "&a", "$", "let $a = b in $a", "@@", "a[99999999999999999999]", "a.{b: c}", "\xff"} {
		f.Add(text, "{}")
	}
	f.Fuzz(func(t *testing.T, text, payload string) {
		e, err := compile(text)
		if err != nil {
			return
		}
		value, d, _ := check([]byte(payload))
		if d != nil {
			return
		}
		ev := &evaluation{budget: budgetFor(e.nodes, value)}
		result, err := ev.evaluate(e.root, found{value: value})
		if err == nil && ev.budget < 0 {
			t.Error("more was looked at than the budget has")
		}
		if result.kind() == "" || result.isList && len(result.list) > maxMappedElements {
			t.Errorf("gives %s of %d elements", result.kind(), len(result.list))
		}
		if err == nil && !result.isList && len(result.value) > 0 && !json.Valid(result.value) {
			t.Errorf("%q gives %q, which is no JSON", text, result.value)
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
