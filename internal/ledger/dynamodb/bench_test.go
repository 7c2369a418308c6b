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

// BenchmarkSeal is what encryption adds to each write.
func BenchmarkSeal(b *testing.B) {
	l, p, packed := packedRecord(b)
	b.ReportAllocs()
	size := 0
	for b.Loop() {
		sealed, err := l.seal(b.Context(), p, packed)
		if err != nil {
			b.Fatal(err)
		}
		size = len(sealed)
	}
	b.ReportMetric(float64(size), "sealed-bytes")
}

// BenchmarkOpenSealed is what a read of an encrypted call costs, unpacking included (BenchmarkUnpack).
func BenchmarkOpenSealed(b *testing.B) {
	l, p, packed := packedRecord(b)
	sealed, err := l.seal(b.Context(), p, packed)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := l.open(b.Context(), p, blob(sealed)); err != nil {
			b.Fatal(err)
		}
	}
}

// packedRecord returns a ledger with encryption, and the packed blob of a typical placed call with its place.
func packedRecord(b *testing.B) (*Ledger, place, []byte) {
	b.Helper()
	r := placedRecord(b)
	plain, err := r.content()
	if err != nil {
		b.Fatal(err)
	}
	l := newFake(b).open(encrypted)
	l.keyring.most = 1 << 40 // the key is not what is measured
	packed, err := l.packer.pack(plain)
	if err != nil {
		b.Fatal(err)
	}
	return l, place{kind: kindRow, pk: r.row.ID, version: r.row.Version, head: headBytes(r.row.Head)}, packed
}
