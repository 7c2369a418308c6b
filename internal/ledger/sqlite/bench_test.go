package sqlite_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// hashed returns a text as long and as random as a real id, token or op id.
func hashed(parts ...any) string {
	sum := sha256.Sum256([]byte(fmt.Sprint(parts...)))
	return hex.EncodeToString(sum[:])
}

// firstCall makes writes 1 and 3 of a call that is dialed at once and placed: what the core writes for most calls.
func firstCall(b *testing.B, n int64) (create, update call.Write) {
	b.Helper()
	key := call.Key{Kind: call.KindVoice, NotificationID: "notification-" + strconv.FormatInt(n, 10), RecipientID: "user-" + strconv.FormatInt(n%5000, 10)}
	attempt := call.Attempt{ID: hashed("attempt", n)[:26], Opened: noon, LeaseEnd: noon.Add(time.Minute)}
	accepted := call.Event{
		Kind: call.EventAccepted, At: noon, Actor: "worker-1", Attempt: &attempt, Pin: hashed("pin", n), Signed: noon,
		Target: &call.Target{Region: "ap-northeast-1", InstanceID: "11111111-2222-4333-8444-555555555555"},
		Opening: &call.Opening{
			Key: key, Cause: call.CauseRequest, Fingerprint: hashed("fp", n)[:43], Destination: "+819000000001", Profile: "alert",
			Attributes: map[string]string{"language": "ja-JP", "site": "plant-7"}, Token: hashed("token", n),
			RequestedAt: noon.Add(-time.Second), Tier: call.TierPayload,
		},
		Delivery: &call.Arrival{Source: call.SourceSQS, Producer: "alerts", ID: hashed("delivery", n)[:36], ReceiveCount: 1},
	}
	create, err := call.Begin(call.Naming{}.Row(key, 0)).Write(accepted, hashed("op1", n)[:26])
	if err != nil {
		b.Fatal(err)
	}
	create.Row.Pin = `{"Attributes":{"language":"ja-JP","ringonceCallId":"` + create.Row.ID + `","site":"plant-7"},"ClientToken":"` + create.Row.Token +
		`","ContactFlowId":"11111111-2222-4333-8444-555555555555","DestinationPhoneNumber":"+819000000001","InstanceId":"11111111-2222-4333-8444-555555555555"}`
	answered := call.Event{
		Kind: call.EventResult, At: noon.Add(time.Second), Actor: "worker-1", AttemptID: attempt.ID, Class: call.ClassOK,
		ContactID: hashed("contact", n)[:36], Took: 80 * time.Millisecond,
	}
	update, err = create.Row.Write(answered, hashed("op3", n)[:26])
	if err != nil {
		b.Fatal(err)
	}
	return create, update
}

func benchLedger(b *testing.B) *sqlite.Ledger {
	b.Helper()
	return open(b, settings(b))
}

// BenchmarkFirstCall is one call from nothing to placed: two durable writes with history and every index.
func BenchmarkFirstCall(b *testing.B) {
	for _, inFlight := range []int{1, 64} {
		b.Run(strconv.Itoa(inFlight)+" in flight", func(b *testing.B) {
			l := benchLedger(b)
			var next atomic.Int64
			inParallel(b, inFlight, func() {
				create, update := firstCall(b, next.Add(1))
				if w, err := l.Create(b.Context(), create); err != nil || !w.Applied {
					b.Errorf("create: applied %t, error %v", w.Applied, err)
				}
				if w, err := l.Update(b.Context(), update); err != nil || !w.Applied {
					b.Errorf("update: applied %t, error %v", w.Applied, err)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
		})
	}
}

// BenchmarkDuplicate is what a duplicate costs: one read of a placed call, and a note.
func BenchmarkDuplicate(b *testing.B) {
	const rows = 20_000
	for _, noted := range []bool{false, true} {
		for _, inFlight := range []int{1, 64} {
			b.Run(fmt.Sprintf("note %t, %d in flight", noted, inFlight), func(b *testing.B) {
				l := benchLedger(b)
				ids := make([]string, rows)
				fill(b, l, ids)
				var next atomic.Int64
				b.ResetTimer()
				inParallel(b, inFlight, func() {
					n := next.Add(1)
					id := ids[n*7919%rows]
					if c, err := l.Get(b.Context(), id); err != nil || c.State != call.Placed {
						b.Errorf("get: %s, %v", c.State, err)
					}
					if noted {
						note := call.Note{RowID: id, Kind: call.NoteSuppressed, At: noon, Reason: "duplicate", Delivery: &call.Arrival{Source: call.SourceSQS, ID: "1", ReceiveCount: 2}}
						if err := l.Note(b.Context(), note); err != nil {
							b.Error(err)
						}
					}
				})
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
			})
		}
	}
}

// BenchmarkCells is a durable write of a small cell: of cells of its own for each writer, and of one that all count in, where a writer that lost
// writes again.
func BenchmarkCells(b *testing.B) {
	for _, inFlight := range []int{1, 64} {
		b.Run(fmt.Sprintf("own, %d in flight", inFlight), func(b *testing.B) {
			l := benchLedger(b)
			var names atomic.Int64
			free := sync.Pool{New: func() any {
				return &call.Cell{Name: "cap/" + strconv.FormatInt(names.Add(1), 10), Data: make([]byte, 100)}
			}}
			inParallel(b, inFlight, func() {
				c, ok := free.Get().(*call.Cell)
				if !ok {
					b.Error("no cell")
					return
				}
				c.Version, c.Expires = c.Version+1, noon.Add(time.Duration(c.Version)*time.Second)
				if _, ok, err := l.SetCell(b.Context(), *c); err != nil || !ok {
					b.Errorf("set version %d of %s: ok %t, %v", c.Version, c.Name, ok, err)
				}
				free.Put(c)
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cells/s")
		})
		b.Run(fmt.Sprintf("one, %d in flight", inFlight), func(b *testing.B) {
			l := benchLedger(b)
			inParallel(b, inFlight, func() {
				now, err := l.Cell(b.Context(), "counter")
				for ok := false; !ok && err == nil; {
					now.Version++
					now, ok, err = l.SetCell(b.Context(), now)
				}
				if err != nil {
					b.Error(err)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "cells/s")
		})
	}
}

// fill creates and places a row for each id.
func fill(b *testing.B, l *sqlite.Ledger, ids []string) {
	b.Helper()
	var wg sync.WaitGroup
	var next atomic.Int64
	for range 64 {
		wg.Go(func() {
			for n := next.Add(1); n <= int64(len(ids)); n = next.Add(1) {
				create, update := firstCall(b, n)
				ids[n-1] = create.Row.ID
				_, createErr := l.Create(b.Context(), create)
				_, updateErr := l.Update(b.Context(), update)
				if err := errors.Join(createErr, updateErr); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// inParallel runs fn b.N times in so many goroutines.
func inParallel(b *testing.B, inFlight int, fn func()) {
	b.Helper()
	b.ReportAllocs()
	var wg sync.WaitGroup
	var next atomic.Int64
	for range inFlight {
		wg.Go(func() {
			for next.Add(1) <= int64(b.N) {
				fn()
			}
		})
	}
	wg.Wait()
}
