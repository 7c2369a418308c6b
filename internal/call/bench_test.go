package call_test

import (
	"context"
	"crypto/rand"
	"strconv"
	"testing"
	"time"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

// instant accepts every call at once; its body is as long as a real one.
type instant struct{ body []byte }

func (i instant) Prepare(call.Order) ([]byte, error) { return i.body, nil }

func (i instant) Dial(_ context.Context, s call.Send) call.Answer {
	return call.Answer{Class: call.ClassOK, ContactID: s.AttemptID}
}

func (i instant) Describe(context.Context, call.Target, string) (call.Contact, error) {
	return call.Contact{}, call.ErrNotFound
}

func (i instant) Search(context.Context, call.Target, string, time.Time, time.Time) ([]call.Contact, error) {
	return nil, nil
}

func (i instant) Stop(context.Context, call.Target, string) error { return nil }

type silent struct{}

func (silent) Decided(context.Context, call.Decided) {}

func benchConfig(b *testing.B) call.Config {
	b.Helper()
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		b.Fatal(err)
	}
	store := memory.New(memory.Options{})
	return call.Config{
		Ledger: store, Journal: store, Dialer: instant{make([]byte, 512)}, Clock: &clock{now: start}, Pacer: call.NewPace(0, 0),
		Searches: call.NewPace(0, 0), Observer: silent{}, Random: rand.Reader, ReadFirst: true,
		Profile: func(string) (call.Profile, bool) { return call.Profile{Region: "r"}, true },
		Token: func(in call.TokenInput) (string, error) {
			return maker.Token(clienttoken.Input{NotificationID: in.NotificationID, RecipientID: in.RecipientID, RecallID: in.RecallID, Ring: in.Ring})
		},
	}
}

func benchEngine(b *testing.B, change func(*call.Config)) *call.Engine {
	b.Helper()
	c := benchConfig(b)
	change(&c)
	e, err := call.New(context.Background(), c)
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func attributed(id string) call.Delivery {
	d := request(id, start)
	d.Request.Attributes = map[string]string{"language": "ja-JP", "severity": "high"}
	return d
}

// BenchmarkPlaceFirst is the first delivery of a key: accept with its intent, dial, record.
func BenchmarkPlaceFirst(b *testing.B) {
	for name, readFirst := range map[string]bool{"read first": true, "create first": false} {
		b.Run(name, func(b *testing.B) {
			e := benchEngine(b, func(c *call.Config) { c.ReadFirst = readFirst })
			d, n := attributed(""), 0
			b.ReportAllocs()
			for b.Loop() {
				n++
				d.Request.NotificationID = strconv.Itoa(n)
				if out := e.Place(context.Background(), d); out.Met != call.MetPlaced {
					b.Fatal(out)
				}
			}
		})
	}
}

// BenchmarkPlaceDuplicate is a later delivery of a placed call.
func BenchmarkPlaceDuplicate(b *testing.B) {
	for name, readFirst := range map[string]bool{"read first": true, "create first": false} {
		b.Run(name, func(b *testing.B) {
			e := benchEngine(b, func(c *call.Config) { c.ReadFirst = readFirst })
			d := attributed("n")
			e.Place(context.Background(), d)
			b.ReportAllocs()
			for b.Loop() {
				if out := e.Place(context.Background(), d); out.Suppressed == "" {
					b.Fatal(out)
				}
			}
		})
	}
}

// BenchmarkDirectPlace is a delivery without a ledger, without the cost of the wire.
func BenchmarkDirectPlace(b *testing.B) {
	d, err := call.NewDirect(benchConfig(b), nil)
	if err != nil {
		b.Fatal(err)
	}
	delivery := attributed("n")
	b.ReportAllocs()
	for b.Loop() {
		if out := d.Place(context.Background(), delivery); out.Met != call.MetPlaced {
			b.Fatal(out)
		}
	}
}
