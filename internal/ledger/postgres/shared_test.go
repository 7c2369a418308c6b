//go:build integration

package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// pair is two processes on one database that take turns.
type pair struct {
	*postgres.Ledger

	second *postgres.Ledger
	turn   atomic.Int64
}

func (p *pair) next() *postgres.Ledger {
	if p.turn.Add(1)%2 == 0 {
		return p.Ledger
	}
	return p.second
}

func (p *pair) Create(ctx context.Context, w call.Write) (call.Written, error) {
	return p.next().Create(ctx, w)
}

func (p *pair) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return p.next().Update(ctx, w)
}

func (p *pair) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	return p.next().Erase(ctx, w)
}

func (p *pair) Get(ctx context.Context, id string) (call.Call, error) { return p.next().Get(ctx, id) }

func (p *pair) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	return p.next().Identity(ctx)
}

func (p *pair) Cell(ctx context.Context, name string) (call.Cell, error) {
	return p.next().Cell(ctx, name)
}

func (p *pair) SetCell(ctx context.Context, c call.Cell) (call.Cell, bool, error) {
	return p.next().SetCell(ctx, c)
}

func (p *pair) Park(ctx context.Context, r call.Parked) (bool, error) { return p.next().Park(ctx, r) }

func (p *pair) Close() error { return errors.Join(p.Ledger.Close(), p.second.Close()) }

type pairs struct{ first, second postgres.Options }

func (s *pairs) Open(ctx context.Context) (ledgertest.Ledger, error) {
	first, err := postgres.Open(ctx, s.first)
	if err != nil {
		return nil, err
	}
	second, err := postgres.Open(ctx, s.second)
	if err != nil {
		return nil, errors.Join(err, first.Close())
	}
	return &pair{Ledger: first, second: second}, nil
}

func (s *pairs) Kill(l ledgertest.Ledger) {
	if dying, ok := l.(*pair); ok {
		dying.Ledger.Kill()
		dying.second.Kill()
	}
}

func TestTwoProcessesOnOneDatabaseAreOneLedger(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	opened := func() ledgertest.Store {
		first := settings(t, server)
		return &pairs{first: first, second: own(t, first)}
	}
	apart := []string{"Journal", "Recovery"} // notes wait in the process that took them, and a recovery ends the other one
	for _, suite := range ledgertest.Suites() {
		if slices.Contains(apart, suite.Name) {
			continue
		}
		for _, failed := range ledgertest.Examine(t.Context(), suite, opened) {
			t.Errorf("%s: %s", suite.Name, failed)
		}
	}
}

func TestTheNumbersOfWritesHaveNoGapsOverAllProcesses(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	o := settings(t, server)
	ledgers := []*postgres.Ledger{open(t, o), open(t, own(t, o)), open(t, o)} // two of them share a witness
	var wg sync.WaitGroup
	var won atomic.Int64
	for p, l := range ledgers {
		for g := range 8 {
			wg.Go(func() {
				for n := range 25 {
					w := accepted(t, fmt.Sprintf("row-%d", (g*25+n)/2)) // every row is wanted by several
					w.Entry.Op = fmt.Sprintf("op-%d-%d-%d", p, g, n)
					written, err := l.Create(t.Context(), w)
					if err != nil {
						t.Errorf("create: %v", err)
					}
					if written.Applied {
						won.Add(1)
					}
				}
			})
		}
	}
	wg.Wait()
	var count, newest, versions int64
	row := ledgers[0].Pool().QueryRow(t.Context(), "SELECT count(*), max(number), (SELECT sum(version) FROM calls) FROM history")
	if err := row.Scan(&count, &newest, &versions); err != nil {
		t.Fatal(err)
	}
	if count != won.Load() || newest != count || versions != count {
		t.Errorf("%d writes won, %d entries, the newest %d, versions %d: want them equal", won.Load(), count, newest, versions)
	}
}
