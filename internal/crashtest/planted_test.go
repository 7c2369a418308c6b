package crashtest

import (
	"context"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// The defects that a run must notice.
const (
	defectIntentAfterSend = "intent after the send"       // R4's mutant: what must precede a dial is written with its answer
	defectAckBeforeRow    = "acknowledged before the row" // N7: a row that waits is answered as durable, and written a little later
	defectParksNothing    = "parks nothing"               // a record is answered as kept, and is not
	defectForgetsNothing  = "forgets nothing"             // an erasure is answered as done, and is not
	defectUnlisted        = "an effect that is not listed"
)

// defective returns the ledger with a defect; without one it returns it as it is.
func defective(name string, l call.Ledger) call.Ledger {
	switch name {
	case defectIntentAfterSend:
		return &lateIntents{Ledger: l, held: map[string][]call.Write{}}
	case defectAckBeforeRow:
		return &lateRows{Ledger: l, waiting: map[string]call.Call{}}
	}
	return l
}

// parksNothing answers as if it kept records.
type parksNothing struct{ call.Parking }

// Park implements call.Parking.
func (parksNothing) Park(context.Context, call.Parked) (bool, error) { return true, nil }

// forgetsNothing answers as if it erased.
type forgetsNothing struct{ call.Ledger }

// Erase implements call.Eraser.
func (forgetsNothing) Erase(_ context.Context, w call.Write) (call.Written, error) {
	return call.Written{Applied: true, Row: w.Row}, nil
}

// Scrub implements call.Eraser.
func (forgetsNothing) Scrub(context.Context, string, []string) error { return nil }

// lateIntents keeps intents in memory until the next write of their row.
type lateIntents struct {
	call.Ledger
	mu   sync.Mutex
	held map[string][]call.Write
}

// Create implements call.Ledger.
func (l *lateIntents) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Row.State != call.Dialing {
		return l.Ledger.Create(ctx, w)
	}
	if row, err := l.Get(ctx, w.Row.ID); err == nil {
		return call.Written{Row: row}, nil
	}
	return l.hold(w), nil
}

func (l *lateIntents) hold(w call.Write) call.Written {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[w.Row.ID] = append(l.held[w.Row.ID], w)
	return call.Written{Applied: true, Row: w.Row}
}

// Update implements call.Ledger.
func (l *lateIntents) Update(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Entry.Kind == call.EventIntent {
		return l.hold(w), nil
	}
	l.mu.Lock()
	held := l.held[w.Row.ID]
	delete(l.held, w.Row.ID)
	l.mu.Unlock()
	for _, earlier := range held {
		write := l.Ledger.Update
		if earlier.Entry.Seq == 1 {
			write = l.Ledger.Create
		}
		if _, err := write(ctx, earlier); err != nil {
			return call.Written{}, err
		}
	}
	return l.Ledger.Update(ctx, w)
}

// rowDelay is how late a row is written that was answered as durable.
const rowDelay = 3 * time.Second

// lateRows answers a new row that waits at once, and writes it later.
type lateRows struct {
	call.Ledger
	mu      sync.Mutex
	waiting map[string]call.Call
}

// Create implements call.Ledger.
func (l *lateRows) Create(ctx context.Context, w call.Write) (call.Written, error) {
	if w.Row.State != call.Received {
		return l.Ledger.Create(ctx, w)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting[w.Row.ID] = w.Row
	time.AfterFunc(rowDelay, func() {
		_, _ = l.Ledger.Create(context.Background(), w) // nobody is left to be told
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.waiting, w.Row.ID)
	})
	return call.Written{Applied: true, Row: w.Row}, nil
}

// Get implements call.Ledger.
func (l *lateRows) Get(ctx context.Context, id string) (call.Call, error) {
	l.mu.Lock()
	row, waits := l.waiting[id]
	l.mu.Unlock()
	if waits {
		return row, nil
	}
	return l.Ledger.Get(ctx, id)
}
