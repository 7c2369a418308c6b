package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	insertNote    = `INSERT OR IGNORE INTO notes (row_id, kind, once, body) VALUES (?, ?, ?, ?)`
	countTexts    = `SELECT count(*) FROM notes WHERE row_id = ? AND kind = 'suppressed'`
	addSuppressed = `INSERT INTO suppressions (row_id, count) VALUES (?, ?) ON CONFLICT (row_id) DO UPDATE SET count = count + excluded.count`
	moveBeat      = `UPDATE ledger SET beat = ?`

	selectNotes      = `SELECT body FROM notes WHERE row_id = ? ORDER BY number`
	selectSuppressed = `SELECT count FROM suppressions WHERE row_id = ?`
)

// bundle is what one transaction writes of the journal. A bundle whose transaction failed is taken again.
type bundle struct {
	keep string
	rows []*rowNotes
	beat time.Time // zero when none waits
	// How many suppressions of a row are durable with their text: as remembered before, and as it is once the bundle has landed.
	known, landing map[string]int
}

// take gives the writer the oldest notes. The same come again until they have landed. It returns nil when nothing waits.
func (j *journal) take() *bundle {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.flying != nil {
		return j.flying
	}
	n := min(len(j.order), mostLanding)
	if n == 0 && !j.beating {
		return nil
	}
	b := &bundle{keep: j.keep, rows: j.order[:n:n], known: map[string]int{}, landing: map[string]int{}}
	if j.beating {
		b.beat, j.beating = j.beat, false
	}
	for _, of := range b.rows {
		delete(j.rows, of.id)
		j.waitings -= 1 + len(of.texts)
		if known, ok := j.known[of.id]; ok {
			b.known[of.id] = known
		}
	}
	j.order, j.pressed = j.order[n:], false
	j.flying = b
	close(j.changed)
	j.changed = make(chan struct{})
	return b
}

// landed forgets a bundle that is durable.
func (j *journal) landed(b *bundle) {
	if b == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flying = nil
	if len(j.known) > mostKnown {
		clear(j.known)
	}
	maps.Copy(j.known, b.landing)
}

// waiting reports whether anything of the journal is not durable yet.
func (j *journal) waiting() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.flying != nil || len(j.order) > 0 || j.beating
}

// write adds the bundle to the writer's transaction. Notes of a forgotten row are dropped; anyForgotten says that there may be one.
func (b *bundle) write(p prepare, next *record, anyForgotten bool) error {
	if b == nil {
		return nil
	}
	clear(b.landing)
	if !b.beat.IsZero() {
		if _, err := p.exec(moveBeat, nanos(b.beat)); err != nil {
			return err
		}
		next.beat = b.beat
	}
	for _, of := range b.rows {
		if anyForgotten {
			if row, err := p.one(selectForgotten, of.id); err != nil || row != nil {
				if err != nil {
					return err
				}
				continue
			}
		}
		if err := b.writeRow(p, of); err != nil {
			return err
		}
	}
	return nil
}

func (b *bundle) writeRow(p prepare, of *rowNotes) error {
	room, err := b.room(p, of)
	if err != nil {
		return err
	}
	kept, counted := 0, of.counted
	for _, t := range of.texts {
		if t.kind == call.NoteSuppressed {
			if kept == room {
				counted++
				continue
			}
			kept++
		}
		var once any
		if t.kind == call.NoteConflict {
			once = t.once
		}
		if _, err := p.exec(insertNote, of.id, string(t.kind), once, t.body); err != nil {
			return err
		}
	}
	if of.kept > 0 {
		b.landing[of.id] += kept
	}
	if counted == 0 {
		return nil
	}
	_, err = p.exec(addSuppressed, of.id, int64(counted))
	return err
}

// room returns how many suppressions of the row may still be kept with their text, and notes how many are.
func (b *bundle) room(p prepare, of *rowNotes) (int, error) {
	if b.keep != suppressionsFirst || of.kept == 0 {
		return of.kept, nil
	}
	known, ok := b.known[of.id]
	if !ok {
		row, err := p.one(countTexts, of.id)
		if err != nil {
			return 0, err
		}
		known = int(numberOf(row[0]))
	}
	b.landing[of.id] = known
	return max(0, firstTexts-known), nil
}

// Notes implements [call.Journal]. It sees every note that was given to this ledger before.
func (l *Ledger) Notes(ctx context.Context, id string) (call.Notes, error) {
	if !l.options.ReadOnly {
		if err := l.Flush(ctx); err != nil {
			return call.Notes{}, err
		}
	}
	var notes call.Notes
	err := l.read(ctx, "read the notes of a row", func(p prepare) error {
		count, err := p.one(selectSuppressed, id)
		if err != nil {
			return err
		}
		if count != nil {
			notes.Suppressed += int(numberOf(count[0]))
		}
		return p.each(func(row []driver.Value) error {
			var n call.Note
			if err := json.Unmarshal(bytesOf(row[0]), &n); err != nil {
				return fmt.Errorf("decode a note of row %s: %w", id, err)
			}
			notes.Kept = append(notes.Kept, n)
			if n.Kind == call.NoteSuppressed {
				notes.Suppressed++
			}
			return nil
		}, selectNotes, id)
	})
	return notes, err
}
