package dynamodb

import (
	"context"
	"errors"
	"slices"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/call"
)

var errNotesFull = errors.New("the row has too many conflicts to keep more notes of them")

// noteFirst appends the note to the row's first notes item, with its count. stop is false when the note belongs into a further item.
func (l *Ledger) noteFirst(ctx context.Context, n call.Note, note types.AttributeValue) (stop bool, err error) {
	c := appending(note)
	c.condition += andNotForgotten
	switch n.Kind {
	case call.NoteSuppressed:
		c.add, c.values[":one"] = "n :one, m :one", number(1)
		if l.options.Suppressions == suppressionsFirst {
			c.condition += " AND (attribute_not_exists(m) OR m < :first)"
			c.values[":first"] = number(firstTexts)
		}
	case call.NoteConflict:
		c.add, c.values[":fs"], c.values[":f"] = "prints :fs", &types.AttributeValueMemberSS{Value: []string{n.Fingerprint}}, text(n.Fingerprint)
		c.condition += " AND NOT contains(prints, :f)"
	case call.NoteRefused:
	}
	_, err = ask(ctx, l, "write a note", c.input(l.options.Table, noteKey(n.RowID, 0)), l.client.UpdateItem)
	if _, refused := lost(err); !refused {
		return true, err
	}
	it, err := l.fetchNotes(ctx, n.RowID, 0)
	if err != nil {
		return true, err
	}
	switch {
	case isForgotten(it), n.Kind == call.NoteConflict && hasText(it[attrConflicts], n.Fingerprint):
		return true, nil
	case n.Kind == call.NoteSuppressed && l.options.Suppressions == suppressionsFirst: // 20 texts, or no room
		l.full.put(n.RowID, struct{}{})
		return true, l.count(ctx, n.RowID)
	}
	l.chunks.put(n.RowID, 1)
	return false, nil
}

// fetchNotes reads a notes item that a note is to follow. It refuses encrypted ones to a handle that would write in clear.
func (l *Ledger) fetchNotes(ctx context.Context, id string, chunk int) (item, error) {
	it, err := l.fetch(ctx, noteKey(id, chunk), "read notes")
	if list, ok := it[attrTexts].(*types.AttributeValueMemberL); ok && slices.ContainsFunc(list.Value, isSealed) {
		l.metSealed()
	}
	if err == nil {
		err = l.keyMissing()
	}
	return it, err
}

// count counts a suppression whose text is not kept.
func (l *Ledger) count(ctx context.Context, id string) error {
	c := change{add: "n :one", condition: notForgotten, values: item{":one": number(1)}}
	_, err := ask(ctx, l, "count a suppression", c.input(l.options.Table, noteKey(id, 0)), l.client.UpdateItem)
	if _, forgotten := lost(err); forgotten {
		return errNoteDropped
	}
	return err
}

// noteFurther counts the note in the first notes item and appends it to the first further one with room. Two writes: a crash between them
// loses a line of text, never a count.
func (l *Ledger) noteFurther(ctx context.Context, n call.Note, note types.AttributeValue) error {
	switch n.Kind {
	case call.NoteSuppressed:
		if err := l.count(ctx, n.RowID); err != nil {
			return err
		}
	case call.NoteConflict:
		c := change{
			add: "prints :fs", condition: "NOT contains(prints, :f) AND (attribute_not_exists(prints) OR size(prints) < :most)" + andNotForgotten,
			values: item{":fs": &types.AttributeValueMemberSS{Value: []string{n.Fingerprint}}, ":f": text(n.Fingerprint), ":most": number(mostConflicts)},
		}
		if known, err := l.claimConflict(ctx, n, c); known || err != nil {
			return err
		}
	case call.NoteRefused:
	}
	for {
		chunk, _ := l.chunks.get(n.RowID)
		c := appending(note)
		c.condition += andNotForgotten
		_, err := ask(ctx, l, "write a note", c.input(l.options.Table, noteKey(n.RowID, chunk)), l.client.UpdateItem)
		if _, refused := lost(err); !refused {
			return err
		}
		it, err := l.fetchNotes(ctx, n.RowID, chunk)
		if err != nil {
			return err
		}
		if isForgotten(it) {
			return errNoteDropped
		}
		l.chunks.put(n.RowID, chunk+1)
	}
}

func (l *Ledger) claimConflict(ctx context.Context, n call.Note, c change) (known bool, err error) {
	_, err = ask(ctx, l, "write a conflict", c.input(l.options.Table, noteKey(n.RowID, 0)), l.client.UpdateItem)
	if _, refused := lost(err); !refused {
		return false, err
	}
	it, err := l.fetchNotes(ctx, n.RowID, 0)
	if err == nil && !isForgotten(it) && !hasText(it[attrConflicts], n.Fingerprint) {
		err = errNotesFull
	}
	return true, err
}

func hasText(v types.AttributeValue, s string) bool {
	set, ok := v.(*types.AttributeValueMemberSS)
	return ok && slices.Contains(set.Value, s)
}
