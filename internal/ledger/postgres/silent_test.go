//go:build integration

package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// patience is how long the test waits for an answer that never comes without a deadline.
const patience = 30 * time.Second

// asked is what the sweeper, the pacers and the readers ask.
var asked = map[string]func(context.Context, *postgres.Ledger) error{
	"due":       func(ctx context.Context, l *postgres.Ledger) error { _, err := l.Due(ctx, noon, 1); return err },
	"beat":      func(ctx context.Context, l *postgres.Ledger) error { return l.Beat(ctx, noon) },
	"last beat": func(ctx context.Context, l *postgres.Ledger) error { _, err := l.LastBeat(ctx); return err },
	"read cell": func(ctx context.Context, l *postgres.Ledger) error { _, err := l.Cell(ctx, "c"); return err },
	"write cell": func(ctx context.Context, l *postgres.Ledger) error {
		_, _, err := l.SetCell(ctx, call.Cell{Name: "c", Version: 1})
		return err
	},
	"list cells":  func(ctx context.Context, l *postgres.Ledger) error { _, err := l.ListCells(ctx, "", "", 1); return err },
	"prune cells": func(ctx context.Context, l *postgres.Ledger) error { _, err := l.PruneCells(ctx, noon, 1); return err },
	"history":     func(ctx context.Context, l *postgres.Ledger) error { _, err := l.History(ctx, "a"); return err },
	"identity":    func(ctx context.Context, l *postgres.Ledger) error { _, err := l.Identity(ctx); return err },
	"list": func(ctx context.Context, l *postgres.Ledger) error {
		_, _, err := l.List(ctx, call.Filter{})
		return err
	},
	"parked": func(ctx context.Context, l *postgres.Ledger) error { _, err := l.ListParked(ctx, 1); return err },
}

// A host that dies without a word ends no connection. What is asked on one must end by itself, with nothing but an error, and the next question goes
// to a new connection.
func TestAStatementOnAConnectionThatDiedWithoutAWordEnds(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	p := newProxy(t, server.Address())
	l := open(t, at(t, server.DSN(server.Schema(t), p.listener.Addr().String())+"&pool_max_conns=24"))
	create(t, l, "a")
	var held []*pgxpool.Conn
	for range asked {
		conn, err := l.Pool().Acquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		held = append(held, conn)
	}
	for _, conn := range held {
		conn.Release()
	}
	l.Bound(time.Second)
	p.fate.Store(swallows)
	ctx, cancel := context.WithCancel(t.Context()) // no deadline
	defer cancel()
	var all sync.WaitGroup
	for name, ask := range asked {
		answer := make(chan error, 1)
		go func() { answer <- ask(ctx, l) }()
		all.Go(func() {
			select {
			case err := <-answer:
				if err == nil || call.CodeOf(err) != "" || errors.Is(err, call.ErrNotFound) {
					t.Errorf("%s: a dead connection answered %v", name, err)
				}
			case <-time.After(patience):
				t.Errorf("%s: no answer in %s", name, patience)
			}
		})
	}
	all.Wait()
	cancel()
	l.Bound(patience) // the server answers new connections
	for name, ask := range asked {
		if err := ask(t.Context(), l); err != nil {
			t.Errorf("%s on the next connection: %v", name, err)
		}
	}
}
