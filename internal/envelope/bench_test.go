package envelope

import "testing"

func benchmarkDecode(b *testing.B, content []byte) {
	b.Helper()
	b.ReportAllocs()
	b.SetBytes(int64(len(content)))
	for b.Loop() {
		doc := Decode(content, at(processedAt))
		if doc.Records[0].Verdict != VerdictOK {
			b.Fatal(doc.Records[0].Reason)
		}
	}
}

func BenchmarkOneSQSRecord(b *testing.B) { benchmarkDecode(b, readEvent(b, "sqs-standard-02.json")) }

func BenchmarkTenSQSRecords(b *testing.B) {
	benchmarkDecode(b, readEvent(b, "sqs-standard-batch10-02.json"))
}

func BenchmarkEventBridgeInSNSInSQS(b *testing.B) {
	benchmarkDecode(b, readEvent(b, "eventbridge-sns-sqs-01.json"))
}
func BenchmarkOneMiBBody(b *testing.B) { benchmarkDecode(b, sqsBatch(b, padded(1<<20))) }
