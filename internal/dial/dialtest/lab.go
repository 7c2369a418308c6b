package dialtest

import (
	"context"
	"fmt"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// Lab is what one check is made in: an emulator, the front before it, and two clocks that stand still.
type Lab struct {
	Endpoint    string // where the dialer finds Amazon Connect
	Region      string
	Key, Secret string
	Clock       *Clock // of the dialer

	kind     call.Kind               // of the contacts
	far      *connectemu.ManualClock // of the emulator; it shows the same time unless a check moves it
	emulator *connectemu.Server
	front    *front
}

// Clock is the dialer's clock. It stands still, except that a check may let the dialer's own pauses pass by themselves.
type Clock struct {
	*connectemu.ManualClock
	pausesPass atomic.Bool
}

// longestPause is longer than a dialer waits on purpose, and shorter than any time limit of a request.
const longestPause = 5 * time.Second

// Sleep implements call.Clock.
func (c *Clock) Sleep(ctx context.Context, d time.Duration) error {
	if c.pausesPass.Load() && d <= longestPause {
		c.Advance(d)
		return ctx.Err()
	}
	return c.ManualClock.Sleep(ctx, d)
}

// start is when every check begins: far from the time of any machine that runs it, so that a dialer that reads its machine's
// clock cannot pass by chance.
var start = time.Date(2031, time.March, 3, 9, 30, 0, 0, time.UTC)

// Ids that exist in the lab.
const (
	instanceID = connectemu.DefaultInstance
	flowID     = "22222222-3333-4444-8555-666666666666"
	queueID    = "33333333-4444-4555-8666-777777777777"
	answering  = "+12025550101"
)

// newLab returns a lab without limits; tune, which may be nil, sets switches of the emulator.
func newLab(tb testing.TB, kind call.Kind, tune func(*connectemu.Config)) *Lab {
	tb.Helper()
	lab := &Lab{
		kind: kind, Region: connectemu.DefaultRegion, Key: connectemu.DefaultAccessKey, Secret: connectemu.DefaultSecretKey,
		Clock: &Clock{ManualClock: connectemu.NewManualClock(start)}, far: connectemu.NewManualClock(start),
	}
	cfg := connectemu.Config{
		Clock: lab.far, StartRate: connectemu.Unlimited, DescribeRate: connectemu.Unlimited, StopRate: connectemu.Unlimited,
		SearchRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off,
		Chats: connectemu.Digital{Rate: connectemu.Unlimited, MaxActive: connectemu.Off, Lasts: time.Minute},
		Tasks: connectemu.Digital{Rate: connectemu.Unlimited, MaxActive: connectemu.Off, Lasts: time.Minute},
	}
	if tune != nil {
		tune(&cfg)
	}
	emulator, err := connectemu.New(cfg)
	if err != nil {
		tb.Fatalf("make the emulator: %v", err)
	}
	lab.emulator, lab.front = emulator, &front{emulator: emulator}
	server := httptest.NewServer(lab.front)
	lab.Endpoint = server.URL
	tb.Cleanup(func() {
		lab.front.close()
		emulator.Close()
		server.CloseClientConnections()
		server.Close()
	})
	return lab
}

// advance moves both clocks.
func (l *Lab) advance(d time.Duration) {
	l.Clock.Advance(d)
	l.far.Advance(d)
}

// await waits until the condition holds: what it waits for happens in goroutines of the dialer or the server.
func await(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	for range 10_000 {
		if condition() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	tb.Fatalf("waited in vain for %s", what)
}

// target is where the lab's contacts live.
func (l *Lab) target() call.Target { return call.Target{Region: l.Region, InstanceID: instanceID} }

// order returns an order whose parts differ with n.
func order(tb testing.TB, kind call.Kind, number string, n int) call.Order {
	tb.Helper()
	phone, err := call.ParsePhone(number)
	if err != nil {
		tb.Fatalf("the exam's own number: %v", err)
	}
	o := call.Order{
		CallID: fmt.Sprintf("exam-call-%04d", n), Token: fmt.Sprintf("exam-token-%04d", n), Destination: phone,
		Attributes: map[string]string{"zulu": "last", "alpha": "first", "message": "Café 東京 \u2028 <1 & 2>", "mike": `"middle"`},
		Profile: call.Profile{
			Name: "exam", Kind: kind, Region: connectemu.DefaultRegion, InstanceID: instanceID, ContactFlowID: flowID,
		},
	}
	switch p := &o.Profile; kind {
	case call.KindVoice:
		p.QueueID, p.RingTimeout = queueID, 30*time.Second
	case call.KindChat:
		p.DisplayName, p.InitialMessage, p.ContactDuration = "{alpha} customer", "{message}", 2*time.Hour
	case call.KindTask:
		p.Description, p.ContactDuration = "{mike}: {message}", 2*time.Hour
	}
	return o
}

// send prepares an order and returns the send for it, allowed for a minute from now.
func (l *Lab) send(tb testing.TB, d call.Dialer, o call.Order) call.Send {
	tb.Helper()
	body, err := d.Prepare(o)
	if err != nil {
		tb.Fatalf("Prepare: %v", err)
	}
	now := l.Clock.Now()
	return call.Send{
		Kind: l.kind, CallID: o.CallID, AttemptID: o.CallID + "-1", Target: l.target(), Token: o.Token, Body: body,
		NotBefore: now, NotAfter: now.Add(time.Minute),
	}
}

// dialInBackground starts a dial and returns the channel on which its answer will be.
func dialInBackground(tb testing.TB, d call.Dialer, s call.Send) <-chan call.Answer {
	tb.Helper()
	answers := make(chan call.Answer, 1)
	ctx := tb.Context()
	go func() { answers <- d.Dial(ctx, s) }()
	return answers
}
