package cli

import (
	"context"
	"errors"
	"time"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// showCommand shows one call.
type showCommand struct {
	ID   string `arg:"" help:"A call's id, or at least its first 6 characters."`
	JSON bool   `help:"Print one JSON object."`
}

// shown is the JSON form of a call with everything around it. Phone numbers are masked.
type shown struct {
	listed
	Sentence    string         `json:"sentence"` // what the state means
	Cause       call.Cause     `json:"cause"`
	Profile     string         `json:"profile,omitempty"`
	RequestedAt time.Time      `json:"requestedAt,omitzero"`
	Tier        call.Tier      `json:"requestedAtTier,omitempty"`
	NotAfter    time.Time      `json:"notAfter,omitzero"`
	TimeZone    string         `json:"timeZone,omitempty"`    // of the recipient, as asked
	ContactFrom string         `json:"contactFrom,omitempty"` // answer, event, search or person
	Sight       *call.Sight    `json:"sight,omitempty"`       // what is known of the contact's life
	SettledAt   time.Time      `json:"settledAt,omitzero"`    // when the last open attempt can no longer be accepted
	Anomalies   []string       `json:"anomalies,omitempty"`   // contact ids that must not exist
	AskedToken  string         `json:"askedToken,omitempty"`  // the request's own clientToken, which the recipe does not use
	Flags       []string       `json:"flags,omitempty"`       // token_ignored
	Attempts    []attempt      `json:"attempts"`
	Timeline    []timelineLine `json:"timeline"`
	Suppressed  suppressions   `json:"suppressed"`
	Conflicts   []noted        `json:"conflicts,omitempty"`
	LinkedTo    string         `json:"linkedTo,omitempty"`   // the call whose key lacks this key's recallId
	LinkedFrom  []string       `json:"linkedFrom,omitempty"` // of those that are known: calls with a recallId that are linked to this one
	Rings       []ringLink     `json:"rings"`                // all rings of the key, this one included

	holding
	lived
}

// tokenIgnored flags a call whose request brought a clientToken that the recipe does not use.
const tokenIgnored = "token_ignored"

// suppressions are the deliveries that this call answered without dialing.
type suppressions struct {
	Count int     `json:"count"` // also those whose text was not kept
	Kept  []noted `json:"kept"`
}

// noted is a delivery beside a call.
type noted struct {
	At       time.Time     `json:"at"`
	Reason   string        `json:"reason"`
	By       string        `json:"by"` // the call that justified it
	Delivery *call.Arrival `json:"delivery,omitempty"`
}

// ringLink is one ring of a key.
type ringLink struct {
	ID    string     `json:"id"`
	Ring  int        `json:"ring"`
	State call.State `json:"state,omitempty"` // empty: claimed, and its row is not there yet
	Cause call.Cause `json:"cause,omitempty"`
}

// Run implements the command.
func (x *showCommand) Run(ctx context.Context, e *environment) (err error) {
	r, err := e.remote()
	if err != nil {
		return err
	}
	if r != nil {
		return r.show(ctx, x.ID, x.JSON)
	}
	return e.onCall(ctx, opening{readOnly: true}, x.ID, func(a *app.App, id string) error {
		s, err := look(ctx, a, id)
		if err != nil {
			return err
		}
		if x.JSON {
			return printJSON(e.Stdout, s)
		}
		return s.text(e.Stdout, a.Clock.Now())
	})
}

// look reads a call with its history, its notes and the other rings of its key.
func look(ctx context.Context, a *app.App, id string) (shown, error) {
	row, err := get(ctx, a, id)
	if err != nil {
		return shown{}, err
	}
	first, err := firstOf(ctx, a, row)
	if err != nil {
		return shown{}, err
	}
	events, err := eventsOf(ctx, a, id)
	if err != nil {
		return shown{}, err
	}
	notes, err := a.Store.Journal.Notes(ctx, id)
	if err != nil {
		return shown{}, err
	}
	s := shown{
		listed: list(row, first), Sentence: row.Sentence(), Cause: row.Cause, Profile: row.Profile, RequestedAt: row.RequestedAt, Tier: row.Tier,
		NotAfter: row.NotAfter, TimeZone: row.Zone, ContactFrom: row.ContactFrom, Sight: row.Sight, SettledAt: row.SettledAt(), Anomalies: row.Anomalies, LinkedTo: row.LinkedTo,
		Attempts: attemptsOf(events), Timeline: timelineOf(row, events), Suppressed: suppressions{Count: notes.Suppressed, Kept: []noted{}},
	}
	s.holding, s.lived = holdingOf(row, first), livedOf(row, first)
	if s.AskedToken = row.AskedToken; s.AskedToken != "" {
		s.Flags = append(s.Flags, tokenIgnored)
	}
	for _, note := range notes.Kept {
		n := noted{At: note.At, Reason: note.Reason, By: note.RowID, Delivery: note.Delivery}
		switch note.Kind {
		case call.NoteSuppressed:
			s.Suppressed.Kept = append(s.Suppressed.Kept, n)
		case call.NoteConflict, call.NoteRefused:
			s.Conflicts = append(s.Conflicts, n)
		}
	}
	if s.LinkedFrom, err = linkedTo(ctx, a, first); err != nil {
		return s, err
	}
	s.Rings, err = ringsOf(ctx, a, first)
	return s, err
}

// eventsOf reads the history of a call.
func eventsOf(ctx context.Context, a *app.App, id string) ([]call.Event, error) {
	entries, err := a.Store.Index.History(ctx, id)
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

// mostLinked bounds how many calls of a recipient are looked through for those that are linked to one.
const mostLinked = 100

// linkedTo returns the calls with a recallId whose key is otherwise that of a call: those among the recipient's latest ones.
func linkedTo(ctx context.Context, a *app.App, first call.Call) ([]string, error) {
	if first.IsForgotten() || first.Key.RecallID != "" {
		return nil, nil
	}
	ids, err := a.Store.Index.ByRecipient(ctx, a.Engine.Naming.Recipient(first.Key.KeySpace, first.Key.RecipientID), mostLinked)
	if err != nil {
		return nil, err
	}
	var linked []string
	for _, id := range ids {
		c, err := a.Store.Ledger.Get(ctx, id)
		switch {
		case errors.Is(err, call.ErrNotFound):
		case err != nil:
			return nil, err
		case c.LinkedTo == first.ID && c.Ring == 0:
			linked = append(linked, c.ID)
		}
	}
	return linked, nil
}

func ringsOf(ctx context.Context, a *app.App, first call.Call) ([]ringLink, error) {
	rings := []ringLink{{ID: first.ID, Ring: first.Ring, State: first.State, Cause: first.Cause}}
	if first.IsForgotten() { // its key is gone, and with it the ids of the others
		return rings, nil
	}
	for ring := first.Ring + 1; ring <= first.LastRing; ring++ {
		id := a.Engine.Naming.Row(first.Key, ring)
		row, err := a.Store.Ledger.Get(ctx, id)
		if err != nil && !errors.Is(err, call.ErrNotFound) {
			return nil, err
		}
		rings = append(rings, ringLink{ID: id, Ring: ring, State: row.State, Cause: row.Cause})
	}
	return rings, nil
}
