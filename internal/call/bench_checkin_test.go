package call_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// bill counts what reaches a ledger.
type bill struct {
	call.Ledger
	reads, writes int
}

func (c *bill) Get(ctx context.Context, id string) (call.Call, error) {
	c.reads++
	return c.Ledger.Get(ctx, id)
}

func (c *bill) Update(ctx context.Context, w call.Write) (call.Written, error) {
	c.writes++
	return c.Ledger.Update(ctx, w)
}

// BenchmarkCheckIn is one report of a flow: the first one of a contact, and the same again.
func BenchmarkCheckIn(b *testing.B) {
	for _, name := range []string{"first", "again"} {
		b.Run(name, func(b *testing.B) {
			ledger := &bill{}
			e := benchEngine(b, func(c *call.Config) { ledger.Ledger = c.Ledger; c.Ledger = ledger })
			place := func(n int) call.CheckIn {
				out := e.Place(context.Background(), attributed(strconv.Itoa(n)))
				return call.CheckIn{ContactID: out.ContactID, CallID: out.Call.ID}
			}
			q, n := place(0), 0
			b.ReportAllocs()
			ledger.reads, ledger.writes = 0, 0
			for b.Loop() {
				if name == "first" {
					b.StopTimer()
					reads, writes := ledger.reads, ledger.writes
					n++
					q = place(n)
					ledger.reads, ledger.writes = reads, writes
					b.StartTimer()
				}
				if answer, err := e.CheckIn(context.Background(), q); err != nil || !answer.Wanted {
					b.Fatalf("%+v, %v", answer, err)
				}
			}
			b.ReportMetric(float64(ledger.reads)/float64(b.N), "reads/op")
			b.ReportMetric(float64(ledger.writes)/float64(b.N), "writes/op")
		})
	}
}
