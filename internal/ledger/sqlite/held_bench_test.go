package sqlite_test

import (
	"bytes"
	"testing"
	"time"
)

// heldCalls is how many calls wait while the sweep looks for those that are due.
const heldCalls = 1_000_000

// BenchmarkDueAmongHeld finds the next 100 due calls among a million that are held: when all but a few wait for the morning, when none is due,
// and when all of them are.
func BenchmarkDueAmongHeld(b *testing.B) {
	l := benchLedger(b)
	document := bytes.Repeat([]byte("x"), 900) // as long as that of a real call
	if err := l.Hold(heldCalls, document, noon.UnixNano(), int64(time.Millisecond)); err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name  string
		after time.Duration
		want  int
	}{{"none is due", -time.Millisecond, 0}, {"100 are due", 99 * time.Millisecond, 100}, {"all are due", 2000 * time.Second, 100}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				ids, err := l.Due(b.Context(), noon.Add(c.after), 100)
				if err != nil || len(ids) != c.want {
					b.Fatalf("%d calls are due, want %d: %v", len(ids), c.want, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/op")
		})
	}
}
