//go:build integration

package postgres_test

import (
	"fmt"
	"sync/atomic"
	"testing"

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
