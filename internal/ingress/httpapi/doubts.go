package httpapi

import (
	"context"
	"net/http"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/timeline"
)

// ListDoubts implements oas.Handler.
func (a *api) ListDoubts(ctx context.Context, p oas.ListDoubtsParams) (*oas.CallPage, error) {
	return a.list(ctx, p.Cursor.Value, listing{
		limit: p.Limit.Or(defaultLimit), states: []call.State{call.InDoubt}, keySpaces: spacesOf(askedOf(ctx).who, oas.OptString{}), keep: func(call.Call) bool { return true },
	})
}

// GetDoubt implements oas.Handler.
func (a *api) GetDoubt(ctx context.Context, p oas.GetDoubtParams) (*oas.Doubt, error) {
	row, err := a.seen(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	events, err := a.events(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	profile, _ := a.Engine.Profile(row.Profile)
	d, doubted := timeline.DoubtOf(row, events, profile.Unmarked)
	if !doubted {
		return nil, errNoDoubt(row)
	}
	shown, err := a.view(ctx, row)
	if err != nil {
		return nil, err
	}
	first, err := a.firstOf(ctx, row)
	if err != nil {
		return nil, err
	}
	answer := &oas.Doubt{
		Call: shown, Sentence: row.Sentence(), Since: d.Since.UTC(), Code: text(string(d.Code)), Why: text(d.Why), Looks: d.Looks, NextLook: instant(d.NextLook),
		SettledAt: instant(d.SettledAt), Attempts: attempts(row, events, tells(ctx, row)), Evidence: evidenceOf(d.Evidence), Notes: linesOf(d.Notes),
	}
	if end := d.Closed; end != nil {
		answer.Closed = oas.NewOptDoubtClosed(oas.DoubtClosed{
			At: end.At.UTC(), State: oas.State(end.State), From: text(end.From), ContactId: text(end.ContactID), Actor: text(end.Actor), Reason: text(end.Reason),
		})
	}
	answer.Rings, err = a.rings(ctx, first)
	return answer, err
}

// errNoDoubt refuses a call that is not in doubt.
func errNoDoubt(row call.Call) error {
	return refuse(http.StatusConflict, "not_in_doubt", "The call is not in doubt: it is "+string(row.State)+".", "There is nothing to close.")
}

func evidenceOf(evidence []timeline.Evidence) []oas.DoubtEvidenceItem {
	items := make([]oas.DoubtEvidenceItem, len(evidence))
	for i, e := range evidence {
		items[i] = oas.DoubtEvidenceItem{Source: e.Source, SoFar: e.SoFar, Next: e.Next, Looks: number(e.Looks), LastLook: instant(e.Last), NextLook: instant(e.Due)}
	}
	return items
}
