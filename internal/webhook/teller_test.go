package webhook_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/webhook"
)

const config = `
production: false
connect: {endpoint: %q}
ledger: {driver: sqlite, path: %q, witness: %q}
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
`

var secret = []byte("0123456789abcdef0123456789abcdef")

// receiver is a producer's server. It checks every signature.
type receiver struct {
	t      *testing.T
	mu     sync.Mutex
	taken  []string // types of the events that were answered with 200, in order
	ids    map[string]int
	stamps map[string][]int64 // Webhook-Timestamp by id
	refuse int                // requests that are answered with 503 first
	lose   int                // requests that are taken and not answered first
	slow   bool               // each waits until the test lets it go on
	gate   chan struct{}
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		r.t.Error(err)
	}
	unix, _ := strconv.ParseInt(q.Header.Get(webhook.HeaderTimestamp), 10, 64)
	id := q.Header.Get(webhook.HeaderID)
	if !webhook.Verify([][]byte{secret}, id, time.Unix(unix, 0), body, q.Header.Get(webhook.HeaderSignature)) {
		r.t.Error("a request without a valid signature")
	}
	if strings.Contains(string(body), "202555") {
		r.t.Error("a phone number in a webhook")
	}
	var event webhook.Event
	if err := json.Unmarshal(body, &event); err != nil || event.ID != id {
		r.t.Errorf("%v: %s", err, body)
	}
	if r.slow {
		<-r.gate
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refuse > 0 {
		r.refuse--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	r.ids[id]++
	r.stamps[id] = append(r.stamps[id], unix)
	r.taken = append(r.taken, string(event.Type))
	if r.lose > 0 {
		r.lose--
		panic(http.ErrAbortHandler) // the connection ends without an answer
	}
}

// desk is a program with a call that rang, and its producer.
type desk struct {
	app      *app.App
	receiver *receiver
	teller   *webhook.Teller
	row      string
}

func newDesk(t *testing.T, change ...func(*webhook.Options)) *desk {
	t.Helper()
	phones, err := connectemu.New(connectemu.Config{})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(phones)
	t.Cleanup(server.Close)
	c, err := app.Parse("test.yaml", fmt.Appendf(nil, config, server.URL, filepath.Join(t.TempDir(), "calls.db"), filepath.Join(t.TempDir(), "witness")))
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(t.Context(), c, app.Options{Stores: stores.All(), Random: rand.Reader, LookupEnv: app.LookupNothing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	d := &desk{app: a, receiver: &receiver{t: t, ids: map[string]int{}, stamps: map[string][]int64{}, gate: make(chan struct{})}}
	hook := httptest.NewServer(d.receiver)
	t.Cleanup(hook.Close)
	o := webhook.Options{
		Ledger: a.Store.Ledger, Index: a.Store.Index, Cells: a.Store.Cells, Clock: a.Clock,
		Endpoint: func(space string) (webhook.Endpoint, bool) {
			return webhook.Endpoint{URL: hook.URL, Sign: signing(secret), Send: func(r *http.Request) (int, error) {
				answer, err := hook.Client().Do(r)
				if err != nil {
					return 0, err
				}
				return answer.StatusCode, answer.Body.Close()
			}}, space == ""
		},
	}
	for _, f := range change {
		f(&o)
	}
	d.teller = webhook.New(o)
	d.row = d.place(t, "n-1")
	return d
}

func (d *desk) place(t *testing.T, notification string) string {
	t.Helper()
	number, err := call.ParsePhone("+12025550101")
	if err != nil {
		t.Fatal(err)
	}
	out := d.app.Engine.Place(t.Context(), call.Delivery{
		Source: call.SourceSQS, ID: "m-" + notification,
		Request: call.Request{NotificationID: notification, RecipientID: "r-1", Destination: number, Profile: "alert"},
	})
	if out.Call.State != call.Placed {
		t.Fatalf("the call met %s: %s", out.Met, out.Message)
	}
	return out.Call.ID
}

func (d *desk) acknowledge(t *testing.T) {
	t.Helper()
	if _, err := d.app.Engine.Acknowledge(t.Context(), d.row, call.Acknowledgment{Actor: "ann"}); err != nil {
		t.Fatal(err)
	}
}

func (d *desk) took(t *testing.T, want ...string) {
	t.Helper()
	d.receiver.mu.Lock()
	defer d.receiver.mu.Unlock()
	if !slices.Equal(d.receiver.taken, want) {
		t.Errorf("the producer took %v, want %v", d.receiver.taken, want)
	}
}

func TestAProducerIsToldInTheOrderOfTheHistoryAndOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for range 2 {
		if err := d.teller.Tell(t.Context(), d.row); err != nil {
			t.Fatal(err)
		}
	}
	d.took(t, "call.accepted", "call.placed")
	d.acknowledge(t)
	if err := d.teller.Tell(t.Context(), d.row); err != nil {
		t.Fatal(err)
	}
	d.took(t, "call.accepted", "call.placed", "call.acknowledged", "call.outcome")
}

func TestWhatIsNotTakenIsToldAgainAndNothingOvertakesIt(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.receiver.refuse = 2
	for range 2 {
		if err := d.teller.Tell(t.Context(), d.row); err == nil {
			t.Error("a refusal is no error")
		}
	}
	d.acknowledge(t)
	if err := d.teller.Tell(t.Context(), d.row); err != nil {
		t.Fatal(err)
	}
	d.took(t, "call.accepted", "call.placed", "call.acknowledged", "call.outcome")
}

func TestAnEventWhoseAnswerIsLostComesAgainUnderTheSameID(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.receiver.lose = 1
	if err := d.teller.Tell(t.Context(), d.row); err == nil {
		t.Error("a lost answer is no error")
	}
	if err := d.teller.Tell(t.Context(), d.row); err != nil {
		t.Fatal(err)
	}
	d.took(t, "call.accepted", "call.accepted", "call.placed")
	if len(d.receiver.ids) != 2 {
		t.Errorf("ids %v", d.receiver.ids)
	}
}

func TestTwoProcessesDoNotTellTheSameCallAtOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.receiver.slow = true
	first := make(chan error)
	go func() { first <- d.teller.Tell(t.Context(), d.row) }()
	d.receiver.gate <- struct{}{} // the first is within its first request, or behind it
	if err := d.teller.Tell(t.Context(), d.row); !errors.Is(err, webhook.ErrBusy) {
		t.Errorf("the second: %v", err)
	}
	d.receiver.gate <- struct{}{}
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	d.took(t, "call.accepted", "call.placed")
}

// forgetfulCells loses what a cursor's write was to say, as a process does that dies before it.
type forgetfulCells struct{ call.Cells }

func (c forgetfulCells) SetCell(ctx context.Context, cell call.Cell) (call.Cell, bool, error) {
	if len(cell.Data) > 0 && strings.Contains(string(cell.Data), `"seq":1`) {
		return call.Cell{}, false, errors.New("planted: the process is gone")
	}
	return c.Cells.SetCell(ctx, cell)
}

func TestACrashBehindARequestRepeatsItAndLosesNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(o *webhook.Options) { o.Cells = forgetfulCells{o.Cells} })
	if err := d.teller.Tell(t.Context(), d.row); err == nil {
		t.Error("a cursor that cannot be moved is no error")
	}
	o := d.teller.Options
	o.Cells = d.app.Store.Cells
	if err := webhook.New(o).Tell(t.Context(), d.row); err != nil {
		t.Fatal(err)
	}
	d.took(t, "call.accepted", "call.accepted", "call.placed")
}

func TestCallsThatNobodyWasToldOfAreFound(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	other := d.place(t, "n-2")
	if err := d.teller.Tell(t.Context(), d.row); err != nil {
		t.Fatal(err)
	}
	var behind []string
	again := func(_ context.Context, row string) error { behind = append(behind, row); return nil }
	if found, err := d.teller.Behind(t.Context(), time.Hour, 1000, again); err != nil || found.Calls != 1 || found.Oldest.IsZero() || len(found.GivenUp) > 0 || !slices.Equal(behind, []string{other}) {
		t.Errorf("behind %v, %v", behind, err)
	}
}

func TestAProducerOfAnotherKeySpaceIsToldNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, func(o *webhook.Options) {
		o.Endpoint = func(string) (webhook.Endpoint, bool) { return webhook.Endpoint{}, false }
	})
	if err := d.teller.Tell(t.Context(), d.row); err != nil {
		t.Fatal(err)
	}
	if err := d.teller.Tell(t.Context(), "nobody"); err != nil {
		t.Fatal(err)
	}
	d.took(t)
}

func TestASignatureIsOfItsSecretIDTimeAndBody(t *testing.T) {
	t.Parallel()
	at, body := time.Unix(1_800_000_000, 0), []byte(`{"a":1}`)
	other := []byte("another secret of thirty-two byte")
	both := webhook.Sign([][]byte{secret, other}, "id", at, body)
	for name, c := range map[string]struct {
		secret []byte
		id     string
		at     time.Time
		body   string
		want   bool
	}{
		"as it was":         {secret, "id", at, `{"a":1}`, true},
		"by the old secret": {other, "id", at, `{"a":1}`, true},
		"another secret":    {[]byte("x"), "id", at, `{"a":1}`, false},
		"another id":        {secret, "id2", at, `{"a":1}`, false},
		"another time":      {secret, "id", at.Add(time.Second), `{"a":1}`, false},
		"another body":      {secret, "id", at, `{"a":2}`, false},
	} {
		if webhook.Verify([][]byte{c.secret}, c.id, c.at, []byte(c.body), both) != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
}

func signing(secret []byte) func(string, time.Time, []byte) string {
	return func(id string, at time.Time, body []byte) string { return webhook.Sign([][]byte{secret}, id, at, body) }
}
