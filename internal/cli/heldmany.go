package cli

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/client"
)

// heldMany is an act on all held calls that match, by a service.
type heldMany struct {
	Where   []string `sep:"none" placeholder:"NAME=VALUE" help:"Instead of an id: all held calls of the service that match, 500 at most. Repeatable; NAME is reason, producer, profile, keySpace, notificationId, recipientId, acceptedAfter, acceptedBefore or id."`
	DryRun  bool     `help:"With --where: only say how many calls it is about and which are the first 20."`
	Seen    string   `placeholder:"DIGEST" help:"With --where: the digest that --dry-run printed, or its first 12 characters, instead of typing the number of calls."`
	OrderID string   `placeholder:"ID" help:"With --where: an id of your own for the order; default: made of who asks, what is asked and what was seen."`
}

// heldOrdering is one of the two acts.
type heldOrdering struct {
	rehearse, order func(ctx context.Context, h client.HeldOrder) (client.Order, error)
	one, more       string // what would become of one call, and of several
}

func (r *remote) releasing() heldOrdering {
	return heldOrdering{r.api.RehearseRelease, r.api.ReleaseMany, "held call would be released", "held calls would be released"}
}

func (r *remote) dropping() heldOrdering {
	return heldOrdering{r.api.RehearseDrop, r.api.DropMany, "held call would be dropped", "held calls would be dropped"}
}

// misuse says what is wrong with the arguments; nil when one call is named, or a service and what its calls have in common.
func (x *heldMany) misuse(id string, r *remote) error {
	switch {
	case len(x.Where) == 0 && (x.DryRun || x.Seen != "" || x.OrderID != ""):
		return misused("--dry-run, --seen and --order-id go with --where.", "Leave them out for one call.")
	case len(x.Where) == 0 && id == "":
		return misused("No call is named.", "Give its id, or --where for all that match.")
	case len(x.Where) > 0 && id != "":
		return misused("An id and --where are both given.", "Name one call, or what all of them have in common.")
	case len(x.Where) > 0 && r == nil:
		return misused("--where asks a service, and none is named.", "Name it with --server, or in the variable "+ServerVariable+".")
	}
	return nil
}

// run orders the act for all held calls that match.
func (x *heldMany) run(ctx context.Context, r *remote, act heldOrdering, reason string, asJSON bool) error {
	choice, err := heldChoiceOf(x.Where)
	if err != nil {
		return err
	}
	wanted := client.HeldOrder{OrderID: x.OrderID, Choice: choice, Reason: reason}
	order := act.order
	if x.DryRun {
		order = act.rehearse
	} else if err := x.sees(ctx, r, act, &wanted); err != nil {
		return err
	}
	o, err := order(ctx, wanted)
	if err != nil {
		return r.told(err)
	}
	if err := printOrder(r.environment, o, asJSON); err != nil {
		return err
	}
	return endWith(exitOfOrder(o))
}

// sees makes sure that a person knows how many calls it is about: the digest of a dry run says so, or the number that is typed.
func (x *heldMany) sees(ctx context.Context, r *remote, act heldOrdering, wanted *client.HeldOrder) error {
	if wanted.Seen = x.Seen; x.Seen != "" {
		if len(x.Seen) < leastSeen {
			return misused("--seen is too short.", "Give at least the first 12 characters of the digest that --dry-run prints.")
		}
		return nil
	}
	dry, err := act.rehearse(ctx, *wanted)
	if err != nil {
		return r.told(err)
	}
	wanted.Seen = dry.Digest
	if dry.Count == 0 { // the service says why
		return nil
	}
	if r.Stdin == nil {
		return misused(plural(dry.Count, act.one, act.more)+", and nobody can be asked.", "Give --seen with the digest that --dry-run prints.")
	}
	return ask(r.Stdin, r.Stderr, plural(dry.Count, act.one, act.more), dry.Count)
}

// heldChoiceOf reads the values of --where.
func heldChoiceOf(where []string) (f client.HeldChoice, err error) {
	err = whereValues{
		texts: map[string]*string{
			"producer": &f.Producer, "profile": &f.Profile, "keySpace": &f.KeySpace, "notificationId": &f.NotificationID, "recipientId": &f.RecipientID,
		},
		times:    map[string]*time.Time{"acceptedAfter": &f.AcceptedAfter, "acceptedBefore": &f.AcceptedBefore},
		repeated: map[string]func(string) error{"reason": appending(&f.Reasons), "id": appending(&f.IDs)},
		example:  "reason=quiet_hours", may: "reason and id",
		names: "reason, producer, profile, keySpace, notificationId, recipientId, acceptedAfter, acceptedBefore or id",
	}.read(where)
	return f, err
}
