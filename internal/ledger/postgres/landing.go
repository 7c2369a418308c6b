package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
)

// Flush waits until every note given so far can be read.
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

// Notes implements [call.Journal]. It sees every note that was given to this ledger before, and what other processes have written.
func (l *Ledger) Notes(ctx context.Context, id string) (call.Notes, error) {
	if err := l.usable(ctx); err != nil {
		return call.Notes{}, err
	}
	if !l.options.ReadOnly {
		if err := l.Flush(ctx); err != nil {
			return call.Notes{}, err
		}
	}
	counted, err := l.queries.SuppressedOf(ctx, id)
	if err != nil {
		return call.Notes{}, l.failed(explain(err, "read the notes of a row"))
	}
	bodies, err := l.queries.NotesOf(ctx, id)
	if err != nil {
		return call.Notes{}, l.failed(explain(err, "read the notes of a row"))
	}
	notes := call.Notes{Suppressed: int(counted)}
	for _, body := range bodies {
		var n call.Note
		if err := json.Unmarshal(body, &n); err != nil {
			return call.Notes{}, fmt.Errorf("decode a note of row %s: %w", id, err)
		}
		notes.Kept = append(notes.Kept, n)
		if n.Kind == call.NoteSuppressed {
			notes.Suppressed++
		}
	}
	return notes, nil
}

// Beat implements [call.Journal]. With it the witness learns how far other processes are, so that a restore
// is noticed by each of them.
func (l *Ledger) Beat(ctx context.Context, at time.Time) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	if err := l.queries.Beat(ctx, queries.BeatParams{At: nanos(at), Ahead: nanos(at.Add(call.HeartbeatTime))}); err != nil {
		return l.failed(explain(err, "record a beat"))
	}
	found, err := readRecord(ctx, l.queries)
	if err != nil {
		return l.failed(err)
	}
	seen, incarnation, _ := l.sight()
	if found.incarnation != incarnation {
		l.poison(superseded())
		return l.ended()
	}
	if found.identity.HighWater <= seen {
		return nil
	}
	l.saw(found.identity.HighWater)
	return l.testify(incarnation, found.identity.HighWater)
}

// LastBeat implements [call.Journal].
func (l *Ledger) LastBeat(ctx context.Context) (time.Time, error) {
	if err := l.usable(ctx); err != nil {
		return time.Time{}, err
	}
	found, err := readRecord(ctx, l.queries)
	return found.beat, l.failed(err)
}
