// Command load measures the API of `ringonce serve` that it starts itself, beside an emulator in its own process: new calls that are accepted, their
// duplicates, and what an overloaded service answers. Everything is on loopback and bounded in number and time; no AWS account is involved.
//
//	go run ./bench/load [-requests 20000] [-duplicates 60000] [-lanes 64] [-time 30s] [-ledger postgres -dsn-file FILE]
//
// The clients share the processors with the service, and use as little of them as they can: each lane is one connection that sends the next request
// when it has the answer to the last. A time is from before the first byte of a request to after the last of its answer. The service dials meanwhile
// at the default pace of 2 a second, as a new account would (it waits for its turn for less time, so that it ends soon), and each request is a synced record of the audit log.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

// settings are the flags.
type settings struct {
	requests, duplicates, lanes int
	most                        time.Duration // of one stage
	ledger, dsnFile             string
	binary                      string
}

// The bounds of a run, whatever the flags say.
const (
	mostRequests = 2_000_000
	mostLanes    = 1000
	mostTime     = time.Hour
)

func main() {
	var s settings
	flag.IntVar(&s.requests, "requests", 20_000, "new calls")
	flag.IntVar(&s.duplicates, "duplicates", 60_000, "requests for the same calls again")
	flag.IntVar(&s.lanes, "lanes", 64, "connections, each with one request in flight")
	flag.DurationVar(&s.most, "time", 30*time.Second, "longest time of each stage")
	flag.StringVar(&s.ledger, "ledger", "sqlite", "sqlite (a fresh one) or postgres")
	flag.StringVar(&s.dsnFile, "dsn-file", "", "file with the connection string of an empty schema on this machine, for -ledger postgres")
	flag.StringVar(&s.binary, "binary", "", "the built program; empty builds it")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	rows, err := run(ctx, s)
	if err == nil {
		write(os.Stdout, s, rows)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/load:", err)
		os.Exit(1)
	}
}

func (s settings) check() error {
	switch {
	case s.requests < 1 || s.requests > mostRequests || s.duplicates < 1 || s.duplicates > mostRequests:
		return fmt.Errorf("-requests and -duplicates must be 1 to %d", mostRequests)
	case s.lanes < 1 || s.lanes > mostLanes:
		return fmt.Errorf("-lanes must be 1 to %d", mostLanes)
	case s.most < time.Second || s.most > mostTime:
		return fmt.Errorf("-time must be 1s to %s", mostTime)
	case s.ledger != "sqlite" && s.ledger != "postgres":
		return errors.New("-ledger must be sqlite or postgres")
	case (s.ledger == "postgres") != (s.dsnFile != ""):
		return errors.New("-dsn-file belongs to -ledger postgres")
	}
	return nil
}

// run measures all stages: a service as it is configured by default, and then one that answers few requests at a time.
func run(ctx context.Context, s settings) (rows []row, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ringonce-load-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if s.binary == "" {
		s.binary = filepath.Join(dir, "ringonce")
		if err := build(ctx, s.binary); err != nil {
			return nil, err
		}
	}
	phone, err := openPhone(ctx)
	if err != nil {
		return nil, err
	}
	defer phone.close()
	p, err := start(ctx, s, dir, phone.url, s.lanes+1)
	if err != nil {
		return nil, err
	}
	for _, stage := range []struct {
		name          string
		first, number int
	}{{"new calls", 0, s.requests}, {"duplicates", 0, s.duplicates}} {
		served, asked := p.spent(), own()
		r, err := measure(ctx, s, stage.name, p.address, stage.first, stage.number, s.requests)
		if err != nil {
			return nil, errors.Join(err, p.stop())
		}
		r.served, r.asked = p.spent()-served, own()-asked
		rows = append(rows, r)
	}
	rows[len(rows)-1].peak = p.peak()
	if err := p.stop(); err != nil {
		return nil, err
	}
	more, err := overload(ctx, s, dir, phone.url)
	return append(rows, more...), err
}

// overload measures a service that answers few requests at a time, and that what it accepted is there.
func overload(ctx context.Context, s settings, dir, phone string) ([]row, error) {
	p, err := start(ctx, s, dir, phone, max(s.lanes/16, 1))
	if err != nil {
		return nil, err
	}
	over, err := measure(ctx, s, "overload", p.address, s.requests, s.requests, mostRequests*2)
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	if err := p.stop(); err != nil {
		return nil, err
	}
	if p, err = start(ctx, s, dir, phone, s.lanes+1); err != nil {
		return nil, err
	}
	// The same requests once more: what was accepted has to be a duplicate now.
	lost, err := absent(ctx, p.address, over.accepted)
	if err == nil && lost > 0 {
		err = fmt.Errorf("%d of %d calls that were accepted under overload are lost", lost, len(over.accepted))
	}
	return []row{over}, errors.Join(err, p.stop())
}
