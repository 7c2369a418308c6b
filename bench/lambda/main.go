// Command lambda measures a cold start of the built Lambda binary: from the start of the process to its first response through a
// stand-in for the Runtime API, with its size and its peak memory. Everything is on loopback; no AWS account is involved.
//
//	go run ./bench/lambda [-runs 30] [-package ./cmd/ringonce-lambda] [-ledger dynamodb] [-strict]
//
// The binary is built as it is deployed: stripped, with trimmed paths. An event is waiting when the process starts, so the time holds
// what the process itself does: linking, reading its configuration, wiring, asking for the event, answering. Lambda's own share of
// a cold start, fetching and starting the environment, is not in it. Peak memory is VmHWM, so the program runs on Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
)

// settings are the flags.
type settings struct {
	runs   int
	pkg    string
	args   string
	strict bool
	ledger string
}

var errMissed = errors.New("a goal was missed")

func main() {
	var s settings
	flag.IntVar(&s.runs, "runs", 30, "cold starts for each row of the table")
	flag.StringVar(&s.pkg, "package", "./cmd/ringonce-lambda", "package of the binary")
	flag.StringVar(&s.args, "args", "", "arguments of the binary, separated by blanks")
	flag.StringVar(&s.ledger, "ledger", "none", "none, sqlite (a fresh one for each start) or dynamodb (a stand-in on loopback that answers at once)")
	flag.BoolVar(&s.strict, "strict", false, "end with exit code 1 when a goal is missed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "bench/lambda:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) error {
	if s.runs < 1 {
		return errors.New("-runs must be 1 or more")
	}
	dir, err := os.MkdirTemp("", "ringonce-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	binary, size, err := build(ctx, dir, s.pkg)
	if err != nil {
		return err
	}
	l, err := openLab(ctx, dir, binary, strings.Fields(s.args), s.ledger)
	if err != nil {
		return err
	}
	defer l.close()
	var rows []row
	for _, event := range events() {
		r, err := l.measure(ctx, event, s.runs)
		if err != nil {
			return fmt.Errorf("%s: %w", event.name, err)
		}
		rows = append(rows, r)
	}
	if met := write(os.Stdout, s, size, rows); s.strict && !met {
		return errMissed
	}
	return nil
}
