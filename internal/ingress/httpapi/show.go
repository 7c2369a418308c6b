package httpapi

import (
	"context"
	"errors"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/timeline"
)

// GetCall implements oas.Handler.
func (a *api) GetCall(ctx context.Context, p oas.GetCallParams) (*oas.CallDetail, error) {
	row, err := a.seen(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	shown, err := a.view(ctx, row)
	if err != nil {
		return nil, err
	}
	first, err := a.firstOf(ctx, row)
	if err != nil {
		return nil, err
	}
	events, err := a.events(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	notes, err := a.Journal.Notes(ctx, row.ID)
	if err != nil {
		return nil, err
	}
	d := &oas.CallDetail{
		Call: shown, Sentence: row.Sentence(), Cause: string(row.Cause), RequestedAt: instant(row.RequestedAt), RequestedAtTier: text(string(row.Tier)),
		NotAfter: instant(row.NotAfter), TimeZone: text(row.Zone), Urgent: flag(row.Urgent), ReleasedBy: text(row.Released),
		AcknowledgedAt: instant(first.Acknowledged), SettledAt: instant(row.SettledAt()), Attempts: attempts(row, events, tells(ctx, row)),
		Suppressed: notes.Suppressed, Timeline: linesOf(timeline.Of(row, events)), ContactFrom: text(row.ContactFrom), Sight: sightOf(row.Sight), Anomalies: row.Anomalies,
		TooLate: instant(row.TooLate), Followup: text(row.Followup),
	}
	d.AttemptCount = len(d.Attempts)
	if tells(ctx, row) {
		d.AskedToken = text(row.AskedToken)
	}
	if err := a.links(ctx, d, row, first); err != nil {
		return nil, err
	}
	d.Rings, err = a.rings(ctx, first)
	return d, err
}

// links fills in which other calls a call has to do with. They are of its key space, as no link leads out of one.
func (a *api) links(ctx context.Context, d *oas.CallDetail, row, first call.Call) (err error) {
	d.LinkedTo, d.EscalatedTo, d.EscalatedFrom = text(row.LinkedTo), text(first.EscalatedTo), text(first.EscalatedFrom)
	if left := len(first.Escalation); left > 0 {
		d.EscalationLeft = oas.NewOptInt(left)
	}
	d.LinkedFrom, err = a.linkedFrom(ctx, first)
	return err
}

// mostLinked bounds how many calls of a recipient are looked through for those that are linked to one.
const mostLinked = 100

// linkedFrom returns the calls with a recallId whose key is otherwise that of a call: those among the recipient's latest ones.
func (a *api) linkedFrom(ctx context.Context, first call.Call) (linked []string, err error) {
	if first.IsForgotten() || first.Key.RecallID != "" {
		return nil, nil
	}
	ids, err := a.Index.ByRecipient(ctx, a.Engine.Naming.Recipient(first.Key.KeySpace, first.Key.RecipientID), mostLinked)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		switch row, err := a.Ledger.Get(ctx, id); {
		case errors.Is(err, call.ErrNotFound):
		case err != nil:
			return nil, err
		case row.LinkedTo == first.ID && row.Ring == 0:
			linked = append(linked, row.ID)
		}
	}
	return linked, nil
}

// events reads the history of a call.
func (a *api) events(ctx context.Context, id string) ([]call.Event, error) {
	entries, err := a.Index.History(ctx, id)
	if err != nil {
		return nil, err
	}
	events := make([]call.Event, len(entries))
	for i, entry := range entries {
		if events[i], err = entry.Event(); err != nil {
			return nil, err
		}
	}
	return events, nil
}

func linesOf(told []timeline.Line) []oas.TimelineLine {
	lines := make([]oas.TimelineLine, 0, len(told))
	for _, l := range told {
		lines = append(lines, oas.TimelineLine{At: l.At.UTC(), AfterMs: oas.NewOptInt64(l.AfterMS), Kind: string(l.Kind), What: l.What, Actor: text(l.Actor)})
	}
	return lines
}

// rings lists all rings of a key.
func (a *api) rings(ctx context.Context, first call.Call) ([]oas.RingLink, error) {
	links := []oas.RingLink{{ID: first.ID, Ring: first.Ring, State: oas.NewOptState(oas.State(first.State)), Cause: text(string(first.Cause))}}
	if first.IsForgotten() { // its key is gone, and with it the ids of the others
		return links, nil
	}
	for ring := first.Ring + 1; ring <= first.LastRing; ring++ {
		link := oas.RingLink{ID: a.Engine.Naming.Row(first.Key, ring), Ring: ring}
		row, err := a.Ledger.Get(ctx, link.ID)
		switch {
		case err == nil:
			link.State, link.Cause = oas.NewOptState(oas.State(row.State)), text(string(row.Cause))
		case !errors.Is(err, call.ErrNotFound): // one that is not there yet was claimed
			return nil, err
		}
		links = append(links, link)
	}
	return links, nil
}
