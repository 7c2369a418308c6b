package envelope

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// padded returns the payload grown by an unknown member to exactly size bytes, as the corpus describes its size classes.
func padded(size int) string {
	const open = `,"note":"`
	head := plainPayload[:len(plainPayload)-1] + open
	return head + strings.Repeat("x", size-len(head)-len(`"}`)) + `"}`
}

// bomb is a gzip stream of size spaces after the beginning of a payload. Members of a gzip file simply follow each other.
func bomb(tb testing.TB, size int) []byte {
	tb.Helper()
	const block = 1 << 20
	var member bytes.Buffer
	writer := gzip.NewWriter(&member)
	if _, err := writer.Write(bytes.Repeat([]byte(" "), block)); err != nil {
		tb.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		tb.Fatal(err)
	}
	return bytes.Repeat(member.Bytes(), size/block)
}

func TestSizeClassesOfTheCorpusAreReadAsItsIndexSays(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, class := range loadCorpus(t).Files {
		if class.Generated == nil {
			continue
		}
		checked++
		t.Run(class.ID, func(t *testing.T) {
			t.Parallel()
			size := class.Generated.Bytes
			var content []byte
			count := 1
			switch class.Generated.Part {
			case "Sns.Message":
				content = []byte(snsRecords(t, padded(size)))
			case "detail":
				content = []byte(eventBridge("com.example", padded(size)))
			case "sqs body":
				content = sqsBatch(t, padded(size))
			case "10 sqs bodies":
				count = 10
				bodies := make([]string, count)
				for i := range bodies {
					bodies[i] = padded(size / count)
				}
				content = sqsBatch(t, bodies...)
			case "kinesis data gzip":
				content = kinesisBatch(bomb(t, size))
			default:
				t.Fatalf("no recipe for %q", class.Generated.Part)
			}
			doc := Decode(content, at(processedAt))
			if len(doc.Records) != count {
				t.Fatalf("got %d records, want %d", len(doc.Records), count)
			}
			for _, r := range doc.Records {
				want := class.Records[0]
				reason, _ := want["reason"].(string)
				if string(r.Verdict) != want["verdict"] || string(r.Reason) != reason {
					t.Errorf("got %s %s, want %v %v", r.Verdict, r.Reason, want["verdict"], want["reason"])
				}
			}
		})
	}
	if checked != 7 {
		t.Errorf("checked %d size classes, want 7", checked)
	}
}

type hostile struct {
	name    string
	content string
	reason  Reason
}

func hostileDocuments(tb testing.TB) []hostile {
	tb.Helper()
	const mib = 1 << 20
	inner := strings.Repeat(`{"a":`, 150)
	return []hostile{
		{"a document over the limit", strings.Repeat(" ", MaxDocumentBytes+1), ReasonTooLarge},
		{"six MiB of spaces", strings.Repeat(" ", 6*mib), ReasonEmpty},
		{"six MiB of opening brackets", strings.Repeat("[", 6*mib), ReasonDepth},
		{"six MiB of opening objects", strings.Repeat(`{"a":`, 6*mib/5), ReasonDepth},
		{"six MiB of quotes", strings.Repeat(`"`, 6*mib), ReasonTrailingData},
		{"six MiB of backslashes", `"` + strings.Repeat(`\`, 6*mib), ReasonSyntax},
		{"six MiB of one string", `"` + strings.Repeat("x", 6*mib) + `"`, ReasonPayloadNotObject},
		{"six MiB of one number", strings.Repeat("9", 6*mib), ReasonPayloadNotObject},
		{"a million empty objects", "[" + strings.Repeat("{},", 1_000_000) + "{}]", ReasonTooLarge},
		{"a million empty records", `{"Records":[` + strings.Repeat("{},", 1_000_000) + "{}]}", ReasonTooLarge},
		{"a million SQS records", `{"Records":[{"eventSource":"aws:sqs"}` + strings.Repeat(",{}", 1_000_000) + "]}", ReasonTooLarge},
		{"a thousand unknown records", `{"Records":[` + strings.Repeat("{},", 1_000) + "{}]}", ReasonUnrecognized},
		{"a batch inside a body", string(sqsBatch(tb, `{"Records":[`+strings.Repeat("{},", 300_000)+"{}]}")), ReasonUnrecognized},
		{"a deep member", strings.Replace(plainPayload, "{", `{"x":`+strings.Repeat(inner, 2)+"0"+strings.Repeat("}", 300)+",", 1), ReasonDepth},
		{"a million partitions", `{"eventSource":"aws:kafka","records":{` + partitions(300_000) + `}}`, ReasonTooLarge},
		{"a million attributes", strings.Replace(plainPayload, "{", `{"attributes":{`+partitions(300_000)+`},`, 1), ReasonTooLarge},
		{"four thousand attributes", strings.Replace(plainPayload, "{", `{"attributes":{`+strings.ReplaceAll(partitions(4_000), `"v"`, `"a value"`)+`},`, 1), ReasonAttributesLarge},
	}
}

func TestHostileSizesAreRefusedCleanly(t *testing.T) {
	t.Parallel()
	for _, test := range hostileDocuments(t) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := only(t, Decode([]byte(test.content), at(processedAt)))
			if r.Verdict != VerdictReject || r.Reason != test.reason {
				t.Errorf("got %s %s, want reject %s", r.Verdict, r.Reason, test.reason)
			}
			if len(r.Message) > 300 || len(r.Field) > 300 {
				t.Errorf("the refusal is as long as the input: %d and %d bytes", len(r.Message), len(r.Field))
			}
		})
	}
}

// Not parallel: it counts all allocations of the process.
func TestHostileSizesCostLittleMemory(t *testing.T) {
	tests := append(hostileDocuments(t), hostile{name: "a gzip bomb", content: string(kinesisBatch(bomb(t, 1<<30)))})
	for _, test := range tests {
		content := []byte(test.content)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		Decode(content, at(processedAt))
		runtime.ReadMemStats(&after)
		const floor, perByte = 2 << 20, 8
		if spent := after.TotalAlloc - before.TotalAlloc; spent > floor+perByte*uint64(len(content)) {
			t.Errorf("%s: %d bytes allocated for %d bytes of input", test.name, spent, len(content))
		}
	}
}

func partitions(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"p%x":"v"`, i)
	}
	return b.String()
}
