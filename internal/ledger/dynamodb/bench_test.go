package dynamodb

import (
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// placedRecord returns the record of a typical placed call.
func placedRecord(tb testing.TB) record {
	tb.Helper()
	f := newFake(tb)
	l := f.open(nil)
	e := engineOn(tb, l, nil)
	d := delivery(tb, 0)
	if out := e.Place(tb.Context(), d); out.Met != call.MetPlaced {
		tb.Fatalf("the call is %s: %s", out.Met, out.Message)
	}
	id, _, err := e.Key(d)
	if err != nil {
		tb.Fatal(err)
	}
	r, ok := l.records.get(id)
	if !ok {
		tb.Fatal("the placed call is not remembered")
	}
	return r
}

// BenchmarkPack is what compression adds to each write.
func BenchmarkPack(b *testing.B) {
	plain, err := placedRecord(b).content()
	if err != nil {
		b.Fatal(err)
	}
	var p packer
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.pack(plain); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(plain)), "plain-bytes")
}

// BenchmarkUnpack is what it adds to each read.
func BenchmarkUnpack(b *testing.B) {
	plain, err := placedRecord(b).content()
	if err != nil {
		b.Fatal(err)
	}
	var p packer
	packed, err := p.pack(plain)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := unpack(packed); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(packed)), "packed-bytes")
}
