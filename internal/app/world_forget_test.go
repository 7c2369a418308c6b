package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// recipient is whom every request of a world is for.
const recipient = "user-67890"

// forget is an operator who answers a request for erasure.
func (w *world) forget(ctx context.Context, k *worker) (waiting int) {
	waiting = -1 // not known
	w.survive(k, func() {
		done, err := k.app.Engine.Forget(ctx, call.Forgetting{RecipientID: recipient, Actor: "ann", Reason: "request 7"})
		switch {
		case k.dead:
			return
		case err != nil && w.calm && !w.table: // a table and its KMS fail now and then for ever; it is run again
			w.find("forget: %v", err)
			return
		case err != nil:
			w.mark("an erasure failed")
			return
		}
		waiting = len(done.Waiting)
		if waiting > 0 {
			w.mark("a recipient waits to be forgotten")
		}
		if len(done.Erased) > 0 {
			w.mark("forgotten")
		}
	})
	return waiting
}

// forgetAtLast does so when everything has come to rest, until nothing waits; what is delivered afterwards meets forgotten calls.
func (w *world) forgetAtLast(ctx context.Context) {
	if !w.forgets || w.chance(0.3) {
		return
	}
	for range 20 {
		if w.forget(ctx, w.workers[0]) == 0 {
			for _, c := range w.rows(ctx) {
				if !c.IsForgotten() {
					w.find("ring %d of %s is %s and was not forgotten", c.Ring, c.Key.NotificationID, c.State)
				}
			}
			w.mark("forgotten at last")
			return
		}
		time.Sleep(time.Hour)
	}
	w.find("a recipient waits for ever to be forgotten")
}

// erasing keeps a row as it was, for the oracles.
func (w *world) erasing(c call.Call) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !c.IsForgotten() {
		w.truth.was[c.ID] = c
	}
}

// asItWas gives a forgotten row back what the oracles compare.
func (w *world) asItWas(c call.Call) call.Call {
	w.mu.Lock()
	defer w.mu.Unlock()
	was, known := w.truth.was[c.ID]
	if !c.IsForgotten() || !known {
		return c
	}
	c.Key, c.Destination, c.Token, c.NotAfter = was.Key, was.Destination, was.Token, was.NotAfter
	return c
}

func (w *world) asTheyWere(rows []call.Call) []call.Call {
	all := make([]call.Call, len(rows))
	for i, c := range rows {
		all[i] = w.asItWas(c)
	}
	return all
}

// judgeForgotten sees that nothing of the recipient is left of a forgotten row.
func (w *world) judgeForgotten(c call.Call, entries []call.Entry) {
	if !c.IsForgotten() {
		return
	}
	text, err := c.Encode()
	if err != nil {
		w.find("encode: %v", err)
	}
	said := string(text)
	for _, e := range entries {
		said += "\n" + string(e.Body)
	}
	if len(leaks(said)) > 0 || c.Key.RecipientID != "" {
		w.find("a forgotten row still names its recipient")
	}
	notes, err := w.workers[0].app.Store.Journal.Notes(context.Background(), c.ID)
	if err != nil || len(notes.Kept) > 0 {
		w.find("a forgotten row has %d notes, error %v", len(notes.Kept), err)
	}
}

// TestARowThatForgettingDeletesIsSeenToRingTwice wants the telephone itself to tell, and not only a history that does not add up.
func TestARowThatForgettingDeletesIsSeenToRingTwice(t *testing.T) {
	t.Parallel()
	rang := false
	explore(t, plan{defect: defect{ledger: func(l call.Ledger) call.Ledger { return deletingLedger{l} }}}, 1, defaultSeeds, func(seed uint64, findings []string) bool {
		for _, finding := range findings {
			if strings.HasPrefix(finding, "I1 of ") && strings.HasSuffix(finding, "rings for one call") {
				t.Logf("seed %d: %s", seed, finding)
				rang = true
			}
		}
		return !rang
	})
	if !rang {
		t.Error("no seed sees a second ring")
	}
}

// eraserOf returns the eraser that every driver is.
func eraserOf(l call.Ledger) call.Eraser {
	eraser, ok := l.(call.Eraser)
	if !ok {
		panic("a driver that cannot erase")
	}
	return eraser
}

// deletingLedger forgets that a forgotten request was ever there: the next delivery of its key begins anew.
type deletingLedger struct{ call.Ledger }

// Erase implements call.Eraser.
func (l deletingLedger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	return eraserOf(l.Ledger).Erase(ctx, w)
}

// Scrub implements call.Eraser.
func (l deletingLedger) Scrub(ctx context.Context, recipient string, ids []string) error {
	return eraserOf(l.Ledger).Scrub(ctx, recipient, ids)
}

// Get implements call.Ledger.
func (l deletingLedger) Get(ctx context.Context, id string) (call.Call, error) {
	c, err := l.Ledger.Get(ctx, id)
	if c.IsForgotten() {
		return call.Call{}, call.ErrNotFound
	}
	return c, err
}

// Create implements call.Ledger.
func (l deletingLedger) Create(ctx context.Context, w call.Write) (call.Written, error) {
	written, err := l.Ledger.Create(ctx, w)
	if err != nil || written.Applied || !written.Row.IsForgotten() {
		return written, err
	}
	event, err := w.Entry.Event()
	if err != nil {
		return call.Written{}, err
	}
	anew, err := written.Row.Write(event, w.Entry.Op)
	if err != nil {
		return call.Written{}, err
	}
	anew.Row.Forgotten, anew.Row.Pin = time.Time{}, w.Row.Pin
	return l.Ledger.Update(ctx, anew)
}

// keepingLedger erases, and keeps the number for the statistics.
type keepingLedger struct{ call.Ledger }

// Erase implements call.Eraser.
func (l keepingLedger) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	if c, err := l.Get(ctx, w.Row.ID); err == nil {
		w.Row.Destination = c.Destination
	}
	return eraserOf(l.Ledger).Erase(ctx, w)
}

// Scrub implements call.Eraser.
func (l keepingLedger) Scrub(ctx context.Context, recipient string, ids []string) error {
	return eraserOf(l.Ledger).Scrub(ctx, recipient, ids)
}
