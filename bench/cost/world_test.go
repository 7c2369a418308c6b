package cost_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/connect"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey/kmstest"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// telephone prepares bodies as the real dialer does. It places every call, and loses the first answer of each if told to.
type telephone struct {
	*connect.Dialer

	loses bool
	asked map[string]bool
}

func (p *telephone) Dial(_ context.Context, s call.Send) call.Answer {
	if p.loses && !p.asked[s.CallID] {
		p.asked[s.CallID] = true
		return call.Answer{Class: call.ClassAmbiguous, Code: "timeout", Message: "No answer came in time.", Took: 12 * time.Second}
	}
	return call.Answer{Class: call.ClassOK, ContactID: "0f8fad5b-d9cb-469f-a165-70867728950e", Took: 123456789}
}

// Search finds nothing; nobody else may be asked.
func (*telephone) Search(context.Context, call.Target, string, time.Time, time.Time) ([]call.Contact, error) {
	return nil, nil
}

// Describe knows no contact.
func (*telephone) Describe(context.Context, call.Target, string) (call.Contact, error) {
	return call.Contact{}, call.ErrNotFound
}

type quiet struct{}

func (quiet) Decided(context.Context, call.Decided) {}

// clock goes on by a little at each reading, as real clocks do, and by a whole sleep.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time {
	c.now = c.now.Add(1234567 * time.Nanosecond)
	return c.now
}

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	c.now = c.now.Add(d)
	return ctx.Err()
}

// setup is one way to run the ledger.
type setup struct {
	ledger    func(*dynamodb.Options)
	encrypted bool
	readFirst bool
	remember  int
	large     bool // a request with 3 KB of attributes
	loses     bool // the answer of every first attempt is lost
}

type world struct {
	t      *testing.T
	engine *call.Engine
	meter  *meter
	clock  *clock
	ledger *dynamodb.Ledger
	setup  setup
	sign   aws.CredentialsProvider

	processes byte // so far: each has op ids of its own
}

// start opens a ledger on a new table, with a sweeper that lives.
func start(t *testing.T, s setup) *world {
	t.Helper()
	w := &world{t: t, meter: &meter{table: tabletest.New(t)}, clock: &clock{time.Date(2026, 11, 29, 3, 0, 5, 0, time.UTC)}, setup: s}
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})
	options := dynamodb.Options{
		Table: "calls", Region: "ap-northeast-1", HTTPClient: w.meter, CreateTable: true, RandomID: func() string { return "ledger-1" },
		Clock: w.clock, Credentials: credentials,
	}
	if s.encrypted {
		options.KMSKey = kmstest.KeyARN
		options.Keys = kmskey.New(kmskey.Options{HTTPClient: kmstest.New(), Credentials: credentials, Clock: w.clock, Timeout: time.Minute})
	}
	if s.ledger != nil {
		s.ledger(&options)
	}
	ledger, err := dynamodb.Open(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	w.ledger = ledger
	w.sign = credentials
	w.engine = w.process()
	w.sweep()
	w.place(-1) // the first call of a day makes its data key
	w.meter.taken()
	return w
}

// process returns a core that remembers nothing, on the same ledger.
func (w *world) process() *call.Engine {
	w.t.Helper()
	s := w.setup
	w.processes++
	dialer, err := connect.New(connect.Options{Clock: w.clock, Credentials: w.sign})
	if err != nil {
		w.t.Fatal(err)
	}
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	profile := call.Profile{
		Name: "alert", Region: "ap-northeast-1", InstanceID: "7d9f1b1c-3b5e-4a57-9c53-3f2b8f6d0a11", ContactFlowID: "c1f5a0de-54a7-4c9b-8f63-0c9f9f2b7a22",
		QueueID: "5a3c7e9f-1d2b-4c6d-8e0f-9a1b2c3d4e5f", RingTimeout: 30 * time.Second,
	}.WithDefaults()
	engine, err := call.New(w.t.Context(), call.Config{
		Ledger: w.ledger, Journal: w.ledger, Peek: w.ledger.Peek, Dialer: &telephone{dialer, s.loses, map[string]bool{}}, Clock: w.clock,
		Pacer: call.NewPace(0, 1), Searches: call.NewPace(0, 1), Observer: quiet{}, Random: rand.NewChaCha8([32]byte{w.processes}),
		Profile: func(string) (call.Profile, bool) { return profile, true }, Identity: call.IdentityIDs, ReadFirst: s.readFirst, Remember: s.remember,
		Token: func(in call.TokenInput) (string, error) { return maker.Token(clienttoken.Input(in)) },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return engine
}

func (w *world) sweep() units {
	w.t.Helper()
	if _, err := w.engine.Sweep(w.t.Context(), 100); err != nil {
		w.t.Fatal(err)
	}
	return w.meter.taken()
}

// place delivers call n once and moves it on until it is placed.
func (w *world) place(n int) units {
	w.t.Helper()
	out := w.engine.Place(w.t.Context(), w.delivery(n))
	used := w.meter.taken()
	for range 20 {
		if out.Met == call.MetPlaced {
			return used
		}
		w.clock.now = w.clock.now.Add(time.Minute)
		if _, err := w.engine.SweepRow(w.t.Context(), out.Call.ID); err != nil {
			w.t.Fatalf("call %d met %s: %s: %v", n, out.Met, out.Message, err)
		}
		used = used.plus(w.meter.taken())
		var err error
		if out.Call, err = w.ledger.Get(w.t.Context(), out.Call.ID); err != nil {
			w.t.Fatal(err)
		}
		w.meter.taken()
		out.Met = call.Situation(out.Call.State)
	}
	w.t.Fatalf("call %d is %s: %s", n, out.Met, out.Message)
	return units{}
}

func (w *world) delivery(n int) call.Delivery {
	w.t.Helper()
	phone, err := call.ParsePhone("+819000000001")
	if err != nil {
		w.t.Fatal(err)
	}
	attributes := map[string]string{"language": "ja-JP"}
	if w.setup.large {
		random := rand.New(rand.NewPCG(3, uint64(n)))
		var text strings.Builder
		for text.Len() < 3000 {
			fmt.Fprintf(&text, "%x ", random.Uint32())
		}
		attributes["message"] = text.String()
	}
	random := rand.New(rand.NewPCG(7, uint64(n)))
	id := func() uint64 { return random.Uint64() }
	return call.Delivery{
		Request: call.Request{
			NotificationID: fmt.Sprintf("notification-%d", 12345+n), RecipientID: fmt.Sprintf("user-%d", 67890+n), Destination: phone, Profile: "alert",
			Attributes: attributes, RequestedAt: time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC), Action: call.ActionCall,
		},
		Source: call.SourceSQS, Producer: "arn:aws:sqs:ap-northeast-1:123456789012:ringonce-calls", ReceiveCount: 1,
		ID: fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", id()>>32, id()>>48, id()>>52, id()>>52, id()>>16),
	}
}
