package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/call"
)

// suppressedCommand lists the deliveries that were answered without dialing.
type suppressedCommand struct {
	ID       string   `arg:"" optional:"" help:"Only those of this call: its id, or at least its first 6 characters."`
	Kind     []string `placeholder:"KIND" help:"Only deliveries of this kind, repeatable: suppressed, conflict, refused."`
	Producer string   `placeholder:"NAME" help:"Only those of calls that this producer asked for."`
	Profile  string   `placeholder:"NAME" help:"Only those of calls of this profile."`
	KeySpace string   `placeholder:"NAME" help:"Only those of calls of this key space."`
	Since    string   `placeholder:"TIME" help:"Only deliveries of this time, in RFC 3339, or later."`
	Until    string   `placeholder:"TIME" help:"Only deliveries before this time, in RFC 3339."`
	Limit    int      `default:"100" placeholder:"N" help:"At most so many."`
	JSON     bool     `help:"Print one JSON object a delivery."`
}

// suppressedLine is the JSON form of a delivery in the list, with the call that answered it.
type suppressedLine struct {
	CallID         string        `json:"callId"`
	NotificationID string        `json:"notificationId"`
	RecipientID    string        `json:"recipientId"`
	KeySpace       string        `json:"keySpace,omitempty"`
	Ring           int           `json:"ring"`
	State          call.State    `json:"state"`
	At             time.Time     `json:"at"`
	Kind           call.NoteKind `json:"kind"`
	Reason         string        `json:"reason"`
	Source         call.Source   `json:"source,omitempty"`
	Delivery       string        `json:"delivery,omitempty"`
}

// Run implements the command.
func (x *suppressedCommand) Run(ctx context.Context, e *environment) (err error) {
	which, err := x.which()
	if err != nil {
		return err
	}
	r, err := e.remote()
	if err != nil {
		return err
	}
	if r != nil {
		lines, more, err := r.suppressed(ctx, which, x.ID, x.Limit)
		if err != nil {
			return err
		}
		return x.print(e, lines, more)
	}
	a, err := e.openLedger(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	lines, more, err := x.beside(ctx, a, which)
	if err != nil {
		return err
	}
	return x.print(e, lines, more)
}

// mostSuppressed bounds a list, which is held in memory.
const mostSuppressed = 100_000

// which is what the flags choose, but for the id.
func (x *suppressedCommand) which() (f client.SuppressedFilter, err error) {
	if x.Limit < 1 || x.Limit > mostSuppressed {
		return f, misused("--limit is out of bounds.", fmt.Sprintf("Give 1 to %d, and a stretch with --since and --until.", mostSuppressed))
	}
	f.Kinds, f.Producer, f.Profile, f.KeySpace = x.Kind, x.Producer, x.Profile, x.KeySpace
	for _, kind := range x.Kind {
		if !slices.Contains([]call.NoteKind{call.NoteSuppressed, call.NoteConflict, call.NoteRefused}, call.NoteKind(kind)) {
			return f, misused("--kind has the unknown value "+strconv.Quote(kind)+".", "Use suppressed, conflict or refused.")
		}
	}
	for _, bound := range []struct {
		flag, text string
		to         *time.Time
	}{{"--since", x.Since, &f.Since}, {"--until", x.Until, &f.Until}} {
		if bound.text == "" {
			continue
		}
		if *bound.to, err = time.Parse(time.RFC3339, bound.text); err != nil {
			return f, misused(bound.flag+" is no time.", "Write it like 2026-11-29T03:00:00Z.")
		}
	}
	return f, nil
}

func (x *suppressedCommand) print(e *environment, lines []suppressedLine, more bool) error {
	if x.JSON {
		for _, l := range lines {
			if err := printJSON(e.Stdout, l); err != nil {
				return err
			}
		}
		return nil
	}
	if len(lines) == 0 {
		_, err := fmt.Fprintln(e.Stdout, "no deliveries")
		return err
	}
	rows := [][]string{{"AT", "KIND", "REASON", "CALL", "STATE", "NOTIFICATION", "RECIPIENT", "RING", "DELIVERY"}}
	for _, l := range lines {
		rows = append(rows, []string{
			stamp(l.At), string(l.Kind), l.Reason, short(l.CallID), string(l.State), shownID(l.NotificationID), shownID(l.RecipientID), strconv.Itoa(l.Ring),
			dash(strings.TrimSpace(string(l.Source) + " " + l.Delivery)),
		})
	}
	if err := table(e.Stdout, rows); err != nil || !more {
		return err
	}
	_, err := fmt.Fprintf(e.Stdout, "there are more; --limit shows more than %d\n", x.Limit)
	return err
}
