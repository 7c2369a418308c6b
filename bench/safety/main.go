// Command safety runs the twelve scenarios of docs/safety-score.md against ringonce and against a peer, @aws-lambda-powertools/idempotency,
// and prints side by side how often a telephone rang, what was lost and what the caller was told.
//
//	go run ./bench/safety [-json] [-peer=false]
//
// Everything is on loopback: a telephone that counts (connectemu), and one store for both sides (bench/safety/standin). The peer needs
// Node 20 or newer and, the first time, npm. The exit code is 0 only if ringonce did what was wanted in every scenario.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

// settings are the flags.
type settings struct {
	json bool
	peer bool
}

var errNotAsWanted = errors.New("ringonce did not do what was wanted in every scenario")

func main() {
	var s settings
	flag.BoolVar(&s.json, "json", false, "print one JSON object")
	flag.BoolVar(&s.peer, "peer", true, "run the peer too; it needs Node and, once, npm")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, s); err != nil {
		fmt.Fprintln(os.Stderr, "bench/safety:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, s settings) error {
	r, err := compare(ctx, s.peer)
	if err != nil {
		return err
	}
	write := r.text
	if s.json {
		write = r.json
	}
	if err := write(os.Stdout); err != nil {
		return err
	}
	if !r.asWanted() {
		return errNotAsWanted
	}
	return nil
}
