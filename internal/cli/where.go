package cli

import (
	"slices"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// matching are the filters of a list of calls. They are those of an order of re-calls (many.Where), so that what is ordered can be looked at before.
type matching struct {
	Where []string `sep:"none" placeholder:"NAME=VALUE" help:"Only calls that match, repeatable; NAME is a filter of GET /v1/calls, as of calls recall --where."`
}

// filter reads the filters, with the values of --state.
func (m matching) filter(states []string) (client.RecallFilter, error) {
	f, err := filterOf(m.Where)
	if err != nil {
		return f, err
	}
	if len(f.IDs) > 0 {
		return f, misused("--where names an id.", "Look at one call with ringonce calls show.")
	}
	more, err := statesOf(states)
	for _, s := range more {
		f.States = append(f.States, string(s))
	}
	return f, err
}

// inService is a filter as a service takes it.
func inService(f client.RecallFilter) client.Filter {
	return client.Filter{
		States: f.States, Outcome: f.Outcome, Producer: f.Producer, Profile: f.Profile, KeySpace: f.KeySpace, NotificationID: f.NotificationID,
		RecipientID: f.RecipientID, RecallID: f.RecallID, ContactID: f.ContactID, AcceptedAfter: f.AcceptedAfter, AcceptedBefore: f.AcceptedBefore,
	}
}

// inLedger is what an index can choose of a filter; the rest is for matches.
func inLedger(f client.RecallFilter) (chosen call.Filter) {
	for _, s := range f.States {
		chosen.States = append(chosen.States, call.State(s))
	}
	if f.KeySpace != "" {
		chosen.KeySpaces = call.InSpaces(f.KeySpace)
	}
	return chosen
}

// matches reports whether a row is what a filter chooses, as the service decides it.
func matches(a *app.App, f client.RecallFilter, row call.Call) bool {
	for _, c := range []struct{ want, is string }{
		{f.Outcome, string(row.Outcome)},
		{f.NotificationID, row.Key.NotificationID},
		{f.RecipientID, row.Key.RecipientID},
		{f.RecallID, row.Key.RecallID},
		{f.KeySpace, row.Key.KeySpace},
		{f.ContactID, row.ContactID},
	} {
		if c.want != "" && c.want != c.is {
			return false
		}
	}
	if f.Producer != "" && f.Producer != row.Producer && f.Producer != access.SenderName(row.Producer) {
		return false
	}
	return (len(f.States) == 0 || slices.Contains(f.States, string(row.State))) && (f.Profile == "" || f.Profile == profileName(a, row)) &&
		!row.AcceptedAt.Before(f.AcceptedAfter) && (f.AcceptedBefore.IsZero() || row.AcceptedAt.Before(f.AcceptedBefore))
}
