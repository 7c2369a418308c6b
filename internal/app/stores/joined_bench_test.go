//go:build integration

package stores_test

import (
	"context"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
	"github.com/ringonce/ringonce/internal/secret"
	"github.com/ringonce/ringonce/internal/wake/river"
)

// BenchmarkAccept creates rows that are accepted and not dialed, from many goroutines: without a job, with one in the same transaction, and with one
// that is made after the write.
func BenchmarkAccept(b *testing.B) {
	server := pgtest.Start(b)
	for _, way := range []string{"no job", "in the transaction", "after it"} {
		b.Run(way, func(b *testing.B) {
			o := postgres.Options{
				DSN: secret.New([]byte(server.DSN(server.Schema(b), ""))), WitnessPath: filepath.Join(b.TempDir(), "witness"),
				Clock: app.SystemClock{}, RandomID: func() string { return "ledger" },
			}
			l, err := postgres.Open(b.Context(), o)
			if err != nil {
				b.Fatal(err)
			}
			pool, err := postgres.NewPool(b.Context(), o)
			if err != nil {
				b.Fatal(err)
			}
			hints, err := river.OpenPostgres(b.Context(), pool, river.Options{Woken: func(context.Context, string, time.Time) error { return nil }})
			if err != nil {
				b.Fatal(err)
			}
			if way == "in the transaction" {
				l.Join(func(ctx context.Context, tx pgx.Tx, rows []postgres.Waiting) (bool, error) {
					due := make([]river.Due, len(rows))
					for i, r := range rows {
						due[i] = river.Due{Row: r.RowID, At: r.Due}
					}
					return true, hints.WakeManyTx(ctx, tx, due)
				})
			}
			var n atomic.Int64
			b.SetParallelism(64)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					id, now := fmt.Sprintf("row-%d", n.Add(1)), time.Now()
					w, err := call.Begin(id).Write(call.Event{Kind: call.EventAccepted, At: now, Due: now, Opening: &call.Opening{
						Key: call.Key{Kind: call.KindVoice, NotificationID: id, RecipientID: "r"}, Cause: call.CauseRequest, Destination: "+12025550101", Token: "token-" + id,
					}}, "op-"+id)
					if err == nil {
						_, err = l.Create(b.Context(), w)
					}
					if err == nil && way == "after it" {
						err = hints.Wake(b.Context(), id, now)
					}
					if err != nil {
						b.Error(err)
						return
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
			b.StopTimer()
			if err := hints.Stop(b.Context()); err != nil {
				b.Error(err)
			}
			if err := l.Close(); err != nil {
				b.Error(err)
			}
		})
	}
}
