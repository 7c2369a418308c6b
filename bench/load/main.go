// Command load measures the API of `ringonce serve` that it starts itself, beside an emulator in its own process: new calls that are accepted, their
// duplicates, and what an overloaded service answers. Everything is on loopback and bounded in number and time; no AWS account is involved.
//
//	go run ./bench/load [-requests 20000] [-duplicates 60000] [-lanes 64] [-time 30s] [-ledger postgres -dsn-file FILE [-postmaster PID]]
//	go run ./bench/load -calls 1000000 [-kinds mixed,backlog,due] [-rest 2m]
//
// With -calls it measures a service that is started on a SQLite ledger which holds so many calls already: how long it takes until it is ready and until
// the first telephone rings, its memory, and how long the questions of an operator take. TMPDIR names the place of the ledger, some kilobytes a call.
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
	"io"
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
	postmaster                  int // process id of the PostgreSQL; 0 when it is not measured
	binary                      string

	calls  int           // that a ledger holds before the service starts; 0 measures a fresh one
	kinds  string        // of such ledgers
	keep   string        // folder of filled ledgers
	rest   time.Duration // from the start of the service to the end of the measurement
	stride int           // see measure
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
	flag.IntVar(&s.postmaster, "postmaster", 0, "process id of the PostgreSQL, whose processor time is told too; 0 leaves it out")
	flag.StringVar(&s.binary, "binary", "", "the built program; empty builds it")
	flag.IntVar(&s.calls, "calls", 0, "calls that the ledger holds already: measures the restart of a service on it instead")
	flag.StringVar(&s.kinds, "kinds", kindMixed+","+kindBacklog, "what those calls are: mixed (nine of ten have ended), backlog (all wait in line), due (all are due)")
	flag.StringVar(&s.keep, "keep", "", "folder where filled ledgers are kept for the next run")
	flag.DurationVar(&s.rest, "rest", 2*time.Minute, "from the start of a service on such a ledger to the end of its measurement")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := report(ctx, s, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/load:", err)
		os.Exit(1)
	}
}

// report measures, and writes what came of it.
func report(ctx context.Context, s settings, w io.Writer) error {
	if s.calls > 0 {
		return restart(ctx, s, func(r restarted) { r.write(w) })
	}
	rows, err := run(ctx, s)
	if err == nil {
		write(w, s, rows)
	}
	return err
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
	case s.calls < 0 || s.calls > 2*mostRequests || (s.calls > 0 && s.ledger != "sqlite"):
		return fmt.Errorf("-calls must be 1 to %d, and goes with -ledger sqlite", 2*mostRequests)
	case s.rest > mostTime:
		return fmt.Errorf("-rest must be at most %s", mostTime)
	}
	return nil
}

// prepare makes a folder, and the program in it unless one was given.
func (s *settings) prepare(ctx context.Context) (dir string, err error) {
	if dir, err = os.MkdirTemp("", "ringonce-load-"); err != nil || s.binary != "" {
		return dir, err
	}
	s.binary = filepath.Join(dir, "ringonce")
	return dir, build(ctx, s.binary)
}

// remove removes a folder that was prepared. What cannot be removed is left.
func remove(dir string) { _ = os.RemoveAll(dir) }

// restart measures a service on each kind of filled ledger.
func restart(ctx context.Context, s settings, each func(restarted)) error {
	if err := s.check(); err != nil {
		return err
	}
	dir, err := s.prepare(ctx)
	if err != nil {
		return err
	}
	defer remove(dir)
	return restartAll(ctx, s, dir, each)
}

// run measures all stages: a service as it is configured by default, and then one that answers few requests at a time.
func run(ctx context.Context, s settings) (rows []row, err error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	dir, err := s.prepare(ctx)
	if err != nil {
		return nil, err
	}
	defer remove(dir)
	phone, err := openPhone(ctx)
	if err != nil {
		return nil, err
	}
	defer phone.close()
	p, err := serving(ctx, s, dir, phone.url, s.lanes+1)
	if err != nil {
		return nil, err
	}
	for _, stage := range []struct {
		name          string
		first, number int
	}{{"new calls", 0, s.requests}, {"duplicates", 0, s.duplicates}} {
		served, asked, stored := p.spent(), own(), spentBy(s.postmaster)
		r, err := measure(ctx, s, stage.name, p.address, stage.first, stage.number, s.requests)
		if err != nil {
			return nil, errors.Join(err, p.stop())
		}
		r.served, r.asked, r.stored = p.spent()-served, own()-asked, spentBy(s.postmaster)-stored
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
	p, err := serving(ctx, s, dir, phone, max(s.lanes/16, 1))
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
	if p, err = serving(ctx, s, dir, phone, s.lanes+1); err != nil {
		return nil, err
	}
	// The same requests once more: what was accepted has to be a duplicate now.
	lost, err := absent(ctx, p.address, over.accepted)
	if err == nil && lost > 0 {
		err = fmt.Errorf("%d of %d calls that were accepted under overload are lost", lost, len(over.accepted))
	}
	return []row{over}, errors.Join(err, p.stop())
}
