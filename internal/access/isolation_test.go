package access_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/memory"
)

const flow = "22222222-2222-4222-8222-222222222222"

// seeded is randomness that repeats.
type seeded struct {
	mu sync.Mutex
	r  *rand.ChaCha8
}

func (s *seeded) Read(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.r.Read(p)
}

// rooms is the wired program beside a telephone network, asked by principals. It must be made inside a bubble.
type rooms struct {
	t   *testing.T
	app *app.App
	emu *connectemu.Server
}

func newRooms(t *testing.T, wrap func(func(string) string) func(string) string) *rooms {
	t.Helper()
	emu, err := connectemu.New(connectemu.Config{
		Flows: []string{flow}, RingTime: time.Millisecond, TalkTime: time.Millisecond, StartRate: connectemu.Unlimited, SearchRate: connectemu.Unlimited,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(emu.Close)
	production, rate, ledger := false, 100.0, memory.New(memory.Options{})
	c := &app.Config{
		Production: &production, Connect: app.Connect{Endpoint: "http://127.0.0.1:7465"}, Ledger: app.Ledger{Driver: "memory"},
		Profiles: map[string]app.Profile{"alert": {
			Region: "us-east-1", InstanceID: connectemu.DefaultInstance, ContactFlowID: flow, QueueID: "33333333-3333-4333-8333-333333333333",
		}},
		Producers: []app.Producer{{ARN: "arn:aws:sqs:us-east-1:111122223333:orders", KeySpace: "orders"}},
		Pacing:    app.Pacing{PerSecond: &rate, Burst: 100},
	}
	a, err := app.New(t.Context(), c, app.Options{
		Stores: map[string]app.OpenStore{"memory": func(context.Context, app.StoreRequest) (*app.Store, error) {
			l := ledger.Reopen()
			return &app.Store{Ledger: l, Index: l, Journal: l, Cells: l, Admin: l, Close: l.Close}, nil
		}},
		Clock: app.SystemClock{}, Random: &seeded{r: rand.NewChaCha8([32]byte{1})}, HTTPClient: &http.Client{Transport: emu.RoundTripper()},
		LookupEnv: func(string) (string, bool) { return "", false }, KeySpaces: wrap,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return &rooms{t: t, app: a, emu: emu}
}

// asks places the nth request of the ids that everybody uses.
func (r *rooms) asks(producer string, n int) call.Outcome {
	r.t.Helper()
	phone, err := call.ParsePhone(fmt.Sprintf("+120255501%02d", n))
	if err != nil {
		r.t.Fatal(err)
	}
	return r.app.Engine.Place(r.t.Context(), call.Delivery{
		Source: call.SourceHTTP, Producer: producer,
		Request: call.Request{NotificationID: fmt.Sprintf("n%d", n), RecipientID: "r", Destination: phone, RequestedAt: time.Now()},
	})
}

func own(name string) access.Principal {
	return access.Principal{Kind: access.Producer, Name: name, KeySpace: name}
}

func TestTwoProducersWithTheSameIdsRingTwiceAndSeeNothingOfEachOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRooms(t, access.KeySpaces)
		crm, shop := own("crm"), own("shop")
		for n := range 5 {
			first, second, again := r.asks(crm.Sender(), n), r.asks(shop.Sender(), n), r.asks(crm.Sender(), n)
			if first.Call.ID == second.Call.ID || again.Call.ID != first.Call.ID || second.Call.State != call.Placed {
				t.Fatalf("%s %s %s: %s", first.Call.ID, second.Call.ID, again.Call.ID, second.Call.State)
			}
			if space := second.Call.Key.KeySpace; space != "shop" || crm.Sees(space) || !shop.Sees(space) {
				t.Errorf("shop's call is in %q, and crm sees it: %v", space, crm.Sees(space))
			}
		}
		if r.emu.RingCount() != 10 {
			t.Errorf("%d rings of 10", r.emu.RingCount())
		}
	})
}

func TestASharedKeySpaceSuppressesAndTheHistoryNamesWhoWasFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRooms(t, access.KeySpaces)
		crm := access.Principal{Kind: access.Producer, Name: "crm", KeySpace: "calls"}
		shop := access.Principal{Kind: access.Producer, Name: "shop", KeySpace: "calls"}
		first, second := r.asks(crm.Sender(), 1), r.asks(shop.Sender(), 1)
		if r.emu.RingCount() != 1 || second.Call.ID != first.Call.ID || !crm.Sees(second.Call.Key.KeySpace) || !shop.Sees(first.Call.Key.KeySpace) {
			t.Fatalf("%d rings, %s and %s", r.emu.RingCount(), first.Call.ID, second.Call.ID)
		}
		history, err := r.app.Store.Index.History(t.Context(), first.Call.ID)
		if err != nil {
			t.Fatal(err)
		}
		notes, err := r.app.Store.Journal.Notes(t.Context(), first.Call.ID)
		if err != nil {
			t.Fatal(err)
		}
		opened, err := history[0].Event()
		if err != nil {
			t.Fatal(err)
		}
		if owner := opened.Delivery.Producer; owner != "api:calls/crm" || second.Call.Producer != owner {
			t.Errorf("first was %q", owner)
		}
		if len(notes.Kept) != 1 || notes.Kept[0].Delivery.Producer != "api:calls/shop" {
			t.Errorf("suppressed: %+v", notes)
		}
	})
}

// A producer chooses every member of its request, so nothing in there may lead into another room; nor may a name of a queue.
func TestNoRequestLeadsIntoAnotherRoom(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRooms(t, access.KeySpaces)
		orders := r.asks("arn:aws:sqs:us-east-1:111122223333:orders", 1)
		for i, sender := range []string{own("crm").Sender(), own("arn").Sender(), access.Local().Sender(), "arn:aws:sqs:us-east-1:111122223333:other"} {
			made := r.asks(sender, 1)
			if made.Call.ID == orders.Call.ID {
				t.Errorf("%d: %s reaches a row of the queue's", i, sender)
			}
		}
		if orders.Call.Key.KeySpace != "orders" || r.emu.RingCount() != 4 { // the last two share the unnamed room
			t.Errorf("%q, %d rings", orders.Call.Key.KeySpace, r.emu.RingCount())
		}
	})
}

// The control: without the lookup all producers with credentials are in one room, and the test above would see it.
func TestWithoutTheLookupOneProducerSuppressesTheOther(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRooms(t, nil)
		r.asks(own("crm").Sender(), 1)
		r.asks(own("shop").Sender(), 1)
		if r.emu.RingCount() != 1 {
			t.Errorf("%d rings", r.emu.RingCount())
		}
	})
}
