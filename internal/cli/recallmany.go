package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/call"
)

// many is a re-call of all calls that match, by a service.
type many struct {
	Where   []string `sep:"none" placeholder:"NAME=VALUE" help:"Instead of an id: all calls of the service that match, 500 at most. Repeatable; NAME is a filter of GET /v1/calls, or id."`
	DryRun  bool     `help:"With --where: only say how many calls it is about and which are the first 20."`
	Seen    string   `placeholder:"DIGEST" help:"With --where: the digest that --dry-run printed, or its first 12 characters, instead of typing the number of calls."`
	OrderID string   `placeholder:"ID" help:"With --where: an id of your own for the order; default: made of who asks and what is asked, so that the same command is the same order."`
}

// orderMany orders the re-calls of all calls that match.
func (x *recallCommand) orderMany(ctx context.Context, e *environment, wish call.Recall) error {
	if x.ID != "" {
		return misused("An id and --where are both given.", "Name one call, or what all of them have in common.")
	}
	filter, err := filterOf(x.Where)
	if err != nil {
		return err
	}
	r, err := e.remote()
	switch {
	case err != nil:
		return err
	case r == nil:
		return misused("--where asks a service, and none is named.", "Name it with --server, or in the variable "+ServerVariable+".")
	}
	if err := noActor(x.Actor); err != nil {
		return err
	}
	wanted := client.Recalls{OrderID: x.OrderID, Filter: filter, Reason: wish.Reason, NotAfter: wish.NotAfter, IncludeInDoubt: !wish.SparesDoubt}
	order := r.api.OrderRecalls
	if x.DryRun {
		order = r.api.RehearseRecalls
	} else if err := x.sees(ctx, r, &wanted); err != nil {
		return err
	}
	o, err := order(ctx, wanted)
	if err != nil {
		return r.told(err)
	}
	if o.InDoubt > 0 {
		fmt.Fprintf(r.Stderr, "ringonce: warning: %s may have rung, so this may be a second ring.\n", plural(o.InDoubt, "of these calls", "of these calls"))
	}
	if err := printOrder(e, o, x.JSON); err != nil {
		return err
	}
	return endWith(exitOfOrder(o))
}

// sees makes sure that a person knows how many phones will ring: the digest of a dry run says so, or the number that is typed.
func (x *recallCommand) sees(ctx context.Context, r *remote, wanted *client.Recalls) error {
	if wanted.Seen = x.Seen; x.Seen != "" {
		if len(x.Seen) < leastSeen {
			return misused("--seen is too short.", "Give at least the first 12 characters of the digest that --dry-run prints.")
		}
		return nil
	}
	dry, err := r.api.RehearseRecalls(ctx, *wanted)
	if err != nil {
		return r.told(err)
	}
	if dry.Count == 0 { // nothing new would ring: an order that is known is carried on, and another one is refused
		return nil
	}
	if r.Stdin == nil {
		return misused(plural(dry.Count, "call would ring again", "calls would ring again")+", and nobody can be asked.", "Give --seen with the digest that --dry-run prints.")
	}
	wanted.Seen = dry.Digest
	return ask(r.Stdin, r.Stderr, plural(dry.Count, "call would ring again", "calls would ring again"), dry.Count)
}

// filterOf reads the values of --where, which are called as the parameters of the list of calls.
func filterOf(where []string) (f client.RecallFilter, err error) {
	err = whereValues{
		texts: map[string]*string{
			"outcome": &f.Outcome, "producer": &f.Producer, "profile": &f.Profile, "keySpace": &f.KeySpace, "notificationId": &f.NotificationID,
			"recipientId": &f.RecipientID, "recallId": &f.RecallID, "contactId": &f.ContactID,
		},
		times: map[string]*time.Time{"acceptedAfter": &f.AcceptedAfter, "acceptedBefore": &f.AcceptedBefore},
		repeated: map[string]func(string) error{"id": appending(&f.IDs), "state": func(value string) error {
			states, err := statesOf([]string{value})
			if err == nil {
				f.States = append(f.States, string(states[0]))
			}
			return err
		}},
		example: "outcome=busy", may: "state and id",
		names: "state, outcome, producer, profile, keySpace, notificationId, recipientId, recallId, contactId, acceptedAfter, acceptedBefore or id",
	}.read(where)
	return f, err
}

// exitOfOrder says how an order ends the process that gave or confirmed it.
func exitOfOrder(o client.Order) int {
	switch {
	case o.State == orderDone && max(o.Done, o.Recalled) < o.Count: // a service of before counts re-calls alone
		return ExitRefused
	case o.State == orderWithdrawn || o.State == orderExpired: // the order of before, which nobody carries out any more
		return ExitRefused
	}
	return ExitOK
}
