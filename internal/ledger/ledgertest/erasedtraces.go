package ledgertest

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func notesAreErased(x *exam) {
	note := func(row, fingerprint string) {
		x.mustNote(call.Note{RowID: row, Kind: call.NoteConflict, At: start, Fingerprint: fingerprint})
		x.mustNote(suppressed(row, 1))
		x.mustNote(call.Note{RowID: row, Kind: call.NoteRefused, At: start})
	}
	writes := x.ended("a")
	x.ended("b")
	note("a", "one")
	note("b", "one")
	x.mustNotes("a")
	note("a", "two") // perhaps not durable yet
	x.mustErase(x.forgotten(writes[1].Row, "op-forget"))
	note("a", "three")
	for range 2 {
		if notes := x.mustNotes("a"); len(notes.Kept) != 0 || notes.Suppressed != 0 {
			x.Errorf("notes of a forgotten row: %+v", notes)
		}
		if notes := x.mustNotes("b"); len(notes.Kept) < 2 {
			x.Errorf("notes of another row: %+v", notes)
		}
		x.restart()
	}
}

func tokenStaysTaken(x *exam) {
	x.mustErase(x.forgotten(x.ended("a")[1].Row, "op-forget"))
	late := x.tombstone("late")
	x.mustCreate(late)
	for round := range 2 {
		clash := opening("b")
		clash.Opening.Token = "token-a"
		op := fmt.Sprintf("op-%d", round)
		if written, err := x.Create(x.ctx, x.write(call.Begin("b"), clash, op)); !errors.Is(err, call.ErrTokenTaken) {
			x.Errorf("create with the token of a forgotten row: applied %t, error %v, want ErrTokenTaken", written.Applied, err)
		}
		body := opening("late")
		body.Kind, body.Opening.Token = call.EventBodyAttached, "token-a"
		if written, err := x.Update(x.ctx, x.write(late.Row, body, op+"-late")); !errors.Is(err, call.ErrTokenTaken) {
			x.Errorf("update to the token of a forgotten row: applied %t, error %v, want ErrTokenTaken", written.Applied, err)
		}
		x.restart()
	}
	x.mustCreate(x.first("b"))
	x.holds("late", late)
}

func recipientIsErased(x *exam) {
	var rows []call.Call
	for i := range 3 {
		id := fmt.Sprintf("row-%d", i)
		e := opening(id)
		e.Opening.Key.RecipientID = "recipient-one"
		first := x.write(call.Begin(id), e, "op-"+id)
		x.mustCreate(first)
		rows = append(rows, x.mustUpdate(x.placed(first.Row, "contact-"+id, "op-placed-"+id)))
	}
	one := recipientOf("one")
	for i, want := range [][]string{{"row-2", "row-0"}, {"row-0"}, {}} {
		id := []string{"row-1", "row-2", "row-0"}[i]
		at := slices.IndexFunc(rows, func(c call.Call) bool { return c.ID == id })
		x.mustErase(x.forgotten(rows[at], "op-forget-"+id))
		if err := x.Scrub(x.ctx, one, []string{id}); err != nil {
			x.Fatalf("scrub: %v", err)
		}
		for range 2 {
			if got, err := x.ByRecipient(x.ctx, one, 10); err != nil || !slices.Equal(got, want) {
				x.Errorf("by recipient after %s: %v, %v, want %v", id, got, err, want)
			}
			if i == 1 {
				x.restart()
			}
		}
	}
	nobody := call.Naming{Mode: call.IdentityPlain}.Recipient("", "")
	x.mustUpdate(x.noted(x.mustGet("row-1"), "op-later"))
	for _, hash := range []string{one, nobody, ""} {
		if got, err := x.ByRecipient(x.ctx, hash, 10); err == nil && len(got) != 0 {
			x.Errorf("by recipient %q: %v", hash, got)
		}
	}
}

func erasedIsFound(x *exam) {
	x.mustErase(x.forgotten(x.ended("a")[1].Row, "op-forget-a"))
	x.ended("b")
	open := opening("doubt")
	open.Attempt = &call.Attempt{ID: "attempt", Opened: start, LeaseEnd: start.Add(time.Minute)}
	open.Signed = start
	first := x.write(call.Begin("doubt"), open, "op-doubt-1")
	x.mustCreate(first)
	doubted := x.write(first.Row, call.Event{Kind: call.EventDoubted, At: start.Add(40 * time.Minute), Due: start.Add(2 * time.Hour), Reason: "evidence"}, "op-doubt-2")
	x.mustUpdate(doubted)
	x.mustErase(x.forgotten(doubted.Row, "op-forget-doubt"))
	for range 2 {
		if id, err := x.ByContact(x.ctx, "contact-a"); err != nil || id != "a" {
			x.Errorf("by contact: %q, %v, want a", id, err)
		}
		x.due(start.Add(2*time.Hour), 10, "doubt")
		if got, _ := x.listed(call.Filter{}); !slices.Equal(got, []string{"doubt", "b", "a"}) {
			x.Errorf("list: %v", got)
		}
		if got, _ := x.listed(call.Filter{States: []call.State{call.InDoubt}}); !slices.Equal(got, []string{"doubt"}) {
			x.Errorf("list of doubts: %v", got)
		}
		x.restart()
	}
}
