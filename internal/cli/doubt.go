package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// doubtGroup holds the commands about calls in doubt (docs/doubts.md).
type doubtGroup struct {
	remoteFlags

	List  doubtListCommand  `cmd:"" help:"List the calls in doubt, newest first."`
	Show  doubtShowCommand  `cmd:"" help:"Show what is known about one doubt, and what would decide it."`
	Close doubtCloseCommand `cmd:"" help:"Close a doubt by a contact id, write a note beside it, or ring again although it may have rung."`
}

// doubtListCommand lists the calls in doubt.
type doubtListCommand struct {
	Profile string `placeholder:"NAME" help:"Only calls of this profile."`
	Limit   int    `default:"100" placeholder:"N" help:"At most so many."`
	JSON    bool   `help:"Print one JSON object a call."`
}

// doubt is the JSON form of a call in doubt. Phone numbers are masked.
type doubt struct {
	ID             string     `json:"id"`
	NotificationID string     `json:"notificationId"`
	RecipientID    string     `json:"recipientId"`
	Kind           call.Kind  `json:"kind"`
	Ring           int        `json:"ring"`
	Profile        string     `json:"profile,omitempty"`
	Destination    string     `json:"destination,omitempty"` // masked
	State          call.State `json:"state"`
	Since          time.Time  `json:"since,omitzero"`
	Code           call.Code  `json:"code,omitempty"`
	Why            string     `json:"why,omitempty"`
	Looks          int        `json:"looks"`              // looks for evidence that found nothing
	NextLook       time.Time  `json:"nextLook,omitzero"`  // zero: no further look is planned
	SettledAt      time.Time  `json:"settledAt,omitzero"` // when no dial of it can be accepted any more, so that a person may ring again
}

// Run implements the command.
func (x *doubtListCommand) Run(ctx context.Context, e *environment) (err error) {
	if x.Limit < 1 {
		return misused("--limit is not positive.", "Give at least 1.")
	}
	r, err := e.remote()
	if err != nil {
		return err
	}
	if r != nil {
		doubts, err := r.doubts(ctx, x)
		if err != nil {
			return err
		}
		return x.print(e, doubts)
	}
	a, err := e.openLedger(ctx, opening{readOnly: true})
	if err != nil {
		return err
	}
	defer closing(a, &err)
	var doubts []doubt
	filter := call.Filter{States: []call.State{call.InDoubt}, Limit: listPage}
	for more := true; more && len(doubts) <= x.Limit; {
		page, next, err := a.Store.Index.List(ctx, filter)
		if err != nil {
			return err
		}
		for _, row := range page {
			if d := doubtOf(a, row); x.Profile == "" || d.Profile == x.Profile {
				doubts = append(doubts, d)
			}
		}
		filter.Cursor, more = next, next != ""
	}
	return x.print(e, doubts)
}

func doubtOf(a *app.App, row call.Call) doubt {
	d := doubt{
		ID: row.ID, NotificationID: row.Key.NotificationID, RecipientID: row.Key.RecipientID, Kind: cmp.Or(row.Key.Kind, call.KindVoice), Ring: row.Ring,
		Profile: profileName(a, row), Destination: row.Phone().String(), State: row.State, Code: row.Code, Why: row.Message, Looks: row.Looks, SettledAt: row.SettledAt(),
	}
	if row.State == call.InDoubt {
		d.Since, d.NextLook = row.FinalAt, row.Due
	}
	return d
}

// profileName is the name of the profile that a call is dialed with: the one it asked for, or the default.
func profileName(a *app.App, row call.Call) string {
	if p, ok := a.Engine.Profile(row.Profile); ok && row.Profile == "" {
		return p.Name
	}
	return row.Profile
}

// print prints what was found, as far as the limit goes.
func (x *doubtListCommand) print(e *environment, found []doubt) error {
	doubts := found[:min(x.Limit, len(found))]
	if x.JSON {
		for _, d := range doubts {
			if err := printJSON(e.Stdout, d); err != nil {
				return err
			}
		}
		return nil
	}
	if len(doubts) == 0 {
		_, err := fmt.Fprintln(e.Stdout, "no call is in doubt")
		return err
	}
	now := e.Clock.Now()
	rows := [][]string{{"CALL", "SINCE", "PROFILE", "NOTIFICATION", "RECIPIENT", "RING", "NUMBER", "WHY", "LOOKS", "NEXT LOOK"}}
	for _, d := range doubts {
		rows = append(rows, []string{
			short(d.ID), stamp(d.Since), d.Profile, shownID(d.NotificationID), shownID(d.RecipientID), strconv.Itoa(d.Ring), d.Destination, string(d.Code),
			strconv.Itoa(d.Looks), d.nextLook(now),
		})
	}
	if err := table(e.Stdout, rows); err != nil {
		return err
	}
	last := "none of them is ever dialed again by itself; see one with: ringonce doubt show CALL"
	if len(found) > len(doubts) {
		last = fmt.Sprintf("there are more; --limit shows more than %d\n%s", x.Limit, last)
	}
	_, err := fmt.Fprintln(e.Stdout, last)
	return err
}

// nextLook says when evidence is looked for next.
func (d doubt) nextLook(now time.Time) string {
	if d.NextLook.IsZero() {
		return "none planned"
	}
	return in(d.NextLook.Sub(now))
}
