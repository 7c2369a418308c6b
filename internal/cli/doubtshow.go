package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/timeline"
)

// doubtShowCommand shows one doubt.
type doubtShowCommand struct {
	ID   string `arg:"" help:"A call's id, or at least its first 6 characters."`
	JSON bool   `help:"Print one JSON object."`
}

// doubtShown is the JSON form of a doubt with everything that is known about it.
type doubtShown struct {
	doubt
	Sentence string         `json:"sentence"`
	Attempts []attempt      `json:"attempts"` // what was sent when, and what is known of each answer
	Evidence []evidence     `json:"evidence"` // by source: what it has shown so far, and when it is asked next
	Notes    []timelineLine `json:"notes"`    // what persons wrote
	Closed   *doubtEnd      `json:"closed,omitempty"`
	Rings    []ringLink     `json:"rings"` // all rings of the key, this one included
}

// Run implements the command.
func (x *doubtShowCommand) Run(ctx context.Context, e *environment) (err error) {
	r, err := e.remote()
	if err != nil {
		return err
	}
	if r != nil {
		s, err := r.doubt(ctx, x.ID)
		if err != nil {
			return err
		}
		return x.print(e, s)
	}
	return e.onCall(ctx, opening{readOnly: true}, x.ID, func(a *app.App, id string) error {
		row, err := get(ctx, a, id)
		if err != nil {
			return err
		}
		events, err := eventsOf(ctx, a, id)
		if err != nil {
			return err
		}
		p, _ := a.Engine.Profile(row.Profile)
		d, doubted := timeline.DoubtOf(row, events, p.Unmarked)
		if !doubted {
			return errNoDoubt(row)
		}
		first, err := firstOf(ctx, a, row)
		if err != nil {
			return err
		}
		s := doubtShown{doubt: doubtOf(a, row), Sentence: row.Sentence(), Attempts: d.Attempts, Evidence: d.Evidence, Notes: d.Notes, Closed: d.Closed}
		s.Since, s.Code, s.Why = d.Since, d.Code, d.Why
		if s.Rings, err = ringsOf(ctx, a, first); err != nil {
			return err
		}
		return x.print(e, s)
	})
}

func (x *doubtShowCommand) print(e *environment, s doubtShown) error {
	if x.JSON {
		return printJSON(e.Stdout, s)
	}
	return s.text(e.Stdout, e.Clock.Now())
}

// errNoDoubt refuses a call that is not in doubt.
func errNoDoubt(row call.Call) error {
	fix := "See it with ringonce calls show " + short(row.ID) + "."
	if row.State == call.Dialing {
		fix = "Its evidence is still looked for; " + fix
	}
	return &call.Error{Code: codeNotInDoubt, Message: "The call is not in doubt: it is " + string(row.State) + ".", Fix: fix}
}

// codeNotInDoubt refuses an act upon a doubt for a call that is none.
const codeNotInDoubt call.Code = "not_in_doubt"

func (s doubtShown) text(w io.Writer, now time.Time) error {
	var b strings.Builder
	fmt.Fprintf(&b, "call %s\n", s.ID)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-15s %s\n", name, plain(value))
		}
	}
	line("state", string(s.State)+": "+s.Sentence)
	line("notificationId", s.NotificationID)
	line("recipientId", shownID(s.RecipientID))
	line("number", s.Destination)
	line("profile", s.Profile)
	line("in doubt since", stamp(s.Since))
	line("why", strings.Trim(because(s.Code, s.Why), " ()"))
	if s.Closed != nil {
		line("closed", closedWords(*s.Closed))
	}
	fmt.Fprintf(&b, "\n%s\n", plural(len(s.Attempts), "attempt", "attempts"))
	for i, a := range s.Attempts {
		fmt.Fprintf(&b, "  %d  %s  %s\n", i+1, stamp(a.OpenedAt), plain(a.Words()))
	}
	if s.Closed == nil {
		s.textEvidence(&b, now)
	}
	if len(s.Notes) > 0 {
		b.WriteString("\nnotes, which decide nothing\n")
		for _, n := range s.Notes {
			fmt.Fprintf(&b, "  %s  %s%s\n", stamp(n.At), plain(strings.TrimPrefix(n.What, "note: ")), by(n.Actor))
		}
	}
	shown{listed: listed{ID: s.ID}, Rings: s.Rings}.textRings(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

func (s doubtShown) textEvidence(b *strings.Builder, now time.Time) {
	b.WriteString("\nevidence so far, and what would decide it\n")
	for _, e := range s.Evidence {
		next := e.Next
		if !e.Due.IsZero() {
			next += " (" + in(e.Due.Sub(now)) + ")"
		}
		fmt.Fprintf(b, "  %-14s %s\n  %-14s   %s\n", e.Source, plain(e.SoFar), "", plain(next))
	}
	again := "now, with ringonce doubt close " + short(s.ID) + " --recall --reason TEXT --although-it-may-have-rung"
	if s.SettledAt.After(now) {
		again = "from " + stamp(s.SettledAt) + " on, when no dial of it can be accepted any more"
	}
	fmt.Fprintf(b, "\na person may ring again %s\n", again)
}

// endFrom names what closed a doubt.
var endFrom = map[string]string{
	"answer": "a late answer", "event": "a contact event", "search": "a search", "person": "a person, confirmed by Amazon Connect", "check-in": "its contact flow",
}

// closedWords says how a doubt was closed.
func closedWords(d doubtEnd) string {
	text := "at " + stamp(d.At) + ", " + string(d.State)
	if d.ContactID != "" {
		text += ", contact " + d.ContactID
	}
	if d.From != "" {
		text += ", known from " + endFrom[d.From]
	}
	if d.Reason != "" {
		text += ": " + d.Reason
	}
	return text + by(d.Actor)
}

// by names who did something.
func by(actor string) string {
	if actor == "" {
		return ""
	}
	return " (by " + plain(actor) + ")"
}
