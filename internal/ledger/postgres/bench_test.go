//go:build integration

package postgres_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// BenchmarkCreate creates calls from many goroutines, as requests come; the server syncs.
func BenchmarkCreate(b *testing.B) {
	l := open(b, settings(b, pgtest.Start(b)))
	var n atomic.Int64
	b.SetParallelism(64)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			w := accepted(b, fmt.Sprintf("row-%d", n.Add(1)))
			if written, err := l.Create(b.Context(), w); err != nil || !written.Applied {
				b.Errorf("create: %t, %v", written.Applied, err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

// BenchmarkGet reads one call from many goroutines, as duplicates do.
func BenchmarkGet(b *testing.B) {
	l := open(b, settings(b, pgtest.Start(b)))
	create(b, l, "a")
	b.SetParallelism(64)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := l.Get(b.Context(), "a"); err != nil {
				b.Errorf("get: %v", err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "reads/s")
}

// BenchmarkListKeySpace lists the 10 calls of a rare key space among 100,000: by the index, and as a list of all calls that is looked through.
func BenchmarkListKeySpace(b *testing.B) {
	l := open(b, settings(b, pgtest.Start(b)))
	spread(b, l, 100_000, 10)
	for name, f := range map[string]call.Filter{"by the index": {KeySpaces: []string{"rare"}, Limit: 200}, "looked through": {Limit: 200}} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				found, f := 0, f
				for more := true; more; {
					page, next, err := l.List(b.Context(), f)
					if err != nil {
						b.Fatal(err)
					}
					for _, c := range page {
						if c.Key.KeySpace == "rare" {
							found++
						}
					}
					f.Cursor, more = next, next != ""
				}
				if found != 10 {
					b.Fatalf("%d calls of the rare key space", found)
				}
			}
		})
	}
}

// spread fills the table of calls by one statement: one row in total/rare is of the key space "rare", the others are of "busy".
func spread(t testing.TB, l *postgres.Ledger, total, rare int) {
	t.Helper()
	w := accepted(t, "a")
	e, err := w.Entry.Event()
	if err != nil {
		t.Fatal(err)
	}
	e.Opening.Key.KeySpace = "busy"
	if _, err := l.Create(t.Context(), write(t, call.Begin("a"), e, "op-a-1")); err != nil {
		t.Fatal(err)
	}
	_, err = l.Pool().Exec(t.Context(), `INSERT INTO calls (number, id, version, state, doc)
		SELECT g, 'row-' || g, 1, 'received', CASE WHEN g % $2 = 0 THEN convert_to(replace(convert_from(c.doc, 'UTF8'), '"busy"', '"rare"'), 'UTF8') ELSE c.doc END
		FROM calls c, generate_series(2, $1::bigint) g`, total, total/rare)
	if err == nil {
		_, err = l.Pool().Exec(t.Context(), "ANALYZE calls")
	}
	if err != nil {
		t.Fatal(err)
	}
}
