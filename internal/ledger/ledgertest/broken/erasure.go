package broken

import (
	"context"
	"errors"
	"slices"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

func erasureDefects() []Defect {
	kept := func(wrap func(ledgertest.Ledger, *attic) ledgertest.Ledger) func(ledgertest.Ledger, *memo) ledgertest.Ledger {
		return func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return wrap(l, m.attic()) }
	}
	return []Defect{
		{Name: "an erasure is a mere update", Suite: "Erasure", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &updates{l} }},
		{Name: "an erasure keeps the history", Suite: "Erasure", wrap: kept(func(l ledgertest.Ledger, a *attic) ledgertest.Ledger { return &keepsHistory{l, a} })},
		{Name: "an erasure keeps the notes", Suite: "Erasure", wrap: kept(func(l ledgertest.Ledger, a *attic) ledgertest.Ledger { return &keepsNotes{l, a} })},
		{Name: "a forgotten row takes notes", Suite: "Erasure", wrap: kept(func(l ledgertest.Ledger, a *attic) ledgertest.Ledger { return &takesNotes{l, a} })},
		{Name: "an erasure loses the row id", Suite: "Erasure", wrap: kept(func(l ledgertest.Ledger, a *attic) ledgertest.Ledger { return &losesRow{l, a} })},
		{Name: "an erasure frees the token", Suite: "Erasure", wrap: kept(func(l ledgertest.Ledger, a *attic) ledgertest.Ledger { return &freesToken{l, a} })},
		{Name: "an erasure ignores the compare", Suite: "Erasure", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &erasesAnyway{l} }},
		{Name: "a lost compare of an erasure is answered as applied", Suite: "Erasure", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &erasesNothing{l} }},
		{Name: "an erasure sent again is not recognized", Suite: "Erasure", wrap: func(l ledgertest.Ledger, m *memo) ledgertest.Ledger { return &forgetsErasures{l, m} }},
		{Name: "the recipient still leads to a forgotten row", Suite: "Erasure", wrap: kept(func(l ledgertest.Ledger, a *attic) ledgertest.Ledger { return &keepsRecipient{l, a} })},
		{Name: "a scrub takes every row of the recipient", Suite: "Erasure", wrap: func(l ledgertest.Ledger, _ *memo) ledgertest.Ledger { return &scrubsAll{l} }},
		{Name: "an erasure does not survive a restart", Suite: "Erasure", wrap: kept(func(l ledgertest.Ledger, a *attic) ledgertest.Ledger { return &erasesInMemory{l, a} })},
	}
}

// updates writes an erasure as it writes everything.
type updates struct{ ledgertest.Ledger }

func (l *updates) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	return l.Update(ctx, w)
}

// keepsHistory replaces the row only.
type keepsHistory struct {
	ledgertest.Ledger

	attic *attic
}

func (l *keepsHistory) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.attic.put(ctx, l.Ledger, w.Row.ID); err != nil {
		return call.Written{}, err
	}
	return l.Ledger.Erase(ctx, w)
}

func (l *keepsHistory) History(ctx context.Context, id string) ([]call.Entry, error) {
	entries, err := l.Ledger.History(ctx, id)
	l.attic.mu.Lock()
	defer l.attic.mu.Unlock()
	return append(slices.Clone(l.attic.entries[id]), entries...), err
}

// keepsNotes forgets that notes name deliveries.
type keepsNotes struct {
	ledgertest.Ledger

	attic *attic
}

func (l *keepsNotes) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.attic.put(ctx, l.Ledger, w.Row.ID); err != nil {
		return call.Written{}, err
	}
	return l.Ledger.Erase(ctx, w)
}

func (l *keepsNotes) Notes(ctx context.Context, id string) (call.Notes, error) {
	notes, err := l.Ledger.Notes(ctx, id)
	l.attic.mu.Lock()
	defer l.attic.mu.Unlock()
	return call.Notes{Suppressed: notes.Suppressed + l.attic.notes[id].Suppressed, Kept: append(slices.Clone(l.attic.notes[id].Kept), notes.Kept...)}, err
}

// takesNotes keeps what a delivery in flight says after the erasure.
type takesNotes struct {
	ledgertest.Ledger

	attic *attic
}

func (l *takesNotes) Note(ctx context.Context, n call.Note) error {
	if row, err := l.Get(ctx, n.RowID); err == nil && row.IsForgotten() {
		l.attic.mu.Lock()
		defer l.attic.mu.Unlock()
		of := l.attic.notes[n.RowID]
		of.Kept = append(of.Kept, n)
		l.attic.notes[n.RowID] = of
		return nil
	}
	return l.Ledger.Note(ctx, n)
}

func (l *takesNotes) Notes(ctx context.Context, id string) (call.Notes, error) {
	notes, err := l.Ledger.Notes(ctx, id)
	l.attic.mu.Lock()
	defer l.attic.mu.Unlock()
	notes.Kept = append(notes.Kept, l.attic.notes[id].Kept...)
	return notes, err
}

// losesRow deletes the row: the next delivery of its key would ring.
type losesRow struct {
	ledgertest.Ledger

	attic *attic
}

func (l *losesRow) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Erase(ctx, w)
	if written.Applied {
		l.attic.mu.Lock()
		defer l.attic.mu.Unlock()
		l.attic.rows[w.Row.ID] = w.Row
	}
	return written, err
}

func (l *losesRow) Get(ctx context.Context, id string) (call.Call, error) {
	if _, gone := l.attic.row(id); gone {
		return call.Call{}, call.ErrNotFound
	}
	return l.Ledger.Get(ctx, id)
}

// freesToken lets another key use a token that Amazon Connect still knows.
type freesToken struct {
	ledgertest.Ledger

	attic *attic
}

func (l *freesToken) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.attic.put(ctx, l.Ledger, w.Row.ID); err != nil {
		return call.Written{}, err
	}
	return l.Ledger.Erase(ctx, w)
}

func (l *freesToken) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Create(ctx, w)
	l.attic.mu.Lock()
	defer l.attic.mu.Unlock()
	for _, c := range l.attic.rows {
		if errors.Is(err, call.ErrTokenTaken) && c.Token == w.Row.Token {
			return call.Written{Applied: true, Row: w.Row}, nil
		}
	}
	return written, err
}

// erasesAnyway erases a row that moved.
type erasesAnyway struct{ ledgertest.Ledger }

func (l *erasesAnyway) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Erase(ctx, w)
	if err != nil || written.Applied {
		return written, err
	}
	event, err := w.Entry.Event()
	if err != nil {
		return call.Written{}, err
	}
	event.Prev = written.Row.Head
	anyway, err := written.Row.Write(event, w.Entry.Op)
	if err != nil {
		return call.Written{}, err
	}
	return l.Ledger.Erase(ctx, anyway)
}

// erasesNothing hides that somebody was faster.
type erasesNothing struct{ ledgertest.Ledger }

func (l *erasesNothing) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Erase(ctx, w)
	written.Applied = err == nil
	return written, err
}

// forgetsErasures destroys the op of the erasure with the others.
type forgetsErasures struct {
	ledgertest.Ledger

	memo *memo
}

func (l *forgetsErasures) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Erase(ctx, w)
	if written.Applied && l.memo.count(w.Entry.Op) > 0 {
		written.Applied = false
	}
	return written, err
}

// keepsRecipient leaves the index alone.
type keepsRecipient struct {
	ledgertest.Ledger

	attic *attic
}

func (l *keepsRecipient) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.attic.put(ctx, l.Ledger, w.Row.ID); err != nil {
		return call.Written{}, err
	}
	return l.Ledger.Erase(ctx, w)
}

func (l *keepsRecipient) ByRecipient(ctx context.Context, recipient string, limit int) ([]string, error) {
	ids, err := l.Ledger.ByRecipient(ctx, recipient, limit)
	l.attic.mu.Lock()
	defer l.attic.mu.Unlock()
	for id, c := range l.attic.rows {
		if (call.Naming{}).Recipient(c.Key.KeySpace, c.Key.RecipientID) == recipient {
			ids = append(ids, id)
		}
	}
	return ids, err
}

// scrubsAll does not look whether a row is forgotten.
type scrubsAll struct{ ledgertest.Ledger }

func (l *scrubsAll) Scrub(ctx context.Context, recipient string, ids []string) error {
	for _, id := range ids {
		row, err := l.Get(ctx, id)
		if err != nil || row.IsForgotten() {
			continue
		}
		event, err := call.Forgotten(row, id, row.FinalAt, "", "scrub")
		if err != nil {
			continue
		}
		w, err := row.Write(event, "scrub-"+id)
		if err != nil {
			return err
		}
		if _, err := l.Erase(ctx, w); err != nil {
			return err
		}
	}
	return l.Ledger.Scrub(ctx, recipient, ids)
}

// erasesInMemory shows the residue and never wrote it.
type erasesInMemory struct {
	ledgertest.Ledger

	attic *attic
}

func (l *erasesInMemory) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if err := l.attic.put(ctx, l.Ledger, w.Row.ID); err != nil {
		return call.Written{}, err
	}
	return l.Ledger.Erase(ctx, w)
}

func (l *erasesInMemory) Get(ctx context.Context, id string) (call.Call, error) {
	if c, known := l.attic.row(id); known && l.attic.restarted() {
		return c, nil
	}
	return l.Ledger.Get(ctx, id)
}
