package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// doubtCloseCommand is a person's word about a doubt. Only a contact id closes it; a note decides nothing; a re-call leaves it as it is and
// makes a further ring.
type doubtCloseCommand struct {
	ID        string `arg:"" help:"A call's id, or at least its first 6 characters."`
	ContactID string `placeholder:"CONTACT" help:"It rang: the id of its contact, which Amazon Connect has to confirm."`
	Note      string `placeholder:"TEXT" help:"Write this beside it. It decides nothing: the call stays in doubt, and the command ends with 4."`
	Recall    bool   `help:"Ring again, once no dial of it can be accepted any more. It needs --reason and --although-it-may-have-rung."`
	Reason    string `placeholder:"TEXT" help:"Why; it is kept in the history."`
	Actor     string `placeholder:"NAME" help:"Who decided it; default: the user of this process. Through a service it is the owner of the key."`
	NotAfter  string `placeholder:"TIME" help:"With --recall: no ring after this time, in RFC 3339."`
	JSON      bool   `help:"Print one JSON object."`

	AlthoughItMayHaveRung bool `help:"With --recall: the phone may ring a second time."`
}

// doubtClosed is the JSON form of the answer to a contact id or a note.
type doubtClosed struct {
	ID        string     `json:"id"`
	State     call.State `json:"state"`
	Sentence  string     `json:"sentence"`
	Closed    bool       `json:"closed"`
	ContactID string     `json:"contactId,omitempty"`
	Actor     string     `json:"actor,omitempty"`
	Anomaly   bool       `json:"anomaly,omitempty"` // the contact must not exist: the call has another one, or is known not to have rung
}

// Run implements the command.
func (x *doubtCloseCommand) Run(ctx context.Context, e *environment) (err error) {
	if err := x.check(); err != nil {
		return err
	}
	wish, err := wishOf(call.Recall{Actor: e.actorOf(x.Actor), Reason: x.Reason, SparesDoubt: !x.AlthoughItMayHaveRung}, x.NotAfter)
	if err != nil {
		return err
	}
	r, err := e.remoteAct(x.Actor)
	if err != nil {
		return err
	}
	if r != nil {
		return r.closeDoubt(ctx, x, wish)
	}
	return e.doOnCall(ctx, x.ID, deed{action: "closeDoubt", actor: wish.Actor, reason: cmp.Or(x.Note, x.Reason), guarded: true}, func(a *app.App, id string) error {
		row, err := get(ctx, a, id)
		if err != nil {
			return err
		}
		switch {
		case x.Recall:
			if row.State != call.InDoubt {
				return errNoDoubt(row)
			}
			return ringAgain(ctx, e, a, id, wish, x.JSON)
		case x.Note != "":
			return x.annotate(ctx, e, a, row)
		}
		return x.contact(ctx, e, a, row)
	})
}

// check refuses flags that do not say one thing.
func (x *doubtCloseCommand) check() error {
	ways := 0
	for _, given := range []bool{x.ContactID != "", x.Note != "", x.Recall} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return misused("One of --contact-id, --note and --recall is needed.", "Give --contact-id if it rang, --note to write something down, --recall to ring again.")
	case x.Recall && x.Reason == "":
		return misused("--recall needs --reason.", "Say why the phone should ring again.")
	case !x.Recall && (x.AlthoughItMayHaveRung || x.NotAfter != ""):
		return misused("--although-it-may-have-rung and --not-after belong to --recall.", "Leave them out, or give --recall.")
	case x.Note != "" && x.Reason != "":
		return misused("A note is its own reason.", "Leave --reason out.")
	}
	return nil
}

func (x *doubtCloseCommand) annotate(ctx context.Context, e *environment, a *app.App, row call.Call) error {
	if row.State != call.InDoubt {
		return errNoDoubt(row)
	}
	row, err := a.Engine.Annotate(ctx, row.ID, x.Note, e.actorOf(x.Actor))
	if err != nil {
		return err
	}
	return x.answer(e, x.closed(e, row), noteKept)
}

func (x *doubtCloseCommand) contact(ctx context.Context, e *environment, a *app.App, row call.Call) error {
	known := row.ContactID == x.ContactID
	if !known {
		var err error
		if row, err = a.Engine.CloseDoubt(ctx, row.ID, x.ContactID, e.actorOf(x.Actor), x.Reason); err != nil {
			return err
		}
	}
	return x.confirmed(e, x.closed(e, row), known)
}

// closed is the answer that a row makes.
func (x *doubtCloseCommand) closed(e *environment, row call.Call) doubtClosed {
	return doubtClosed{
		ID: row.ID, State: row.State, Sentence: row.Sentence(), ContactID: row.ContactID, Actor: e.actorOf(x.Actor),
		Anomaly: x.ContactID != "" && slices.Contains(row.Anomalies, x.ContactID),
	}
}

// noteKept is the answer to a note.
const noteKept = "the note is kept, and decides nothing"

// confirmed prints the answer to a contact id; known says that the call had this contact before.
func (x *doubtCloseCommand) confirmed(e *environment, d doubtClosed, known bool) error {
	switch {
	case known:
		d.Closed = true
		return x.answer(e, d, "it was closed already by this contact")
	case d.Anomaly:
		if err := x.answer(e, d, "ANOMALY: Amazon Connect shows contact "+plain(x.ContactID)+" as one of this call, and it must not exist; it is kept"); err != nil {
			return err
		}
		return endWith(ExitRefused)
	}
	d.Closed = d.State == call.Placed
	return x.answer(e, d, "Amazon Connect confirms the contact")
}

// answer prints what became of the call, and ends by it: a doubt that is left ends with 4.
func (x *doubtCloseCommand) answer(e *environment, d doubtClosed, why string) error {
	var err error
	if x.JSON {
		err = printJSON(e.Stdout, d)
	} else {
		_, err = fmt.Fprintf(e.Stdout, "call %s is %s: %s\n%s\n", short(d.ID), d.State, plain(d.Sentence), why)
	}
	if err != nil || d.Closed {
		return err
	}
	return endWith(outcomeExits[call.MetState(d.State)])
}
