//go:build integration

package awsstores_test

import (
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/awsstores"
	"github.com/ringonce/ringonce/internal/awstest"
	"github.com/ringonce/ringonce/internal/call"
)

const config = `
production: false
connect: {endpoint: %q}
ledger: {driver: dynamodb, table: ringonce-calls, region: us-east-1, endpoint: %q, create_table: true}
pacing: {per_second: 1000, burst: 1000}
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
`

func start(t *testing.T, connect, dynamo string) *app.App {
	t.Helper()
	return startWith(t, config, connect, dynamo)
}

func startWith(t *testing.T, config, connect, dynamo string) *app.App {
	t.Helper()
	c, err := app.Parse("test.yaml", fmt.Appendf(nil, config, connect, dynamo))
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(t.Context(), c, app.Options{Stores: awsstores.All(), Random: rand.Reader, LookupEnv: app.LookupNothing})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

func delivery(t *testing.T, n int) call.Delivery {
	t.Helper()
	phone, err := call.ParsePhone(fmt.Sprintf("+1202555%04d", 101+n))
	if err != nil {
		t.Fatal(err)
	}
	return call.Delivery{Source: call.SourceSQS, ID: fmt.Sprint(n), Request: call.Request{
		NotificationID: fmt.Sprint("notification-", n), RecipientID: fmt.Sprint("user-", n), Destination: phone,
	}}
}

// TestTheWiredProgramRingsOnceOnATable runs the wiring of both binaries: a few calls, each delivered three times, the last time to a process
// that starts anew; then the admin side reads everything back.
func TestTheWiredProgramRingsOnceOnATable(t *testing.T) {
	t.Parallel()
	emulator, err := connectemu.New(connectemu.Config{})
	if err != nil {
		t.Fatal(err)
	}
	phones := httptest.NewServer(emulator)
	t.Cleanup(phones.Close)
	dynamo := awstest.StartDynalite(t)
	const calls = 5 // the burst that Amazon Connect allows
	for process := range 2 {
		a := start(t, phones.URL, dynamo)
		for round := range 2 - process {
			for n := range calls {
				out := a.Engine.Place(t.Context(), delivery(t, n))
				if out.Met != call.MetPlaced || out.Ack != call.AckDone || out.Replayed != (process+round > 0) {
					t.Fatalf("process %d, round %d, call %d: %s, %s, replayed %t: %s", process, round, n, out.Met, out.Ack, out.Replayed, out.Message)
				}
			}
		}
	}
	if rings := emulator.RingCount(); rings != calls {
		t.Errorf("%d rings of %d calls", rings, calls)
	}
	a := start(t, phones.URL, dynamo)
	if _, err := a.Engine.Sweep(t.Context(), 100); err != nil {
		t.Errorf("sweep: %v", err)
	}
	var rows []call.Call
	err = a.Store.Admin.Each(t.Context(), func(c call.Call, entries []call.Entry) error {
		rows = append(rows, c)
		for _, breach := range append(call.CheckHistory(c, entries), call.CheckRow(c)...) {
			t.Errorf("row %s: %s", c.ID, breach)
		}
		return nil
	})
	if err != nil || len(rows) != calls {
		t.Errorf("each: %d rows, error %v", len(rows), err)
	}
	if page, _, err := a.Store.Index.List(t.Context(), call.Filter{States: []call.State{call.Placed}}); err != nil || len(page) != calls {
		t.Errorf("list: %d rows, error %v", len(page), err)
	}
}
