package bench_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// instantDialer places every call at once, so that what is measured is ours.
type instantDialer struct{ count atomic.Int64 }

var body = []byte(`{"Attributes":{"language":"ja-JP"},"ClientToken":"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",` +
	`"ContactFlowId":"22222222-2222-4222-8222-222222222222","DestinationPhoneNumber":"+819000000001",` +
	`"InstanceId":"11111111-1111-4111-8111-111111111111","QueueId":"33333333-3333-4333-8333-333333333333"}`)

func (d *instantDialer) Prepare(call.Order) ([]byte, error) { return body, nil }

func (d *instantDialer) Dial(context.Context, call.Send) call.Answer {
	return call.Answer{Class: call.ClassOK, ContactID: "contact-" + strconv.FormatInt(d.count.Add(1), 10)}
}

func (d *instantDialer) Describe(context.Context, call.Target, string) (call.Contact, error) {
	return call.Contact{}, call.ErrNotFound
}

func (d *instantDialer) Search(context.Context, call.Target, string, time.Time, time.Time) ([]call.Contact, error) {
	return nil, nil
}

func (d *instantDialer) Stop(context.Context, call.Target, string) error { return nil }

type silent struct{}

func (silent) Decided(context.Context, call.Decided) {}

const profiles = 100

func config(tb testing.TB) call.Config {
	tb.Helper()
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	table := map[string]call.Profile{}
	for i := range profiles {
		name := "profile-" + strconv.Itoa(i)
		table[name] = call.Profile{Name: name, Region: "ap-northeast-1", InstanceID: "11111111-1111-4111-8111-111111111111"}
	}
	return call.Config{
		Dialer: &instantDialer{}, Clock: app.SystemClock{}, Pacer: call.NewPace(0, 0), Searches: call.NewPace(0, 0), Observer: silent{},
		Random: rand.Reader, ReadFirst: true,
		Profile: func(name string) (call.Profile, bool) { p, ok := table[name]; return p, ok },
		Token:   func(in call.TokenInput) (string, error) { return maker.Token(clienttoken.Input(in)) },
	}
}

func engine(tb testing.TB, ledger interface {
	call.Ledger
	call.Journal
},
) *call.Engine {
	tb.Helper()
	c := config(tb)
	c.Ledger, c.Journal = ledger, ledger
	e, err := call.New(tb.Context(), c)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

func delivery(n int64) call.Delivery {
	phone, _ := call.ParsePhone("+819000000001")
	return call.Delivery{
		Source: call.SourceSQS, ID: "message", ReceiveCount: 1,
		Request: call.Request{
			NotificationID: "notification-" + strconv.FormatInt(n, 10), RecipientID: "user-67890", Destination: phone,
			Profile: "profile-" + strconv.FormatInt(n%profiles, 10), Attributes: map[string]string{"language": "ja-JP"},
		},
	}
}

func place(b *testing.B, e *call.Engine, n int64) {
	if out := e.Place(b.Context(), delivery(n)); out.Met != call.MetPlaced {
		b.Errorf("delivery %d met %s: %s", n, out.Met, out.Message)
	}
}

// inFlight runs b.N operations with the given number of goroutines.
func inFlight(b *testing.B, workers int, op func(n int64)) {
	var next atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for range workers {
		group.Go(func() {
			for {
				n := next.Add(1)
				if n > int64(b.N) {
					return
				}
				op(n)
			}
		})
	}
	group.Wait()
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

func BenchmarkPlaceOnMemory(b *testing.B) {
	b.Run("first", func(b *testing.B) {
		e := engine(b, memory.New(memory.Options{Check: call.Naming{}.Check()}))
		b.ReportAllocs()
		for n := range int64(b.N) {
			place(b, e, n)
		}
	})
	b.Run("duplicate", func(b *testing.B) {
		e := engine(b, memory.New(memory.Options{Check: call.Naming{}.Check()}))
		place(b, e, 1)
		b.ReportAllocs()
		for b.Loop() {
			place(b, e, 1)
		}
	})
}

func openSQLite(b *testing.B) *sqlite.Ledger {
	b.Helper()
	l, err := sqlite.Open(b.Context(), sqlite.Options{
		Path: filepath.Join(b.TempDir(), "ledger.db"), WitnessPath: filepath.Join(b.TempDir(), "witness"), Check: call.Naming{}.Check(),
		RandomID: func() string { return "bench" }, Clock: app.SystemClock{},
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := l.Close(); err != nil {
			b.Error(err)
		}
	})
	return l
}

// BenchmarkPlaceOnSQLite counts calls per second through the core, durable: a first call is two synced writes with history and
// indexes.
func BenchmarkPlaceOnSQLite(b *testing.B) {
	for _, workers := range []int{1, 64} {
		b.Run(fmt.Sprintf("first/%d-in-flight", workers), func(b *testing.B) {
			e := engine(b, openSQLite(b))
			b.ReportAllocs()
			inFlight(b, workers, func(n int64) { place(b, e, n) })
		})
		b.Run(fmt.Sprintf("duplicate/%d-in-flight", workers), func(b *testing.B) {
			e := engine(b, openSQLite(b))
			for n := range int64(1000) {
				place(b, e, n)
			}
			b.ReportAllocs()
			inFlight(b, workers, func(n int64) { place(b, e, n%1000) })
		})
	}
}
