package cli

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/call"
)

// listedThere is the form of a call that a service shows.
func listedThere(c client.Call) listed {
	l := listed{
		ID: c.ID, NotificationID: c.NotificationID, RecipientID: c.RecipientID, RecallID: c.RecallID, KeySpace: c.KeySpace, Kind: call.Kind(c.Kind), Ring: c.Ring,
		Destination: c.Destination, ClientToken: c.ClientToken, ContactID: c.ContactID, PlacedAt: c.PlacedAt, State: call.State(c.State), Outcome: call.ContactOutcome(c.Outcome),
		RecallCount: c.RecallCount, AcceptedAt: c.AcceptedAt, FinalAt: c.FinalAt, Forgotten: c.ForgottenAt, Due: c.Due, DueReason: c.DueReason,
	}
	if c.Code != "" {
		l.Error = &callError{Code: call.Code(c.Code), Message: c.Message}
	}
	return l
}

// list returns up to so many calls, and whether there are more.
func (r *remote) list(ctx context.Context, which client.RecallFilter, number call.Phone, limit int) (calls []listed, more bool, err error) {
	filter := inService(which)
	filter.Limit, filter.Number = min(remotePage, limit+1), number.Wire()
	for c, err := range r.calls(ctx, filter) {
		if err != nil {
			return nil, false, err
		}
		if len(calls) == limit {
			return calls, true, nil
		}
		calls = append(calls, listedThere(c))
	}
	return calls, false, nil
}

// look reads a call with its timeline and the deliveries it answered.
func (r *remote) look(ctx context.Context, id string) (shown, error) {
	var (
		d    client.Detail
		kept client.Deliveries
	)
	err := r.patiently(ctx, func() (err error) {
		if d, err = r.api.Get(ctx, id); err == nil {
			kept, err = r.api.Suppressed(ctx, id)
		}
		return err
	})
	if err != nil {
		return shown{}, err
	}
	s := shown{
		listed: listedThere(d.Call), Sentence: d.Sentence, Cause: call.Cause(d.Cause), Profile: d.Call.Profile, RequestedAt: d.RequestedAt,
		Tier: call.Tier(d.RequestedAtTier), NotAfter: d.NotAfter, TimeZone: d.TimeZone, SettledAt: d.SettledAt, Timeline: linesThere(d.Timeline),
		Suppressed: suppressions{Count: d.Suppressed, Kept: []noted{}}, Attempts: attemptsThere(d.Attempts), ContactFrom: d.ContactFrom,
		Sight: sightThere(d.Sight), Anomalies: d.Anomalies, AskedToken: d.AskedToken, LinkedTo: d.LinkedTo, LinkedFrom: d.LinkedFrom,
		lived:   lived{Followup: d.Followup, EscalatedTo: d.EscalatedTo, EscalatedFor: d.EscalatedFrom, Left: d.EscalationLeft},
		holding: holding{Producer: d.Call.Producer, Urgent: d.Urgent, ReleasedBy: d.ReleasedBy, Acknowledged: d.AcknowledgedAt},
	}
	s.CanceledLate = tooLate(call.Call{TooLate: d.TooLate, PlacedAt: d.Call.PlacedAt, Sight: s.Sight})
	if s.AskedToken != "" {
		s.Flags = append(s.Flags, tokenIgnored)
	}
	if s.State == call.Received {
		s.HeldFor = holdReason(call.Call{DueReason: d.Call.DueReason, Cause: s.Cause})
	}
	for _, k := range kept.Kept {
		n := noted{At: k.At, Reason: k.Reason, By: d.Call.ID}
		if k.Source != "" {
			n.Delivery = &call.Arrival{Source: call.Source(k.Source), ID: k.Delivery}
		}
		if call.NoteKind(k.Kind) == call.NoteSuppressed {
			s.Suppressed.Kept = append(s.Suppressed.Kept, n)
		} else {
			s.Conflicts = append(s.Conflicts, n)
		}
	}
	s.Rings = ringsThere(d.Rings)
	return s, nil
}

// openThere is how a service calls the state of an attempt that nothing answered.
const openThere = "open"

func attemptsThere(told []client.Attempt) []attempt {
	attempts := make([]attempt, 0, len(told))
	for _, t := range told {
		a := attempt{
			ID: t.ID, OpenedAt: t.OpenedAt, LeaseEnd: t.LeaseEnd, Answered: t.AnsweredAt, TookMS: t.TookMS, Took: time.Duration(t.TookMS) * time.Millisecond,
			Code: call.Code(t.Code), Message: t.Message, ContactID: t.ContactID, Phantom: t.Phantom,
		}
		if t.State != openThere {
			a.Outcome = call.Class(t.State)
		}
		attempts = append(attempts, a)
	}
	return attempts
}

func sightThere(s *client.Sight) *call.Sight {
	if s == nil {
		return nil
	}
	return &call.Sight{
		Initiated: s.Initiated, Connected: s.Connected, Queued: s.Queued, Agent: s.Agent, Disconnected: s.Disconnected, Reason: call.Remark(s.Reason),
		Machine: call.Remark(s.Machine), CheckedIn: s.CheckedIn, Key: call.Remark(s.Key), Confirmed: s.Confirmed, Unwanted: s.Unwanted, Described: s.Described,
	}
}

func ringsThere(rings []client.Ring) []ringLink {
	links := make([]ringLink, len(rings))
	for i, ring := range rings {
		links[i] = ringLink{ID: ring.ID, Ring: ring.Ring, State: call.State(ring.State), Cause: call.Cause(ring.Cause)}
	}
	return links
}

func linesThere(lines []client.Line) []timelineLine {
	told := make([]timelineLine, 0, len(lines))
	for _, l := range lines {
		told = append(told, timelineLine{
			At: l.At, AfterMS: l.AfterMS, Kind: call.EventKind(l.Kind), What: l.What, Actor: l.Actor, After: time.Duration(l.AfterMS) * time.Millisecond,
		})
	}
	return told
}

// show prints one call.
func (r *remote) show(ctx context.Context, text string, asJSON bool) error {
	id, err := r.resolve(ctx, text)
	if err != nil {
		return err
	}
	s, err := r.look(ctx, id)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(r.Stdout, s)
	}
	return s.text(r.Stdout, r.Clock.Now())
}
