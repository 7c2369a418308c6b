package broken

import (
	"context"
	"errors"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

func writeDefects() []Defect {
	losesCompare := func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &everyoneWins{l} }
	tokenShared := func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &sharedTokens{l} }
	opForgotten := func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &forgetsOps{l, m} }
	return []Defect{
		{Name: "a lost compare is answered as applied", Suite: "Contract", wrap: losesCompare},
		{Name: "a lost compare is answered as applied", Suite: "Concurrency", wrap: losesCompare},
		{Name: "a token may belong to two rows", Suite: "Contract", wrap: tokenShared},
		{Name: "a token may belong to two rows", Suite: "Concurrency", wrap: tokenShared},
		{Name: "a known op is not recognized", Suite: "Contract", wrap: opForgotten},
		{Name: "a known op is not recognized", Suite: "Concurrency", wrap: opForgotten},
		{Name: "a known op is not recognized", Suite: "LostAnswer", wrap: opForgotten},
		{Name: "a known op is applied again", Suite: "LostAnswer", wrap: func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &repeatsOps{l, m} }},
		{Name: "the losers of a group get the winner's answer", Suite: "Concurrency", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &groupAnswer{l} }},
		{Name: "an existing row is an error", Suite: "Contract", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &existsIsError{l} }},
		{Name: "a lost compare hides the current row", Suite: "Contract", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &hidesWinner{l} }},
	}
}

// everyoneWins does what an update without its version in the condition does.
type everyoneWins struct{ ledgertest.Ledger }

func (l *everyoneWins) Update(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Update(ctx, w)
	if err == nil && !written.Applied {
		return call.Written{Applied: true, Row: w.Row}, nil
	}
	return written, err
}

// sharedTokens has no unique index.
type sharedTokens struct{ ledgertest.Ledger }

func (l *sharedTokens) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Create(ctx, w)
	if errors.Is(err, call.ErrTokenTaken) {
		w.Row.Token = ""
		return l.Ledger.Create(ctx, w)
	}
	return written, err
}

// forgetsOps takes its own write for somebody else's.
type forgetsOps struct {
	ledgertest.Ledger

	memo *memo
}

func (l *forgetsOps) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Create(ctx, w)
	return l.disown(w, written), err
}

func (l *forgetsOps) Update(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Update(ctx, w)
	return l.disown(w, written), err
}

func (l *forgetsOps) disown(w call.Write, written call.Written) call.Written {
	if written.Applied && l.memo.count(w.Entry.Op) > 0 {
		written.Applied = false
	}
	return written
}

// repeatsOps looks at the version only and writes a known op once more.
type repeatsOps struct {
	ledgertest.Ledger

	memo *memo
}

func (l *repeatsOps) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if l.memo.count(w.Entry.Op) == 0 {
		return l.Ledger.Update(ctx, w)
	}
	current, err := l.Get(ctx, w.Row.ID)
	if err != nil {
		return call.Written{}, err
	}
	event, err := w.Entry.Event()
	if err != nil {
		return call.Written{}, err
	}
	again, err := current.Write(event, w.Entry.Op+"-again")
	if err != nil {
		return call.Written{}, err
	}
	return l.Ledger.Update(ctx, again)
}

// groupAnswer answers every create of a group alike.
type groupAnswer struct{ ledgertest.Ledger }

func (l *groupAnswer) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Create(ctx, w)
	written.Applied = err == nil
	return written, err
}

// existsIsError turns an answer into an error, as a bare INSERT does.
type existsIsError struct{ ledgertest.Ledger }

func (l *existsIsError) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Create(ctx, w)
	if err == nil && !written.Applied {
		return call.Written{}, errors.New("the id exists")
	}
	return written, err
}

// hidesWinner leaves the loser without the row that won.
type hidesWinner struct{ ledgertest.Ledger }

func (l *hidesWinner) Update(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Update(ctx, w)
	if !written.Applied {
		written.Row = call.Call{}
	}
	return written, err
}
