package broken

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

func crashDefects() []Defect {
	return []Defect{
		{Name: "the newest row is forgotten by a restart", Suite: "Crash", wrap: func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &forgetful{l, m} }},
		{Name: "the newest history entry is not written with its row", Suite: "Crash", wrap: func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &tornHistory{l, m} }},
		{Name: "a write from before a restart is not recognized", Suite: "LostAnswer", wrap: func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &forgetful{l, m} }},
		{Name: "the epoch is kept in memory", Suite: "Recovery", wrap: func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &fixedEpoch{l} }},
		{Name: "the identity changes with every start", Suite: "Crash", wrap: func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &newIdentity{l, m} }},
		{Name: "the high-water stands still", Suite: "Contract", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &stuckHighWater{l} }},
		{Name: "the beat is kept in memory", Suite: "Crash", wrap: func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &lostBeat{l, m} }},
		{Name: "the reading is kept in memory", Suite: "Contract", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &shortReading{Ledger: l} }},
		{Name: "unfinished rows come without order", Suite: "Recovery", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &reversed{l} }},
	}
}

// forgetful answered before the write was durable: a restart finds the row before last.
type forgetful struct {
	ledgertest.Ledger

	memo *memo
}

func (l *forgetful) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Row.ID == l.memo.lastBeforeRestart() {
		return call.Written{}, nil
	}
	written, err := l.Ledger.Create(ctx, w)
	if written.Applied {
		l.memo.wrote(w.Row.ID)
	}
	return written, err
}

func (l *forgetful) Get(ctx context.Context, id string) (call.Call, error) {
	if id == l.memo.lastBeforeRestart() {
		return call.Call{}, fmt.Errorf("row %s: %w", id, call.ErrNotFound)
	}
	return l.Ledger.Get(ctx, id)
}

// tornHistory writes row and entry in two steps, and died between them.
type tornHistory struct {
	ledgertest.Ledger

	memo *memo
}

func (l *tornHistory) Create(ctx context.Context, w call.Write) (call.Written, error) {
	l.memo.wrote(w.Row.ID)
	return l.Ledger.Create(ctx, w)
}

func (l *tornHistory) Update(ctx context.Context, w call.Write) (call.Written, error) {
	l.memo.wrote(w.Row.ID)
	return l.Ledger.Update(ctx, w)
}

func (l *tornHistory) History(ctx context.Context, id string) ([]call.Entry, error) {
	entries, err := l.Ledger.History(ctx, id)
	return l.torn(id, entries), err
}

func (l *tornHistory) Each(ctx context.Context, fn func(call.Call, []call.Entry) error) error {
	return l.Ledger.Each(ctx, func(c call.Call, entries []call.Entry) error { return fn(c, l.torn(c.ID, entries)) })
}

func (l *tornHistory) torn(id string, entries []call.Entry) []call.Entry {
	if id == l.memo.lastBeforeRestart() && len(entries) > 0 {
		return entries[:len(entries)-1]
	}
	return entries
}

// fixedEpoch forgets a recovery.
type fixedEpoch struct{ ledgertest.Ledger }

func (l *fixedEpoch) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	identity, err := l.Ledger.Identity(ctx)
	identity.Epoch = 1
	return identity, err
}

// newIdentity makes up an id at every start.
type newIdentity struct {
	ledgertest.Ledger

	memo *memo
}

func (l *newIdentity) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	identity, err := l.Ledger.Identity(ctx)
	l.memo.mu.Lock()
	defer l.memo.mu.Unlock()
	identity.ID = fmt.Sprintf("%s-%d", identity.ID, l.memo.starts)
	return identity, err
}

// stuckHighWater could not tell a restored ledger from a new one.
type stuckHighWater struct{ ledgertest.Ledger }

func (l *stuckHighWater) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	identity, err := l.Ledger.Identity(ctx)
	identity.HighWater = 0
	return identity, err
}

// lostBeat never writes the beat down.
type lostBeat struct {
	ledgertest.Ledger

	memo *memo
}

func (l *lostBeat) LastBeat(ctx context.Context) (time.Time, error) {
	l.memo.mu.Lock()
	defer l.memo.mu.Unlock()
	if l.memo.starts > 1 {
		return time.Time{}, nil
	}
	return l.Ledger.LastBeat(ctx)
}

// shortReading knows the reading until it is restarted.
type shortReading struct {
	ledgertest.Ledger

	reading string
}

// SetReading keeps the reading and writes nothing.
func (l *shortReading) SetReading(_ context.Context, reading string) error {
	l.reading = reading
	return nil
}

// Identity adds it.
func (l *shortReading) Identity(ctx context.Context) (call.LedgerIdentity, error) {
	identity, err := l.Ledger.Identity(ctx)
	identity.Reading = l.reading
	return identity, err
}
