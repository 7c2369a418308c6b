package memory_test

import (
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// BenchmarkCells is a read of a small cell and the write of its next version.
func BenchmarkCells(b *testing.B) {
	l := memory.New(memory.Options{})
	b.ReportAllocs()
	for b.Loop() {
		c, err := l.Cell(b.Context(), "cap/one")
		if err != nil {
			b.Fatal(err)
		}
		c.Version, c.Data = c.Version+1, append(c.Data[:0], "1,2,3"...)
		if _, ok, err := l.SetCell(b.Context(), call.Cell{Name: c.Name, Version: c.Version, Data: c.Data}); err != nil || !ok {
			b.Fatalf("set: ok %t, %v", ok, err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cells/s")
}
