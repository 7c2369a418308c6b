package call_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

// end is what a story leaves behind, without times and random ids.
type end struct {
	rows  map[string]string // by id: state, code, contact, and the kinds of its history
	other string            // rings, parked records, recovery
	notes map[string]call.Notes
}

// end reads what is left from the ledger itself.
func (w *world) end(l ledgertest.Ledger) end {
	ctx := context.Background()
	left := end{rows: map[string]string{}, notes: map[string]call.Notes{}}
	err := l.Each(ctx, func(c call.Call, entries []call.Entry) error {
		ops := map[string]bool{}
		kinds := make([]string, len(entries))
		for i, e := range entries {
			if ops[e.Op] {
				w.t.Errorf("op %s of %s has two entries", e.Op, c.ID)
			}
			ops[e.Op], kinds[i] = true, string(e.Kind)
		}
		left.rows[c.ID] = fmt.Sprintf("ring %d %s %s contact %t due %t: %s", c.Ring, c.State, c.Code, c.ContactID != "", !c.DueAt().IsZero(), strings.Join(kinds, ", "))
		return nil
	})
	identity, idErr := l.Identity(ctx)
	parked, parkErr := l.ListParked(ctx, 10)
	closed, closedErr := l.Parked(ctx, "parked-closed")
	if errors.Is(closedErr, call.ErrNotFound) {
		closedErr = nil
	}
	cells, cellErr := l.ListCells(ctx, "", "", 10)
	if err := errors.Join(err, idErr, parkErr, closedErr, cellErr); err != nil {
		w.t.Error(err)
	}
	left.other = fmt.Sprintf("%d rings, %d parked, closed %q, recovery %t, reading %q, cells %v", w.phones.total(), len(parked), closed.Closed, identity.Recovery != nil, identity.Reading, cells)
	for id := range left.rows {
		notes, err := l.Notes(ctx, id)
		if err != nil {
			w.t.Error(err)
		}
		left.notes[id] = notes
	}
	return left
}

// differs says in what an end is another one. A note that is lost or doubled costs or adds one line: notes decide nothing.
func (e end) differs(clean end, site string) (wrong []string) {
	if !maps.Equal(e.rows, clean.rows) {
		for id := range clean.rows {
			if e.rows[id] != clean.rows[id] {
				wrong = append(wrong, fmt.Sprintf("row %.8s is\n\t%s\n\tinstead of\n\t%s", id, e.rows[id], clean.rows[id]))
			}
		}
		if len(e.rows) != len(clean.rows) {
			wrong = append(wrong, fmt.Sprintf("%d rows instead of %d", len(e.rows), len(clean.rows)))
		}
	}
	if e.other != clean.other {
		wrong = append(wrong, e.other+" instead of "+clean.other)
	}
	for id, want := range clean.notes {
		got := e.notes[id]
		slack := 0
		if strings.HasPrefix(site, "note ") {
			slack = 1
		}
		if d := got.Suppressed - want.Suppressed; d > slack || d < -slack {
			wrong = append(wrong, fmt.Sprintf("row %.8s: %d suppressions instead of %d", id, got.Suppressed, want.Suppressed))
		}
		if d := conflicts(got) - conflicts(want); d > 0 || d < -slack {
			wrong = append(wrong, fmt.Sprintf("row %.8s: %d conflicts instead of %d", id, conflicts(got), conflicts(want)))
		}
	}
	return wrong
}

func conflicts(n call.Notes) (found int) {
	for _, note := range n.Kept {
		if note.Kind == call.NoteConflict {
			found++
		}
	}
	return found
}
