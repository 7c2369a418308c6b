package transport

import (
	"testing"
	"time"
)

// benchmarkRedelivery measures one delivery of a message that is always returned: scheduling, document, answer.
func benchmarkRedelivery(b *testing.B, form Form, messages int) {
	b.Helper()
	o := Options{MaxReceive: -1, AsyncRetries: 1 << 40, ClientTries: 1 << 40, Retention: 1 << 62, StreamRetention: 1 << 62, AsyncAge: 1 << 62}
	n := calm(o)
	for i := range messages {
		publish(b, n, Message{ID: string(rune('a' + i)), Form: form}, start)
	}
	failure := Response{Err: errNoFlight}
	b.ReportAllocs()
	records, size := 0, 0
	for b.Loop() {
		d, now, ok := next(n)
		if !ok {
			b.Fatal("nothing is left")
		}
		records += len(d.Records)
		size += len(d.Document)
		if _, err := n.Answer(d.ID, failure, now); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(records)/float64(b.N), "records/op")
	b.ReportMetric(float64(size)/float64(b.N), "bytes/op-document")
}

func BenchmarkRedeliverySQS(b *testing.B)     { benchmarkRedelivery(b, SQS, 1) }
func BenchmarkRedeliveryBatch(b *testing.B)   { benchmarkRedelivery(b, EventBridgeInSNSInSQS, 20) }
func BenchmarkRedeliveryFIFO(b *testing.B)    { benchmarkRedelivery(b, SQSFIFO, 1) }
func BenchmarkRedeliveryAsync(b *testing.B)   { benchmarkRedelivery(b, EventBridge, 1) }
func BenchmarkRedeliveryHTTP(b *testing.B)    { benchmarkRedelivery(b, HTTP, 1) }
func BenchmarkRedeliveryKinesis(b *testing.B) { benchmarkRedelivery(b, Kinesis, 1) }

// BenchmarkLifetime measures a message from its publishing to its acknowledgment at the first delivery.
func BenchmarkLifetime(b *testing.B) {
	for _, form := range Forms() {
		b.Run(string(form), func(b *testing.B) {
			b.ReportAllocs()
			text := []byte(payload)
			n, rng := calm(Options{}), seeded(1)
			for b.Loop() {
				n.Reset(rng, Profile{})
				if err := n.Publish(Message{ID: "m", Form: form, Payload: text}, start); err != nil {
					b.Fatal(err)
				}
				d, now, _ := next(n)
				if _, err := n.Answer(d.ID, Response{}, now.Add(time.Second)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
