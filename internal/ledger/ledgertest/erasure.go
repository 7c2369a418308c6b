package ledgertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func erasure() Suite {
	return Suite{Name: "Erasure", cases: []exercise{
		{name: "an erased row keeps its id and one entry", run: erasedRow},
		{name: "a long history and a large request are gone", run: erasedLong},
		{name: "what happens afterwards is kept", run: factsAfterErasure},
		{name: "an erasure that loses its compare changes nothing", run: erasureLosesCompare},
		{name: "an erasure of an unknown row is not found", run: erasureOfNobody},
		{name: "an erasure whose answer was lost is recognized", run: func(x *exam) { x.lostErasure(AnswerLost) }},
		{name: "an erasure that never arrived is applied by the second try", run: func(x *exam) { x.lostErasure(NeverArrived) }},
		{name: "an op of before is not recognized any more", run: opsAreErased},
		{name: "creating an erased row changes nothing and returns it", run: erasedIsNotCreated},
		{name: "notes are gone and no new ones are kept", run: notesAreErased},
		{name: "the token stays taken", run: tokenStaysTaken},
		{name: "the recipient does not lead to the row any more", run: recipientIsErased},
		{name: "the contact, the list and the due time still lead to it", run: erasedIsFound},
		{name: "a scrub touches no row that is not forgotten", run: scrubSparesOthers},
		{name: "a killed process leaves nothing half erased", run: erasureThenCrash},
		{name: "of an erasure and many facts one wins each version", run: erasureRaces},
	}}
}

// ended makes a row that may be erased: created and placed.
func (x *exam) ended(id string) []call.Write {
	x.Helper()
	first := x.first(id)
	x.mustCreate(first)
	second := x.placed(first.Row, "contact-"+id, "op-"+id+"-2")
	x.mustUpdate(second)
	return []call.Write{first, second}
}

// forgotten makes the write that erases a row.
func (x *exam) forgotten(c call.Call, op string) call.Write {
	x.Helper()
	event, err := call.Forgotten(c, c.ID, start.Add(time.Hour), "kim", "request 7")
	if err != nil {
		x.Fatalf("forget %s: %v", c.ID, err)
	}
	return x.write(c, event, op)
}

// mustErase makes an erasure that must win, and what belongs to it.
func (x *exam) mustErase(w call.Write) call.Call {
	x.Helper()
	written, err := x.Erase(x.ctx, w)
	if err != nil || !written.Applied {
		x.Fatalf("erase %s: applied %t, error %v", w.Row.ID, written.Applied, err)
	}
	x.mustScrub(w.Row.ID)
	return written.Row
}

func (x *exam) mustScrub(ids ...string) {
	x.Helper()
	for _, id := range ids {
		if err := x.Scrub(x.ctx, recipientOf(id), []string{id}); err != nil {
			x.Fatalf("scrub %s: %v", id, err)
		}
	}
}

func recipientOf(id string) string {
	return call.Naming{Mode: call.IdentityPlain}.Recipient("", "recipient-"+id)
}

// sound reports a row whose history breaks an invariant.
func (x *exam) sound(id string) {
	x.Helper()
	for _, b := range call.CheckHistory(x.mustGet(id), x.mustHistory(id)) {
		x.Errorf("%s", b)
	}
}

func erasedRow(x *exam) {
	writes := x.ended("a")
	x.ended("b")
	w := x.forgotten(writes[1].Row, "op-forget")
	x.same("the erased row", x.mustErase(w), w.Row)
	x.holds("a", w)
	x.sound("a")
	x.sound("b")
	each := 0
	err := x.Each(x.ctx, func(c call.Call, entries []call.Entry) error {
		each++
		if want := map[bool]int{true: 1, false: 2}[c.ID == "a"]; len(entries) != want {
			x.Errorf("each shows %d entries of %s, want %d", len(entries), c.ID, want)
		}
		return nil
	})
	if err != nil || each != 2 {
		x.Errorf("each: %d rows, error %v", each, err)
	}
}

func erasedLong(x *exam) {
	e := opening("a")
	var large strings.Builder
	for i := range 400 {
		fmt.Fprintf(&large, "%x", i*i*i*7919+i*104729)
	}
	e.Opening.Attributes = map[string]string{"text": large.String()}
	w := x.write(call.Begin("a"), e, "op-1")
	w.Row.Pin = large.String()
	row := x.mustCreate(w)
	for n := range 40 {
		row = x.mustUpdate(x.held(row, start.Add(time.Duration(n)*time.Minute), fmt.Sprintf("op-held-%d", n)))
	}
	row = x.mustUpdate(x.placed(row, "contact", "op-placed"))
	erased := x.forgotten(row, "op-forget")
	x.mustErase(erased)
	x.holds("a", erased)
	x.sound("a")
	x.restart()
	x.holds("a", erased)
	row = erased.Row
	for n := range 40 { // more than any driver keeps in one place
		row = x.mustUpdate(x.noted(row, fmt.Sprintf("op-later-%d", n)))
	}
	x.sound("a")
	x.mustScrub("a")
	x.restart()
	x.sound("a")
	if entries := x.mustHistory("a"); len(entries) != 41 {
		x.Errorf("%d entries, want 41", len(entries))
	}
}

// noted makes a write that changes nothing but the history.
func (x *exam) noted(c call.Call, op string) call.Write {
	x.Helper()
	return x.write(c, call.Event{Kind: call.EventNoted, At: start.Add(2 * time.Hour), Actor: "kim"}, op)
}

func factsAfterErasure(x *exam) {
	first := x.tombstone("a")
	x.mustCreate(first)
	erased := x.forgotten(first.Row, "op-forget")
	x.mustErase(erased)
	second := x.placed(erased.Row, "contact-late", "op-late")
	x.mustUpdate(second)
	third := x.noted(second.Row, "op-noted")
	x.mustUpdate(third)
	x.holds("a", erased, second, third)
	if got := x.mustGet("a"); len(got.Anomalies) != 1 {
		x.Errorf("the late contact id is not there: %v", got.Anomalies)
	}
	x.same("the late op again", x.mustUpdate(second), third.Row)
	written, err := x.Erase(x.ctx, erased)
	if err != nil || !written.Applied {
		x.Errorf("the erasure again: applied %t, error %v", written.Applied, err)
	}
	x.same("the row in the answer", written.Row, third.Row)
	x.mustScrub("a")
	x.holds("a", erased, second, third)
}

func erasureLosesCompare(x *exam) {
	writes := x.ended("a")
	x.mustNote(call.Note{RowID: "a", Kind: call.NoteConflict, At: start, Fingerprint: "other"})
	third := x.noted(writes[1].Row, "op-3")
	x.mustUpdate(third)
	written, err := x.Erase(x.ctx, x.forgotten(writes[1].Row, "op-forget"))
	if err != nil || written.Applied {
		x.Errorf("an erasure from behind: applied %t, error %v", written.Applied, err)
	}
	x.same("the row that won", written.Row, third.Row)
	x.holds("a", writes[0], writes[1], third)
	if notes := x.mustNotes("a"); len(notes.Kept) != 1 {
		x.Errorf("%d notes, want 1", len(notes.Kept))
	}
	if got, err := x.ByRecipient(x.ctx, recipientOf("a"), 10); err != nil || !slices.Equal(got, []string{"a"}) {
		x.Errorf("by recipient: %v, %v", got, err)
	}
}

func erasureOfNobody(x *exam) {
	w := x.first("nobody")
	done := x.placed(w.Row, "contact", "op-2")
	if _, err := x.Erase(x.ctx, x.forgotten(done.Row, "op-3")); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("erase: %v, want ErrNotFound", err)
	}
	x.mustScrub("nobody")
	if _, err := x.Get(x.ctx, "nobody"); !errors.Is(err, call.ErrNotFound) {
		x.Errorf("get: %v, want ErrNotFound", err)
	}
}

func (x *exam) lostErasure(fate Fate) {
	x.Helper()
	w := x.forgotten(x.ended("a")[1].Row, "op-forget")
	lossy := Lose(x.Ledger, fate, AnswerLost)
	x.lose(lossy.Erase, w)
	x.lose(lossy.Erase, w)
	x.again(lossy.Erase, w, w.Row)
	x.mustScrub("a")
	x.holds("a", w)
	x.sound("a")
}

func opsAreErased(x *exam) {
	writes := x.ended("a")
	w := x.forgotten(writes[1].Row, "op-forget")
	x.mustErase(w)
	for i, try := range []func(context.Context, call.Write) (call.Written, error){x.Create, x.Update} {
		written, err := try(x.ctx, writes[i])
		if err != nil || written.Applied {
			x.Errorf("write %d of before: applied %t, error %v", i+1, written.Applied, err)
		}
		x.same("the row in the answer", written.Row, w.Row)
	}
	x.holds("a", w)
}

func erasedIsNotCreated(x *exam) {
	w := x.forgotten(x.ended("a")[1].Row, "op-forget")
	x.mustErase(w)
	for _, token := range []string{"token-a", "token-of-its-own", ""} {
		again := opening("a")
		again.Opening.Token = token
		written, err := x.Create(x.ctx, x.write(call.Begin("a"), again, "op-again-"+token))
		if err != nil || written.Applied {
			x.Errorf("create with token %q: applied %t, error %v", token, written.Applied, err)
		}
		x.same("the row in the answer", written.Row, w.Row)
	}
	x.holds("a", w)
}

func scrubSparesOthers(x *exam) {
	writes := x.ended("a")
	x.mustNote(call.Note{RowID: "a", Kind: call.NoteConflict, At: start, Fingerprint: "other"})
	for range 2 {
		x.mustScrub("a", "nobody")
		x.holds("a", writes...)
		if notes := x.mustNotes("a"); len(notes.Kept) != 1 {
			x.Errorf("%d notes, want 1", len(notes.Kept))
		}
		x.restart()
	}
	if got, err := x.ByRecipient(x.ctx, recipientOf("a"), 10); err != nil || !slices.Equal(got, []string{"a"}) {
		x.Errorf("by recipient: %v, %v", got, err)
	}
}

func erasureThenCrash(x *exam) {
	writes := x.ended("a")
	x.mustNote(suppressed("a", 1))
	x.mustNotes("a")
	w := x.forgotten(writes[1].Row, "op-forget")
	x.lose(Lose(x.Ledger, AnswerLost).Erase, w)
	x.restart()
	x.holds("a", w)
	x.again(x.Erase, w, w.Row)
	x.restart()
	x.mustScrub("a")
	x.holds("a", w)
	if notes := x.mustNotes("a"); len(notes.Kept) != 0 {
		x.Errorf("notes of a forgotten row: %+v", notes)
	}
	if got, err := x.ByRecipient(x.ctx, recipientOf("a"), 10); err != nil || len(got) != 0 {
		x.Errorf("by recipient: %v, %v", got, err)
	}
}

func erasureRaces(x *exam) {
	writes := x.ended("a")
	var erased, entries atomic.Int64
	race(func(i int) {
		row := writes[1].Row
		for n := range 50 {
			w, act := x.noted(row, fmt.Sprintf("op-%d-%d", i, n)), x.Update
			if i == 0 && !row.IsForgotten() {
				w, act = x.forgotten(row, fmt.Sprintf("op-%d-%d", i, n)), x.Erase
			}
			written := x.tried(act(x.ctx, w))
			if row = written.Row; !written.Applied {
				continue
			}
			if w.Entry.Kind == call.EventForgotten {
				erased.Add(1)
				return
			}
			entries.Add(1)
			return
		}
	})
	row, history := x.mustGet("a"), x.mustHistory("a")
	if erased.Load() == 0 {
		row = x.mustErase(x.forgotten(row, "op-at-last"))
		history = x.mustHistory("a")
	}
	for _, b := range call.CheckHistory(row, history) {
		x.Errorf("%s", b)
	}
	if want := 2 + entries.Load() + 1; row.Version != want {
		x.Errorf("version %d after %d writes", row.Version, want)
	}
}
