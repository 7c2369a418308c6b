package ledgertest

import (
	"bytes"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// start is when every exercise begins. The nanoseconds are there to be kept.
var start = time.Date(2026, 11, 29, 3, 0, 0, 123456789, time.UTC)

// opening returns the first event of a row: accepted, due at once, with a token made from its id.
func opening(id string) call.Event {
	return call.Event{
		Kind: call.EventAccepted, At: start, Actor: "exam", Due: start, Reason: "accepted",
		Opening: &call.Opening{
			Key:   call.Key{Kind: call.KindVoice, NotificationID: "notification-" + id, RecipientID: "recipient-" + id},
			Cause: call.CauseRequest, Fingerprint: "fingerprint", Destination: "+819000000001", Token: "token-" + id,
			Attributes: map[string]string{"name": "山田 ☎", "quote": `"\<&>`}, RequestedAt: start.Add(-time.Minute), Tier: call.TierPayload,
		},
		Delivery: &call.Arrival{Source: call.SourceSQS, Producer: "alerts", ID: "message-1", ReceiveCount: 1},
	}
}

// write makes the ledger write of an event; the op id is unique when the caller's is.
func (x *exam) write(c call.Call, e call.Event, op string) call.Write {
	x.Helper()
	w, err := c.Write(e, op)
	if err != nil {
		x.Fatalf("make the write %s: %v", op, err)
	}
	return w
}

// first makes the write that creates a row.
func (x *exam) first(id string) call.Write {
	x.Helper()
	return x.write(call.Begin(id), opening(id), "op-"+id+"-1")
}

// held makes a write that only moves the due time.
func (x *exam) held(c call.Call, due time.Time, op string) call.Write {
	x.Helper()
	return x.write(c, call.Event{Kind: call.EventHeld, At: start.Add(time.Second), Due: due, Reason: "exam"}, op)
}

// placed makes the write that ends a row with a contact id.
func (x *exam) placed(c call.Call, contact, op string) call.Write {
	x.Helper()
	return x.write(c, call.Event{Kind: call.EventContact, At: start.Add(2 * time.Second), ContactID: contact, From: "event"}, op)
}

// mustCreate creates a row that must be new.
func (x *exam) mustCreate(w call.Write) call.Call {
	x.Helper()
	written, err := x.Create(x.ctx, w)
	if err != nil || !written.Applied {
		x.Fatalf("create %s: applied %t, error %v", w.Row.ID, written.Applied, err)
	}
	return written.Row
}

// mustUpdate makes an update that must win.
func (x *exam) mustUpdate(w call.Write) call.Call {
	x.Helper()
	written, err := x.Update(x.ctx, w)
	if err != nil || !written.Applied {
		x.Fatalf("update %s to version %d: applied %t, error %v", w.Row.ID, w.Row.Version, written.Applied, err)
	}
	return written.Row
}

// mustGet reads a row that must exist.
func (x *exam) mustGet(id string) call.Call {
	x.Helper()
	c, err := x.Get(x.ctx, id)
	if err != nil {
		x.Fatalf("get %s: %v", id, err)
	}
	return c
}

// mustHistory reads the history of a row that must exist.
func (x *exam) mustHistory(id string) []call.Entry {
	x.Helper()
	entries, err := x.History(x.ctx, id)
	if err != nil {
		x.Fatalf("history of %s: %v", id, err)
	}
	return entries
}

// same reports rows that differ in anything that is stored.
func (x *exam) same(what string, got, want call.Call) {
	x.Helper()
	g, err := got.Encode()
	if err != nil {
		x.Fatalf("%s: %v", what, err)
	}
	w, err := want.Encode()
	if err != nil {
		x.Fatalf("%s: %v", what, err)
	}
	if !bytes.Equal(g, w) {
		x.Errorf("%s:\n got %s\nwant %s", what, g, w)
	}
}

// holds reports a row whose stored version, history and hash chain are not exactly those of the writes.
func (x *exam) holds(id string, writes ...call.Write) {
	x.Helper()
	x.same("row "+id, x.mustGet(id), writes[len(writes)-1].Row)
	entries := x.mustHistory(id)
	if len(entries) != len(writes) {
		x.Fatalf("row %s has %d history entries, want %d", id, len(entries), len(writes))
	}
	for i, e := range entries {
		if want := writes[i].Entry; !sameEntry(e, want) {
			x.Errorf("row %s, history entry %d:\n got %s\nwant %s", id, i+1, text(e), text(want))
		}
	}
}

// whole reports a row that is not the fold of its history: an entry without its version, a version without its entry, or a
// broken chain. It recomputes every hash with the core's own constructor.
func (x *exam) whole(c call.Call, entries []call.Entry) {
	x.Helper()
	if int(c.Version) != len(entries) {
		x.Fatalf("row %s is at version %d with %d history entries", c.ID, c.Version, len(entries))
	}
	folded := call.Begin(c.ID)
	for i, e := range entries {
		event, err := e.Event()
		if err != nil {
			x.Fatalf("%v", err)
		}
		w := x.write(folded, event, e.Op)
		if !sameEntry(w.Entry, e) {
			x.Errorf("row %s: the hash chain breaks at entry %d:\n got %s\nwant %s", c.ID, i+1, text(e), text(w.Entry))
		}
		folded = w.Row
	}
	x.same("row "+c.ID+" against the fold of its history", c, folded)
}

func sameEntry(a, b call.Entry) bool {
	return a.RowID == b.RowID && a.Seq == b.Seq && a.Op == b.Op && a.Kind == b.Kind && a.At.Equal(b.At) &&
		bytes.Equal(a.Body, b.Body) && a.Hash == b.Hash
}

func text(e call.Entry) string {
	return fmt.Sprintf("%s #%d %s %s %s %s %s", e.RowID, e.Seq, e.Op, e.Kind, e.At, e.Hash, e.Body)
}
