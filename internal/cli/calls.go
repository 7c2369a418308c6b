package cli

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// callsGroup holds the commands about calls.
type callsGroup struct {
	remoteFlags

	List        listCommand        `cmd:"" help:"List calls, newest first."`
	Show        showCommand        `cmd:"" help:"Show everything that is known about one call."`
	Suppressed  suppressedCommand  `cmd:"" help:"List the deliveries that were answered without dialing, newest first: those of one call, or of all."`
	Explain     whatIfCommand      `cmd:"" help:"Say what would become of a request now, and show what would be sent to Amazon Connect; nothing is dialed."`
	Place       placeCommand       `cmd:"" help:"Ask a service for a call."`
	Watch       watchCommand       `cmd:"" help:"Follow a call of a service until it has ended: print each line of its timeline."`
	Export      exportCommand      `cmd:"" help:"Write all calls as JSON lines or CSV, newest first."`
	Cancel      cancelCommand      `cmd:"" help:"Withdraw the key of a call: nothing that was requested for it until now rings any more."`
	Recall      recallCommand      `cmd:"" help:"Ring again: make the next ring of a call's key, or order the re-calls of all calls that match."`
	Acknowledge acknowledgeCommand `cmd:"" help:"Say that somebody knows: nothing rings for a call's key any more, nor for those on its list."`
	Told        toldCommand        `cmd:"" help:"Show what the producer of a call is told by webhook, and what of it was taken."`
	Tell        tellCommand        `cmd:"" help:"Tell the producer of a call again what it has not taken, or everything; through a service."`
	Forget      forgetCommand      `cmd:"" help:"Erase a recipient from every call of theirs; what rang never rings again."`
}

// fullID is the length of a call's id; shorter texts are taken as its beginning.
const (
	fullID    = 43
	leastOfID = 6
	listPage  = 500
)

// dashedID finds an id, or the beginning of one, that looks like a flag: one id in 64 begins with a dash.
var dashedID = regexp.MustCompile(`^-[A-Za-z0-9_-]{5,42}$`)

// idsLast moves ids that look like flags behind the mark that ends the flags.
func idsLast(args []string) []string {
	takesID := slices.Contains([]string{"calls", "doubt", "held"}, groupOf(args))
	if len(args) < 3 || !takesID || slices.Contains(args, "place") || slices.Contains(args, "explain") || slices.Contains(args, "--") {
		return args
	}
	var rest, ids []string
	for _, arg := range args {
		if dashedID.MatchString(arg) && !slices.Contains(callFlags, arg) {
			ids = append(ids, arg)
		} else {
			rest = append(rest, arg)
		}
	}
	if ids == nil {
		return args
	}
	return append(append(rest, "--"), ids...)
}

// groupOf is the first word that is neither a flag of every command nor its value: a key space, too, may be called calls.
func groupOf(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "--config" || args[i] == "--log-level":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}

// callFlags are the flags that a command with an id knows.
var callFlags = []string{
	"--config", "--log-level", "--help", "--json", "--reason", "--actor", "--not-after", "--state", "--limit", "--key-space", "--profile", "--summary",
	"--contact-id", "--note", "--recall", "--although-it-may-have-rung", "--server", "--api-key-file", "--cert-file", "--key-file", "--ca-file", "--csv", "--after", "--before", "--where", "--dry-run", "--order-id", "--from", "--all", "--number-file", "--seen", "--since", "--until", "--kind", "--producer",
}

// onCall opens the ledger and acts on the call that the text names.
func (e *environment) onCall(ctx context.Context, how opening, text string, act func(a *app.App, id string) error) (err error) {
	a, err := e.openLedger(ctx, how)
	if err != nil {
		return err
	}
	defer closing(a, &err)
	id, err := resolve(ctx, a, text)
	if err != nil {
		return err
	}
	return act(a, id)
}

// doOnCall does a deed on the call that the text names.
func (e *environment) doOnCall(ctx context.Context, text string, d deed, do func(a *app.App, id string) error) error {
	return e.onCall(ctx, opening{}, text, func(a *app.App, id string) error {
		d.call = id
		return e.did(ctx, a.Config, d, func() error { return do(a, id) })
	})
}

// resolve returns the id that the text names: a whole one, or the unique beginning of one.
func resolve(ctx context.Context, a *app.App, text string) (string, error) {
	if len(text) == fullID {
		return text, nil
	}
	if err := checkBeginning(text); err != nil {
		return "", err
	}
	found, err := call.ByBeginning(ctx, a.Store.Index, text, 2)
	if err != nil {
		return "", err
	}
	return onlyOf(found, text)
}

// checkBeginning refuses what cannot be the beginning of an id.
func checkBeginning(text string) error {
	odd := func(r rune) bool {
		return r != '-' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}
	if len(text) < leastOfID || len(text) > fullID || strings.ContainsFunc(text, odd) {
		return misused("The id "+plain(text)+" is no id of a call.", "Give an id of ringonce calls list, or at least its first 6 characters.")
	}
	return nil
}

// onlyOf returns the one id that was found for a beginning.
func onlyOf(found []string, text string) (string, error) {
	switch len(found) {
	case 0:
		return "", errUnknownCall()
	case 1:
		return found[0], nil
	}
	return "", misused("More than one call has an id that begins with "+text+".", "Give more of it.")
}

func errUnknownCall() error {
	return &call.Error{Code: call.CodeNotFound, Field: "id", Message: "No call has this id.", Fix: "List the calls with ringonce calls list."}
}

// get returns the row of an id.
func get(ctx context.Context, a *app.App, id string) (call.Call, error) {
	row, err := a.Store.Ledger.Get(ctx, id)
	if errors.Is(err, call.ErrNotFound) {
		return call.Call{}, errUnknownCall()
	}
	return row, err
}

// firstOf returns the first row of the key that a row belongs to; a row whose first one is missing stands for it.
func firstOf(ctx context.Context, a *app.App, row call.Call) (call.Call, error) {
	if row.Ring == 0 {
		return row, nil
	}
	id := row.FirstRow // of a forgotten row, whose key does not tell it any more
	if id == "" {
		id = a.Engine.Naming.Row(row.Key, 0)
	}
	first, err := a.Store.Ledger.Get(ctx, id)
	if errors.Is(err, call.ErrNotFound) {
		return row, nil
	}
	return first, err
}
