package dynamodb

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/dial/connect"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// telephone prepares bodies as the real dialer does, and places every call.
type telephone struct{ *connect.Dialer }

func (telephone) Dial(context.Context, call.Send) call.Answer {
	return call.Answer{Class: call.ClassOK, ContactID: "0f8fad5b-d9cb-469f-a165-70867728950e", Took: 123456789}
}

type quiet struct{}

func (quiet) Decided(context.Context, call.Decided) {}

// tick is a clock whose readings all differ in nanoseconds, as real ones do.
type tick struct{ now time.Time }

func (c *tick) Now() time.Time {
	c.now = c.now.Add(1234567 * time.Nanosecond)
	return c.now
}

func (*tick) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// engineOn returns a core with one ordinary profile: a queue, a flow.
func engineOn(t testing.TB, l *Ledger, tune func(*call.Config)) *call.Engine {
	t.Helper()
	clock := &tick{time.Date(2026, 11, 29, 3, 0, 5, 0, time.UTC)}
	dialer, err := connect.New(connect.Options{
		Clock: clock, Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) { return aws.Credentials{}, nil }),
	})
	if err != nil {
		t.Fatal(err)
	}
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		t.Fatal(err)
	}
	profile := call.Profile{
		Name: "alert", Region: "ap-northeast-1", InstanceID: "7d9f1b1c-3b5e-4a57-9c53-3f2b8f6d0a11", ContactFlowID: "c1f5a0de-54a7-4c9b-8f63-0c9f9f2b7a22",
		QueueID: "5a3c7e9f-1d2b-4c6d-8e0f-9a1b2c3d4e5f", RingTimeout: 30 * time.Second,
	}.WithDefaults()
	core := call.Config{
		Ledger: l, Journal: l, Dialer: telephone{dialer}, Clock: clock, Pacer: call.NewPace(0, 1), Searches: call.NewPace(0, 1), Observer: quiet{},
		Random: rand.NewChaCha8([32]byte{1}), Profile: func(string) (call.Profile, bool) { return profile, true }, Identity: call.IdentityIDs,
		Token: func(in call.TokenInput) (string, error) { return maker.Token(clienttoken.Input(in)) },
	}
	if tune != nil {
		tune(&core)
	}
	e, err := call.New(t.Context(), core)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func delivery(t testing.TB, n int) call.Delivery {
	t.Helper()
	phone, err := call.ParsePhone("+819000000001")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(7, uint64(n)))
	id := make([]byte, 16)
	for i := range id {
		id[i] = byte(random.Uint32())
	}
	h := hex.EncodeToString(id)
	return call.Delivery{
		Request: call.Request{
			NotificationID: fmt.Sprintf("notification-%d", 12345+n), RecipientID: fmt.Sprintf("user-%d", 67890+n), Destination: phone, Profile: "alert",
			Attributes: map[string]string{"language": "ja-JP"}, RequestedAt: time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC), Action: call.ActionCall,
		},
		Source: call.SourceSQS, Producer: "arn:aws:sqs:ap-northeast-1:123456789012:ringonce-calls", ReceiveCount: 1,
		ID: h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:],
	}
}

// TestOperations counts the requests of whole calls at the client (protocol.md section 12; L7). The heartbeat, which the engine reads at
// most every 30 seconds, is not among them.
func TestOperations(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		tune                    func(*Options)
		readFirst               bool
		remember                int
		first, duplicate, again map[string]int
	}{
		"as configured by default": {nil, false, 0, map[string]int{"PutItem": 2}, map[string]int{"PutItem": 1}, map[string]int{"PutItem": 1}},
		"remembered":               {nil, false, 10, map[string]int{"PutItem": 2}, map[string]int{}, map[string]int{}},
		"read first":               {nil, true, 0, map[string]int{"GetItem": 1, "PutItem": 2}, map[string]int{"GetItem": 1}, map[string]int{"GetItem": 1}},
		"unique tokens":            {func(o *Options) { o.UniqueTokens = true }, true, 0, map[string]int{"GetItem": 1, "PutItem": 3}, map[string]int{"GetItem": 1}, map[string]int{"GetItem": 1}},
		"suppressions first-20": {
			func(o *Options) { o.Suppressions = suppressionsFirst }, false, 0,
			map[string]int{"PutItem": 2},
			map[string]int{"PutItem": 1, "UpdateItem": 1},
			map[string]int{"PutItem": 1, "UpdateItem": 1},
		},
		"suppressions all": {
			func(o *Options) { o.Suppressions = suppressionsAll }, false, 0,
			map[string]int{"PutItem": 2},
			map[string]int{"PutItem": 1, "UpdateItem": 1},
			map[string]int{"PutItem": 1, "UpdateItem": 1},
		},
	} {
		f := newFake(t)
		l := f.open(c.tune)
		e := engineOn(t, l, func(core *call.Config) { core.ReadFirst, core.Remember, core.Peek = c.readFirst, c.remember, l.Peek })
		if _, err := e.Sweep(t.Context(), 1); err != nil { // a sweeper lives, and the engine knows its heartbeat
			t.Fatal(err)
		}
		f.Taken()
		for i, want := range []map[string]int{c.first, c.duplicate, c.again} {
			out := e.Place(t.Context(), delivery(t, 0))
			if out.Met != call.MetPlaced || out.Ack != call.AckDone {
				t.Fatalf("%s: delivery %d is %s, acknowledged %v: %s", name, i, out.Met, out.Ack, out.Message)
			}
			if got := f.Taken(); !maps.Equal(got, want) {
				t.Errorf("%s: delivery %d cost %v, want %v", name, i, got, want)
			}
		}
	}
}

// TestATypicalCallFitsOneWriteUnit measures the item of a placed call as DynamoDB counts it, in clear and encrypted, with and without a
// trace.
func TestATypicalCallFitsOneWriteUnit(t *testing.T) {
	t.Parallel()
	for _, traced := range []bool{false, true} {
		clear, sealed := typicalSize(t, nil, traced), typicalSize(t, encrypted, traced)
		if more := sealed - clear; more != 1+keyIDSize+12+16 {
			t.Errorf("encryption adds %d bytes on average, want format, key id, nonce and tag", more)
		}
	}
}

// typicalSize returns the average.
func typicalSize(t *testing.T, tune func(*Options), traced bool) int {
	t.Helper()
	f := newFake(t)
	l := f.open(tune)
	e := engineOn(t, l, nil)
	largest, sum := 0, 0
	const calls = 50
	for n := range calls {
		d := delivery(t, n)
		if traced {
			random := rand.New(rand.NewPCG(8, uint64(n)))
			d.Trace = call.Trace{ID: fmt.Sprintf("%016x%016x", random.Uint64(), random.Uint64()), Root: true}
		}
		if out := e.Place(t.Context(), d); out.Met != call.MetPlaced {
			t.Fatalf("call %d is %s: %s", n, out.Met, out.Message)
		}
		id, _, err := e.Key(d)
		if err != nil {
			t.Fatal(err)
		}
		size := wireSize(f.Items[id])
		largest, sum = max(largest, size), sum+size
		if _, moved := f.Items[id][attrSide]; moved {
			t.Errorf("call %d needed a side item", n)
		}
	}
	t.Logf("items of %d typical placed calls, traced %t, encrypted %t: %d bytes on average, the largest %d", calls, traced, tune != nil, sum/calls, largest)
	if largest > unit {
		t.Errorf("the largest item has %d bytes, more than one write unit of %d", largest, unit)
	}
	return sum / calls
}

func wireSize(it tabletest.Item) int {
	converted := item{}
	for name, v := range it {
		switch {
		case v.S != nil:
			converted[name] = text(*v.S)
		case v.N != nil:
			converted[name] = &types.AttributeValueMemberN{Value: *v.N}
		default:
			converted[name] = blob(v.B)
		}
	}
	return sizeOf(converted)
}
