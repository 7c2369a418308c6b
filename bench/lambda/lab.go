package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/ingress/lambda/runtimeapitest"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// lab is the world of the measured process: an emulator and a Runtime API on loopback.
type lab struct {
	dir      string
	launch   runtimeapitest.Launch
	ledger   string
	table    *tabletest.Table
	stores   *http.Server // of the table
	runtime  *runtimeapitest.Server
	emulator *connectemu.Server
	http     *http.Server
	endpoint string // of the emulator
	address  string // of the table
}

func openLab(ctx context.Context, dir, binary string, args []string, ledger string) (*lab, error) {
	l := &lab{dir: dir, ledger: ledger, launch: runtimeapitest.Launch{Binary: binary, Args: args, Dir: dir}}
	var err error
	if l.emulator, err = connectemu.New(connectemu.Config{StartRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off}); err != nil {
		return nil, err
	}
	if l.endpoint, l.http, err = serve(ctx, l.emulator); err != nil {
		return nil, err
	}
	l.table = tabletest.New(complain{})
	if l.address, l.stores, err = serve(ctx, l.table); err != nil {
		return nil, err
	}
	if l.runtime, err = runtimeapitest.Start(ctx); err != nil {
		return nil, errors.Join(err, l.http.Close())
	}
	return l, nil
}

// serve serves on a free port of loopback.
func serve(ctx context.Context, handler http.Handler) (url string, server *http.Server, err error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	server = &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.Serve(listener) }()
	return "http://" + listener.Addr().String(), server, nil
}

// complain ends a measurement of a ledger that asks for what it must not.
type complain struct{}

func (complain) Errorf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (l *lab) close() {
	l.emulator.Close()
	_ = l.stores.Close()
	_ = l.http.Close()
	_ = l.runtime.Close()
}

// event is what the process is started for, and what its answer must hold.
type event struct {
	name, document, answer string
	rings                  int
}

func events() []event {
	return []event{
		{"empty batch", `{"Records":[]}`, `{"batchItemFailures":[]}`, 0},
		{"one call placed", `{"notificationId":"n-%d","recipientId":"r-1","destinationPhoneNumber":"+12025550101"}`, `"situation":"placed"`, 1},
	}
}

// row is one line of the table.
type row struct {
	event        string
	times        []time.Duration // sorted
	peak, lowest int64           // bytes
}

// measure starts the process again and again. A start whose answer is wrong is no measurement.
func (l *lab) measure(ctx context.Context, e event, runs int) (row, error) {
	r := row{event: e.name}
	for n := range runs {
		launch := l.launch
		config, err := l.config(n)
		if err != nil {
			return r, err
		}
		launch.Env = map[string]string{"RINGONCE_CONFIG": config}
		document := e.document
		if strings.Contains(document, "%d") {
			document = fmt.Sprintf(document, n)
		}
		before := l.emulator.RingCount()
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		timing, result, err := l.runtime.Measure(limited, launch, runtimeapitest.Invocation{Payload: []byte(document), Timeout: time.Minute})
		cancel()
		if err != nil {
			return r, err
		}
		if result.Err != nil {
			return r, result.Err
		}
		if rings := l.emulator.RingCount() - before; !strings.Contains(string(result.Body), e.answer) || rings != e.rings {
			return r, fmt.Errorf("start %d answered %s with %d rings", n+1, result.Body, rings)
		}
		r.times = append(r.times, timing.FirstResponse)
		r.peak = max(r.peak, timing.PeakMemory)
		if r.lowest == 0 || timing.PeakMemory < r.lowest {
			r.lowest = timing.PeakMemory
		}
	}
	slices.Sort(r.times)
	return r, nil
}

// config writes the configuration of one start and returns its file.
func (l *lab) config(n int) (string, error) {
	lines := []string{
		"production: false", "connect: {endpoint: " + l.endpoint + "}", "profiles:", "  alert:", "    region: " + connectemu.DefaultRegion,
		"    instance_id: " + connectemu.DefaultInstance, "    contact_flow_id: 22222222-3333-4444-8555-666666666666",
		"    queue_id: 33333333-4444-4555-8666-777777777777",
	}
	switch l.ledger {
	case "dynamodb":
		l.table.Clear()
		lines = append(lines, fmt.Sprintf("ledger: {driver: dynamodb, table: calls, region: us-east-1, endpoint: %q, create_table: true}", l.address))
	case "sqlite":
		ledger, err := os.MkdirTemp(l.dir, "ledger-")
		if err != nil {
			return "", err
		}
		lines = append(lines, "ledger:", "  driver: sqlite", "  path: "+filepath.Join(ledger, "calls.db"), fmt.Sprintf("  witness: %s", filepath.Join(l.dir, filepath.Base(ledger)+".witness")))
	}
	file := filepath.Join(l.dir, fmt.Sprintf("ringonce-%d.yaml", n))
	return file, os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600)
}
