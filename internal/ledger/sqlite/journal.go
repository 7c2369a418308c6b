package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	// firstTexts is how many suppressions of a row the setting "first-20" keeps with their text (protocol.md section 8).
	firstTexts = 20
	// mostWaiting bounds the notes in memory; who brings more waits.
	mostWaiting = 4096
	// mostLanding bounds the rows whose notes are in one transaction, so that calls do not wait long for them.
	mostLanding = 512
	// mostKnown bounds the rows of which the number of kept texts is remembered.
	mostKnown = 65536
)

// journal holds the notes on their way to the writer. Notes of one row wait together, so that a storm of duplicates costs one
// statement for each row and commit, and nobody waits for a sync.
type journal struct {
	keep string

	mu       sync.Mutex
	rows     map[string]*rowNotes // waiting, by row
	order    []*rowNotes          // the same, oldest first
	waitings int                  // texts and rows that wait
	pressed  bool                 // the writer was told that they are many
	flying   *bundle              // taken by the writer and not yet durable
	beat     time.Time            // newest, durable or not
	beating  bool                 // beat waits to be written
	known    map[string]int       // how many suppressions of a row are durable with their text, as far as remembered
	changed  chan struct{}        // closed when waiting notes were taken
}

// rowNotes are the waiting notes of one row.
type rowNotes struct {
	id      string
	counted int // suppressions without text
	kept    int // suppressions among the texts
	texts   []noteText
}

type noteText struct {
	kind call.NoteKind
	once string // conflict: the fingerprint
	body []byte
}

func (j *journal) begin(keep string) {
	j.keep = keep
	j.rows, j.known = map[string]*rowNotes{}, map[string]int{}
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

// add keeps a note in memory. When there is no room it returns what is closed once there may be. Its text is made before the lock, which every answer to
// a duplicate takes; a storm on one row makes none, since its first texts are known to be kept.
func (j *journal) add(n call.Note) (room <-chan struct{}, wake bool, err error) {
	text := noteText{kind: n.Kind}
	if n.Kind == call.NoteConflict {
		text.once = n.Fingerprint
	}
	if n.Kind != call.NoteSuppressed || j.mayWantText(n.RowID) {
		if text.body, err = json.Marshal(n); err != nil {
			return nil, false, fmt.Errorf("encode a note of row %s: %w", n.RowID, err)
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.waitings >= mostWaiting {
		return j.changed, false, nil
	}
	of := j.rows[n.RowID]
	if of == nil {
		of = &rowNotes{id: n.RowID}
	}
	switch n.Kind {
	case call.NoteSuppressed:
		if text.body == nil || !j.wantsText(of) {
			of.counted++
			return nil, j.enter(of), nil
		}
		of.kept++
	case call.NoteConflict:
		if of.knows(n.Fingerprint) {
			return nil, false, nil
		}
	case call.NoteRefused:
	}
	of.texts = append(of.texts, text)
	j.waitings++
	return nil, j.enter(of), nil
}

// mayWantText reports whether the text of a suppression of the row may have to be kept. A no is final: a row never gets room for more texts.
func (j *journal) mayWantText(row string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	of := j.rows[row]
	if of == nil {
		of = &rowNotes{id: row}
	}
	return j.wantsText(of)
}

// enter puts the row among those that wait, and reports whether the writer must be told: when it was the first, and when they have become many.
func (j *journal) enter(of *rowNotes) bool {
	fresh := j.rows[of.id] != of
	if fresh {
		j.rows[of.id] = of
		j.order = append(j.order, of)
		j.waitings++
	}
	if !j.pressed && j.many() {
		j.pressed = true
		return true
	}
	return fresh && len(j.order) == 1
}

// many reports whether so much waits that waiting for more would only hold back whoever brings it. The caller holds mu.
func (j *journal) many() bool { return len(j.order) >= mostLanding || j.waitings >= mostWaiting/2 }

// full is many, for the writer.
func (j *journal) full() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.many()
}

// wantsText reports whether a suppression may still be kept with its text. The writer counts exactly; this spares it the excess.
func (j *journal) wantsText(of *rowNotes) bool {
	switch j.keep {
	case suppressionsOff:
		return false
	case suppressionsAll:
		return true
	}
	return j.known[of.id]+of.kept < firstTexts
}

func (r *rowNotes) knows(fingerprint string) bool {
	for _, t := range r.texts {
		if t.kind == call.NoteConflict && t.once == fingerprint {
			return true
		}
	}
	return false
}

// Beat implements [call.Journal].
func (l *Ledger) Beat(ctx context.Context, at time.Time) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	l.journal.mu.Lock()
	counts := call.BeatCounts(at, l.journal.beat)
	if counts {
		l.journal.beat, l.journal.beating = at, true
	}
	l.journal.mu.Unlock()
	if counts {
		l.wake()
	}
	return nil
}

// LastBeat implements [call.Journal].
func (l *Ledger) LastBeat(ctx context.Context) (time.Time, error) {
	if err := l.refresh(ctx); err != nil {
		return time.Time{}, err
	}
	if l.options.ReadOnly {
		l.mu.RLock()
		defer l.mu.RUnlock()
		return l.record.beat, nil
	}
	l.journal.mu.Lock()
	defer l.journal.mu.Unlock()
	return l.journal.beat, nil
}

// Flush waits until every note given so far is durable.
func (l *Ledger) Flush(ctx context.Context) error {
	for l.journal.waiting() {
		if err := l.usable(ctx); err != nil {
			return err
		}
		if _, err := l.wait(ctx, &job{kind: jobNote}); err != nil {
			return err
		}
	}
	return l.usable(ctx)
}
