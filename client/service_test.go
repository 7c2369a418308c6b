package client_test

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// service is the API on a SQLite ledger and an emulated telephone. The token "shop" is that of a producer, every other one of an operator.
type service struct {
	URL   string
	phone *connectemu.Server
	sweep func()
	close func()
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func serve() *service {
	phone := must(connectemu.New(connectemu.Config{
		StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off, SearchRate: connectemu.Unlimited, RingTime: time.Millisecond, TalkTime: time.Millisecond,
	}))
	telephone := httptest.NewServer(phone)
	dirs := []string{must(os.MkdirTemp("", "ledger")), must(os.MkdirTemp("", "witness"))}
	config := must(app.Parse("ringonce.yaml", []byte(strings.Join([]string{
		"production: false", "connect: {endpoint: '" + telephone.URL + "'}", "log: {level: error, format: text}",
		"ledger:", "  driver: sqlite", "  path: " + filepath.Join(dirs[0], "calls.db"), "  witness: " + filepath.Join(dirs[1], "calls.witness"),
		"profiles:", "  alert:", "    region: " + connectemu.DefaultRegion, "    instance_id: " + connectemu.DefaultInstance,
		"    contact_flow_id: 22222222-3333-4444-8555-666666666666", "    queue_id: 33333333-4444-4555-8666-777777777777",
	}, "\n"))))
	a := must(app.New(context.Background(), config, app.Options{Stores: stores.All(), Random: rand.Reader, LookupEnv: app.LookupNothing, HTTPClient: telephone.Client()}))
	api := must(httpapi.New(httpapi.Options{
		Engine: a.Engine, Ledger: a.Store.Ledger, Index: a.Store.Index, Journal: a.Store.Journal, Clock: a.Clock, Observer: a.Observer, Random: rand.Reader,
		Cells: a.Store.Cells, CellNames: a.Cells, Numberless: config.Numberless(),
	}))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := access.Local()
		switch r.Header.Get("Authorization") {
		case "Bearer shop":
			who = access.Principal{Kind: access.Producer, Name: "shop", KeySpace: "shop"}
		case "":
			api.ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r.WithContext(access.With(r.Context(), who)))
	}))
	s := &service{URL: server.URL, phone: phone}
	s.sweep = func() { must(a.Engine.Sweep(context.Background(), 100)) }
	s.sweep()
	s.close = func() {
		server.Close()
		_ = a.Close()
		phone.Close()
		telephone.Close()
		for _, dir := range dirs {
			_ = os.RemoveAll(dir)
		}
	}
	return s
}
