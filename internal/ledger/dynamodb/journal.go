package dynamodb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	// firstTexts is how many suppressions of a row the setting "first-20" keeps with their text (protocol.md section 8).
	firstTexts = 20
	// mostTexts is how many notes lie in one item: 500 notes of 500 bytes are far below the limit of 400 KB.
	mostTexts = 500
	// mostConflicts bounds the fingerprints that are remembered for a row; the conflicts after them are refused as notes and only logged.
	mostConflicts = 1000
)

// The attributes of a notes item; none is a key of an index. The counts and the fingerprints are in the first item of a row only.
const (
	attrTexts     = "texts"  // L: the notes, oldest first; S, or B where they are encrypted
	attrCount     = "n"      // N: suppressed deliveries; m counts those of them with their text
	attrConflicts = "prints" // SS: fingerprints of conflicts, or salted hashes of them
)

// noteKey returns the key of the nth notes item of a row. The first holds the counts.
func noteKey(id string, chunk int) string {
	if chunk == 0 {
		return "#n#" + id
	}
	return "#n#" + id + "#" + strconv.Itoa(chunk)
}

// Note implements [call.Journal]. With the setting "off" a suppression is not written, nor counted.
func (l *Ledger) Note(ctx context.Context, n call.Note) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	if err := l.note(ctx, n); !errors.Is(err, errNoteDropped) {
		return err
	}
	return nil
}

func (l *Ledger) note(ctx context.Context, n call.Note) error {
	if n.Kind == call.NoteSuppressed && l.options.Suppressions == suppressionsOff {
		return nil
	}
	body, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("encode a note of row %s: %w", n.RowID, err)
	}
	if n.Kind == call.NoteSuppressed && l.full.has(n.RowID) {
		return l.count(ctx, n.RowID)
	}
	kept, err := l.noteText(ctx, n.RowID, body)
	if err == nil {
		n.Fingerprint, err = l.fingerprintName(ctx, n) // its text holds the real one
	}
	if err != nil {
		return err
	}
	if !l.chunks.has(n.RowID) {
		stop, err := l.noteFirst(ctx, n, kept)
		if stop || err != nil {
			return err
		}
	}
	return l.noteFurther(ctx, n, kept)
}

// Notes implements [call.Journal].
func (l *Ledger) Notes(ctx context.Context, id string) (call.Notes, error) {
	var notes call.Notes
	if err := l.usable(ctx); err != nil {
		return notes, err
	}
	for chunk := 0; ; chunk++ {
		it, err := l.fetch(ctx, noteKey(id, chunk), "read notes")
		if errors.Is(err, call.ErrNotFound) {
			return notes, nil
		}
		if err != nil {
			return notes, err
		}
		if chunk == 0 {
			notes.Suppressed = int(numberOf(it[attrCount]))
		}
		texts, err := l.notesOf(ctx, id, it)
		if err != nil {
			return notes, fmt.Errorf("notes of row %s: %w", id, err)
		}
		notes.Kept = append(notes.Kept, texts...)
		if len(texts) < mostTexts {
			return notes, nil
		}
	}
}

// noteText returns a note as its item holds it: as text, or encrypted. Notes are bound to their row, not to their place in the list.
func (l *Ledger) noteText(ctx context.Context, id string, body []byte) (types.AttributeValue, error) {
	if !l.seals() {
		return text(string(body)), nil
	}
	packed, err := l.packer.pack(body)
	if err != nil {
		return nil, err
	}
	sealed, err := l.seal(ctx, place{kind: kindNote, pk: noteKey(id, 0)}, packed)
	return blob(sealed), err
}

func (l *Ledger) notesOf(ctx context.Context, id string, it item) ([]call.Note, error) {
	list, ok := it[attrTexts].(*types.AttributeValueMemberL)
	if !ok {
		return nil, nil
	}
	notes := make([]call.Note, len(list.Value))
	for i, v := range list.Value {
		body := []byte(textOf(v))
		if isSealed(v) {
			var err error
			if body, err = l.open(ctx, place{kind: kindNote, pk: noteKey(id, 0)}, v); err != nil {
				return nil, err
			}
		}
		if err := json.Unmarshal(body, &notes[i]); err != nil {
			return nil, fmt.Errorf("%w: %w", errDamaged, err)
		}
	}
	return notes, nil
}
