//go:build integration

package httpapi_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// processes are APIs of processes that share one PostgreSQL and one telephone network.
func processes(t *testing.T, n int) []*ordering {
	t.Helper()
	phone, err := connectemu.New(connectemu.Config{
		StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, SearchRate: connectemu.Unlimited, RingTime: time.Millisecond, TalkTime: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	connect := httptest.NewServer(phone)
	t.Cleanup(func() { phone.Close(); connect.Close() })
	server := pgtest.Start(t)
	dsn := filepath.Join(t.TempDir(), "dsn")
	if err := os.WriteFile(dsn, []byte(server.DSN(server.Schema(t), "")), 0o600); err != nil {
		t.Fatal(err)
	}
	var all []*ordering
	for range n {
		config, err := app.Parse("ringonce.yaml", []byte(strings.Join([]string{
			"production: false", "connect:", "  endpoint: " + connect.URL, "pacing: {per_second: 5000, burst: 5000}", "log: {level: error, format: text}",
			"ledger: {driver: postgres, dsn_file: " + dsn + ", witness: " + filepath.Join(t.TempDir(), "witness") + "}", "default_profile: alert", "profiles:", profile("alert"),
		}, "\n")))
		if err != nil {
			t.Fatal(err)
		}
		a, err := app.New(t.Context(), config, app.Options{Stores: stores.All(), Random: rand.Reader, LookupEnv: app.LookupNothing, HTTPClient: connect.Client()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = a.Close() })
		x := &ordering{world: &world{t: t, phone: phone, app: a}, options: httpapi.Options{
			Engine: a.Engine, Ledger: a.Store.Ledger, Index: a.Store.Index, Journal: a.Store.Journal, Clock: a.Clock, Observer: a.Observer, Random: rand.Reader,
			Cells: a.Store.Cells, CellNames: a.Cells, TwoPerson: true,
		}}
		x.options.Audit = func(_ context.Context, act httpapi.Act) error {
			x.mu.Lock()
			defer x.mu.Unlock()
			x.acts = append(x.acts, act)
			return nil
		}
		x.restart()
		x.sweep()
		all = append(all, x)
	}
	return all
}

func TestProcessesOnOnePostgresAgreeOnOneConfirmationAndRingEachCallAgainOnce(t *testing.T) {
	t.Parallel()
	all := processes(t, 3)
	x := all[0]
	const calls = 20
	for i := range calls {
		x.do(&shop, "POST", "/v1/calls", requestTo(fmt.Sprintf("n%d", i), i), "Prefer", "wait=20")
	}
	x.rings(calls)
	o := x.do(&admin, "POST", "/v1/recalls", placedByShop)
	if o.text("state") != "pending" {
		t.Fatal(o.Text)
	}
	confirm, with := "/v1/orders/"+o.text("id")+"/confirm", `{"digest":"`+o.text("digest")+`"}`
	var won atomic.Int32
	var race sync.WaitGroup
	for i, p := range all {
		who := access.Principal{Kind: access.Operator, Name: fmt.Sprint("admin-", i), Role: access.RoleAdmin}
		race.Go(func() {
			if a := p.do(&who, "POST", confirm, with); a.Status == http.StatusOK {
				won.Add(1)
			} else {
				p.want(a, http.StatusConflict, "order_not_pending")
			}
		})
	}
	race.Wait()
	if won.Load() != 1 {
		t.Errorf("%d confirmations were taken", won.Load())
	}
	for _, p := range all {
		race.Go(p.sweep)
	}
	race.Wait()
	x.rings(2 * calls)
}

func TestAnOrderOfAProcessThatEndedIsCarriedOnByTheOthersAtOnce(t *testing.T) {
	t.Parallel()
	all := processes(t, 3)
	x := all[0]
	const calls = 20
	for i := range calls {
		x.do(&shop, "POST", "/v1/calls", requestTo(fmt.Sprintf("n%d", i), i), "Prefer", "wait=20")
	}
	o := x.do(&admin, "POST", "/v1/recalls", placedByShop)
	x.restart(crashing(7))
	x.cut(&second, "/v1/orders/"+o.text("id")+"/confirm", `{"digest":"`+o.text("digest")+`"}`)
	var both sync.WaitGroup
	for _, p := range all[1:] {
		both.Go(func() { p.follows() })
	}
	both.Wait()
	for _, p := range all[1:] {
		both.Go(p.sweep)
	}
	both.Wait()
	x.rings(2 * calls)
	if a := all[2].do(&reader, "GET", "/v1/orders/"+o.text("id"), ""); a.text("state") != "done" || a.at("recalled") != float64(calls) {
		t.Error(a.Text)
	}
}

func TestOneProcessOfThreeOnOnePostgresCarriesAnOrderOutAtATime(t *testing.T) {
	t.Parallel()
	all := processes(t, 3)
	for _, x := range all {
		x.options.TwoPerson = false
		x.restart()
	}
	releasedAtOnce(t, all[0], all[1:], all[0].accepts(30))
}
