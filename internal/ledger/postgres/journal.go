package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	// firstTexts is how many suppressions of a row the setting "first-20" keeps with their text (protocol.md section 8).
	firstTexts = 20
	// mostWaiting bounds the rows and texts in memory; who brings more waits.
	mostWaiting = 4096
	// mostFull bounds the rows of which it is remembered that no text has room.
	mostFull = 65536
)

// journal holds the notes on their way to the writer. Notes of one row wait together, so that a storm of duplicates costs one statement for each
// row and commit, and nobody waits for a commit.
type journal struct {
	keep string

	mu       sync.Mutex
	rows     map[string]*rowNotes // waiting, by row
	order    []*rowNotes          // the same, oldest first
	waitings int                  // texts and rows that wait
	flying   *bundle              // taken by the writer and not yet answered
	full     map[string]bool      // rows that had firstTexts suppressions in one bundle or more
	given    map[string]int       // suppressions with text that were given to the writer, of rows that are not full
	changed  chan struct{}        // closed when waiting notes were taken
}

// rowNotes are the waiting notes of one row.
type rowNotes struct {
	id      string
	counted int64 // suppressions without text
	kept    int   // suppressions among the texts
	texts   []noteText
}

type noteText struct {
	kind call.NoteKind
	once string // conflict: the fingerprint
	body []byte
}

// bundle is what one transaction writes of the journal.
type bundle struct {
	keep string
	rows []*rowNotes
}

func (j *journal) begin(keep string) {
	j.keep = keep
	j.rows, j.full, j.given = map[string]*rowNotes{}, map[string]bool{}, map[string]int{}
	j.changed = make(chan struct{})
}

// Note implements [call.Journal]. It waits only when too many notes wait already.
func (l *Ledger) Note(ctx context.Context, n call.Note) error {
	for {
		if err := l.writable(ctx); err != nil {
			return err
		}
		room, wake, err := l.journal.add(n)
		if wake {
			l.wake()
		}
		if err != nil || room == nil {
			return err
		}
		select {
		case <-room:
		case <-l.gone:
		case <-ctx.Done():
		}
	}
}

// wake tells the writer that notes wait. A full queue does not need it: the next group takes them along.
func (l *Ledger) wake() {
	select {
	case l.queue <- &job{kind: jobNote}:
	default:
	}
}

// add keeps a note in memory. When there is no room it returns what is closed once there may be.
func (j *journal) add(n call.Note) (room <-chan struct{}, wake bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.waitings >= mostWaiting {
		return j.changed, false, nil
	}
	of := j.rows[n.RowID]
	if of == nil {
		of = &rowNotes{id: n.RowID}
	}
	text := noteText{kind: n.Kind}
	switch n.Kind {
	case call.NoteSuppressed:
		if !j.wantsText(of) {
			of.counted++
			return nil, j.enter(of), nil
		}
	case call.NoteConflict:
		text.once = n.Fingerprint
		if of.knows(n.Fingerprint) {
			return nil, false, nil
		}
	case call.NoteRefused:
	}
	if text.body, err = json.Marshal(n); err != nil {
		return nil, false, fmt.Errorf("encode a note of row %s: %w", n.RowID, err)
	}
	if n.Kind == call.NoteSuppressed {
		of.kept++
	}
	of.texts = append(of.texts, text)
	j.waitings++
	return nil, j.enter(of), nil
}

// enter puts the row among those that wait, and reports whether the writer must be told: it is when it was the first, and when it fills a bundle.
func (j *journal) enter(of *rowNotes) bool {
	if j.rows[of.id] == of {
		return false
	}
	j.rows[of.id] = of
	j.order = append(j.order, of)
	j.waitings++
	return len(j.order) == 1 || len(j.order) == largestGroup
}

// wantsText reports whether a suppression may still be kept with its text. PostgreSQL counts exactly, over all processes; this spares it the
// excess of one process.
func (j *journal) wantsText(of *rowNotes) bool {
	switch j.keep {
	case suppressionsOff:
		return false
	case suppressionsAll:
		return true
	}
	return !j.full[of.id] && j.given[of.id]+of.kept < firstTexts
}

func (r *rowNotes) knows(fingerprint string) bool {
	for _, t := range r.texts {
		if t.kind == call.NoteConflict && t.once == fingerprint {
			return true
		}
	}
	return false
}

// take gives the writer the oldest notes. The same come again until they have landed. It returns nil when nothing waits.
func (j *journal) take() *bundle {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.flying != nil {
		return j.flying
	}
	n := min(len(j.order), largestGroup)
	if n == 0 {
		return nil
	}
	j.flying = &bundle{keep: j.keep, rows: j.order[:n:n]}
	j.order = j.order[n:]
	if len(j.full)+len(j.given) > mostFull {
		clear(j.full)
		clear(j.given)
	}
	for _, of := range j.flying.rows {
		delete(j.rows, of.id)
		j.waitings -= 1 + len(of.texts)
		if j.given[of.id] += of.kept; j.given[of.id] >= firstTexts {
			delete(j.given, of.id)
			j.full[of.id] = true
		}
	}
	close(j.changed)
	j.changed = make(chan struct{})
	return j.flying
}

// crowded reports whether as many rows wait as a bundle takes.
func (j *journal) crowded() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.order) >= largestGroup
}

// landed forgets the bundle that the writer has.
func (j *journal) landed() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flying = nil
}

// waiting reports whether any note is not written yet.
func (j *journal) waiting() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.flying != nil || len(j.order) > 0
}
