package bench_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/outcome"
)

// eventsOfACall is how many events of a placed call are told: media was established, and the end.
const eventsOfACall = 2

// BenchmarkContactEventsOnSQLite counts contact events per second through the core, durable: each finds its row by the contact id and is one
// synced write, with history and indexes. None is a duplicate.
func BenchmarkContactEventsOnSQLite(b *testing.B) {
	for _, workers := range []int{1, 64} {
		b.Run(strconv.Itoa(workers)+"-in-flight", func(b *testing.B) {
			ledger := openSQLite(b)
			c := config(b)
			c.Ledger, c.Journal, c.Index = ledger, ledger, ledger
			c.Outcome, c.Tracks = outcome.Of, func(call.Profile) (bool, bool) { return true, false }
			e, err := call.New(b.Context(), c)
			if err != nil {
				b.Fatal(err)
			}
			calls := int64(b.N)/eventsOfACall + 1
			inFlight(b, 64, func(n int64) { // of b.N, only what is needed
				if n <= calls {
					place(b, e, n)
				}
			})
			target := call.Target{Region: "ap-northeast-1", InstanceID: "11111111-1111-4111-8111-111111111111"}
			placed := time.Now().UTC()
			b.StartTimer() // the calls have stopped it
			b.ReportAllocs()
			inFlight(b, workers, func(n int64) {
				told := outcome.Told{Initiated: placed, Connected: placed.Add(8 * time.Second)}
				if n > calls {
					told.Disconnected, told.Reason = placed.Add(25*time.Second), "CUSTOMER_DISCONNECT"
				}
				row, err := e.SawContactEvent(b.Context(), target, "contact-"+strconv.FormatInt((n-1)%calls+1, 10), told.Sight())
				if err != nil || row.Outcome != call.OutcomeAnswered {
					b.Errorf("event %d: %q, %v", n, row.Outcome, err)
				}
			})
			b.ReportMetric(0, "calls/s")
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
			b.ReportMetric(60*float64(b.N)/b.Elapsed().Seconds(), "events/min")
		})
	}
}
