package cli

import (
	"context"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/call"
)

// doubtThere is the form of a call in doubt that a service shows in a list.
func doubtThere(c client.Call) doubt {
	return doubt{
		ID: c.ID, NotificationID: c.NotificationID, RecipientID: c.RecipientID, Kind: call.Kind(c.Kind), Ring: c.Ring, Profile: c.Profile, Destination: c.Destination,
		State: call.State(c.State), Since: c.FinalAt, Code: call.Code(c.Code), Why: c.Message, Looks: c.Looks, NextLook: c.NextLook, SettledAt: c.SettledAt,
	}
}

// doubts returns the calls in doubt, at most one more than the limit.
func (r *remote) doubts(ctx context.Context, x *doubtListCommand) (found []doubt, err error) {
	for cursor := ""; len(found) <= x.Limit; {
		var page client.Page
		err := r.patiently(ctx, func() (err error) {
			page, err = r.api.Doubts(ctx, cursor, remotePage)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, c := range page.Calls {
			if x.Profile == "" || c.Profile == x.Profile {
				found = append(found, doubtThere(c))
			}
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	return found, nil
}

// doubt reads one doubt.
func (r *remote) doubt(ctx context.Context, text string) (doubtShown, error) {
	id, err := r.resolve(ctx, text)
	if err != nil {
		return doubtShown{}, err
	}
	var d client.Doubt
	err = r.patiently(ctx, func() (err error) {
		d, err = r.api.Doubt(ctx, id)
		if client.CodeOf(err) == string(codeNotInDoubt) {
			err = r.noDoubt(ctx, id)
		}
		return err
	})
	if err != nil {
		return doubtShown{}, err
	}
	s := doubtShown{doubt: doubtThere(d.Call), Sentence: d.Sentence, Attempts: attemptsThere(d.Attempts), Evidence: []evidence{}, Notes: linesThere(d.Notes), Rings: ringsThere(d.Rings)}
	s.Since, s.Code, s.Why, s.Looks, s.NextLook, s.SettledAt = d.Since, call.Code(d.Code), d.Why, d.Looks, d.NextLook, d.SettledAt
	for _, e := range d.Evidence {
		s.Evidence = append(s.Evidence, evidence{Source: e.Source, SoFar: e.SoFar, Next: e.Next, Looks: e.Looks, Last: e.LastLook, Due: e.NextLook})
	}
	if end := d.Closed; end != nil {
		s.Closed = &doubtEnd{At: end.At, State: call.State(end.State), From: end.From, ContactID: end.ContactID, Actor: end.Actor, Reason: end.Reason}
	}
	return s, nil
}

// noDoubt refuses a call that a service said is not in doubt, by what the call is now.
func (r *remote) noDoubt(ctx context.Context, id string) error {
	seen, err := r.api.Get(ctx, id)
	if err != nil {
		return err
	}
	return errNoDoubt(call.Call{ID: id, State: call.State(seen.Call.State)})
}

// closeDoubt does what the flags say to a doubt.
func (r *remote) closeDoubt(ctx context.Context, x *doubtCloseCommand, wish call.Recall) error {
	seen, err := r.get(ctx, x.ID)
	if err != nil {
		return err
	}
	if x.ContactID == "" && call.State(seen.State) != call.InDoubt {
		return errNoDoubt(call.Call{ID: seen.ID, State: call.State(seen.State)})
	}
	if x.Recall {
		return r.ringAgain(ctx, seen, wish, x.JSON)
	}
	var done client.Acted
	if x.Note != "" {
		done, err = r.api.Note(ctx, seen.ID, x.Note)
	} else {
		done, err = r.api.CloseDoubt(ctx, seen.ID, x.ContactID, x.Reason)
	}
	if client.CodeOf(err) == string(codeNotInDoubt) { // since it was seen
		err = r.noDoubt(ctx, seen.ID)
	}
	if err != nil {
		return r.told(err)
	}
	d := doubtClosed{
		ID: done.Call.ID, State: call.State(done.Call.State), Sentence: done.Sentence, ContactID: done.Call.ContactID, Actor: done.Actor, Anomaly: done.Anomaly,
	}
	if x.Note != "" {
		return x.answer(r.environment, d, noteKept)
	}
	return x.confirmed(r.environment, d, seen.ContactID == x.ContactID)
}
