package transport

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/envelope"
)

var start = time.Date(2026, 3, 1, 9, 30, 0, 123_000_000, time.UTC)

const payload = `{"notificationId":"n-\"1\"","recipientId":"受信者","destinationPhoneNumber":"+12025550100","attributes":{"note":"a\nb\\","list":""}}`

func seeded(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func calm(o Options) *Network { return New(seeded(1), o) }

func publish(tb testing.TB, n *Network, m Message, now time.Time) {
	tb.Helper()
	if m.Payload == nil {
		m.Payload = []byte(payload)
	}
	if err := n.Publish(m, now); err != nil {
		tb.Fatal(err)
	}
}

// next moves to the next delivery.
func next(n *Network) (Delivery, time.Time, bool) {
	for {
		now, waiting := n.Next()
		if !waiting {
			return Delivery{}, time.Time{}, false
		}
		if d, ok := n.Take(now); ok {
			return d, now, true
		}
	}
}

func mustNext(tb testing.TB, n *Network) (Delivery, time.Time) {
	tb.Helper()
	d, now, ok := next(n)
	if !ok {
		tb.Fatalf("nothing is delivered any more: %v", n.Statuses())
	}
	return d, now
}

// answer answers a second after the start.
func answer(tb testing.TB, n *Network, d Delivery, r Response, now time.Time) Ruling {
	tb.Helper()
	ruling, err := n.Answer(d.ID, r, now.Add(time.Second))
	if err != nil {
		tb.Fatal(err)
	}
	return ruling
}

// failing returns the response that gives back the records, by index.
func failing(d Delivery, indexes ...int) Response {
	failures := make([]map[string]string, 0, len(indexes))
	for _, i := range indexes {
		failures = append(failures, map[string]string{"itemIdentifier": d.Records[i].Item})
	}
	body, err := json.Marshal(map[string]any{"batchItemFailures": failures})
	if err != nil {
		panic(err)
	}
	return Response{Body: body}
}

// refusal returns a response by which nothing is acknowledged.
func refusal(d Delivery) Response {
	switch {
	case d.Way == WayHTTP:
		return Response{Body: []byte(`{"statusCode":503}`)}
	case !d.Way.Batched():
		return Response{Err: fmt.Errorf("planned failure")}
	}
	all := make([]int, len(d.Records))
	for i := range all {
		all[i] = i
	}
	return failing(d, all...)
}

// read decodes a document, which must hold as many requests as the delivery has records.
func read(tb testing.TB, d Delivery, now time.Time) []envelope.Record {
	tb.Helper()
	doc := envelope.Decode(d.Document, envelope.Options{Now: now})
	if len(doc.Records) != len(d.Records) {
		tb.Fatalf("%s: %d records in the document, %d in the delivery: %s", d.Form, len(doc.Records), len(d.Records), d.Document)
	}
	for i, r := range doc.Records {
		switch {
		case r.Verdict != envelope.VerdictOK:
			tb.Fatalf("%s: %s %s %s: %s", d.Records[i].Form, r.Verdict, r.Reason, r.Message, d.Document)
		case d.Way.Batched() && r.BatchItemFailureID != d.Records[i].Item:
			tb.Fatalf("%s: the document names the record %q, the delivery %q", d.Form, r.BatchItemFailureID, d.Records[i].Item)
		case d.Records[i].Received != 0 && (r.ReceiveCount == nil || *r.ReceiveCount != d.Records[i].Received):
			tb.Fatalf("%s: received %v, want %d", d.Form, r.ReceiveCount, d.Records[i].Received)
		}
	}
	return doc.Records
}

func only(tb testing.TB, d Delivery, now time.Time) envelope.Record {
	tb.Helper()
	records := read(tb, d, now)
	if len(records) != 1 {
		tb.Fatalf("%d records, want one", len(records))
	}
	return records[0]
}

func state(tb testing.TB, n *Network, messageID string) State {
	tb.Helper()
	copies := n.Of(messageID)
	if len(copies) != 1 {
		tb.Fatalf("%s has %d copies: %v", messageID, len(copies), copies)
	}
	return copies[0].State
}
