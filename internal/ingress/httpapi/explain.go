package httpapi

import (
	"cmp"
	"context"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/timeline"
)

// Explain implements oas.Handler: what would become of a request now. It is the core's own preview, beside the checks one by one; nothing is
// dialed and nothing is written.
func (a *api) Explain(ctx context.Context, _ oas.CallRequest) (*oas.Explanation, error) {
	q := askedOf(ctx)
	d, err := a.decode(q)
	if err != nil {
		return unread(q, err), nil
	}
	e := &oas.Explanation{Checks: []oas.Check{checkOf("request", nil)}}
	if places(q.who) {
		err := a.permitted(q, d.Request)
		e.Checks = append(e.Checks, checkOf("access", err))
		if err != nil {
			const why = "It depends on the profile, which you may not ask for."
			e.Checks = append(e.Checks, notLooked("key", why), a.checkNumber(d), notLooked("rules", why))
			return refused(e, err), nil
		}
	}
	e.Checks = append(e.Checks, a.checkKey(ctx, d), a.checkNumber(d), a.checkRules(ctx, d))
	p := a.Engine.Preview(ctx, d)
	row := p.Outcome.Call
	e.Verdict, e.Dials, e.Reason = string(p.Verdict), p.Verdict.Dials(), text(p.Reason)
	e.CallId, e.Code, e.Message, e.Fix = text(cmp.Or(p.Outcome.By, row.ID)), text(string(p.Outcome.Code)), text(p.Outcome.Message), text(p.Outcome.Fix)
	if p.Verdict == call.VerdictHeld {
		e.HeldFor, e.HeldUntil = text(holdReason(row)), instant(row.Due)
	}
	if p.Verdict.Dials() {
		e.Request = wireOf(row)
	}
	return e, nil
}

// places reports whether somebody asks for calls. Who only reads asks for nobody's profile.
func places(who access.Principal) bool {
	return who.Kind == access.Producer || who.May(access.RoleOperate)
}

// unread explains a body that is no request: nothing else can be looked at.
func unread(q *asked, err error) *oas.Explanation {
	e := &oas.Explanation{Checks: []oas.Check{checkOf("request", err)}}
	names := []string{"key", "number", "rules"}
	if places(q.who) {
		names = append([]string{"access"}, names...)
	}
	for _, name := range names {
		e.Checks = append(e.Checks, notLooked(name, "The request cannot be read."))
	}
	return refused(e, err)
}

// refused ends an explanation with what refuses the request.
func refused(e *oas.Explanation, err error) *oas.Explanation {
	d := problemOf(err)
	e.Verdict, e.Code, e.Message, e.Fix = string(call.VerdictRefused), text(d.Code), text(d.Detail), text(d.Fix)
	return e
}

// notLooked is a check that cannot be made, or whose answer is not for the asker.
func notLooked(name, why string) oas.Check {
	return oas.Check{Check: name, Code: text("not_looked"), Message: text(why)}
}

// wireOf shows what would be sent. The call is of the asker's own key space, so its token is told.
func wireOf(row call.Call) oas.OptWireRequest {
	w, ok := timeline.WireOf(row, true)
	if !ok {
		return oas.OptWireRequest{}
	}
	shown := oas.WireRequest{Operation: w.Operation, Region: text(w.Region), Bytes: w.Bytes, SHA256: w.SHA256, Body: w.Body, Attributes: []oas.AttributeSize{}}
	for _, a := range w.Attributes {
		shown.Attributes = append(shown.Attributes, oas.AttributeSize{Name: a.Name, Bytes: a.Bytes})
	}
	return oas.NewOptWireRequest(shown)
}

func checkOf(name string, err error) oas.Check {
	c := oas.Check{Check: name, Passes: err == nil}
	if err != nil {
		d := problemOf(err)
		c.Code, c.Message = text(d.Code), text(d.Detail)
	}
	return c
}

// checkKey says whether the ledger knows the key.
func (a *api) checkKey(ctx context.Context, d call.Delivery) oas.Check {
	id, fingerprint, err := a.Engine.Key(d)
	if err != nil {
		return checkOf("key", err)
	}
	row, err := a.Ledger.Get(ctx, id)
	switch {
	case err != nil && problemOf(err).Code == string(call.CodeNotFound):
		return checkOf("key", nil)
	case err != nil:
		return checkOf("key", err)
	case fingerprint != "" && row.Fingerprint != "" && row.Fingerprint != fingerprint:
		return oas.Check{Check: "key", Code: text(string(call.CodeConflict)), Message: text("The key was asked for before with another number, profile or attributes.")}
	}
	return oas.Check{Check: "key", Code: text("known"), Message: text("The key was asked for before: its newest ring answers.")}
}

// checkNumber says whether the configured rules let the number be rung for who asks.
func (a *api) checkNumber(d call.Delivery) oas.Check {
	if a.Engine.Permit == nil || d.Request.Destination.IsZero() {
		return checkOf("number", nil)
	}
	return checkOf("number", a.Engine.Permit(d.Request.Destination, d.Producer))
}

// checkRules says what pauses, hours, the do-not-call list and caps say to the request as a call of its own.
func (a *api) checkRules(ctx context.Context, d call.Delivery) oas.Check {
	p, known := a.Engine.Profile(d.Request.Profile)
	if a.Engine.Gate == nil || !known || d.Request.Withdraws() {
		return checkOf("rules", nil)
	}
	p = p.WithDefaults()
	now := a.Clock.Now()
	r := d.Request
	row := call.Call{
		Key:         call.Key{KeySpace: *d.KeySpace, Kind: p.Kind, NotificationID: r.NotificationID, RecipientID: r.RecipientID, RecallID: r.RecallID},
		Destination: r.Destination.Wire(), Profile: r.Profile, Producer: d.Producer, Zone: r.TimeZone, Urgent: r.Urgent, AcceptedAt: now,
		State: call.Received, Target: call.Target{Region: p.Region, InstanceID: p.InstanceID},
	}
	clear, err := a.Engine.Gate.Look(ctx, row, p, now)
	switch {
	case err != nil:
		return checkOf("rules", err)
	case clear.Refuse != nil:
		return checkOf("rules", clear.Refuse)
	case !clear.Passes():
		return oas.Check{Check: "rules", Code: text(clear.Why), Message: text("It would wait until " + clear.Until.UTC().Format("2006-01-02T15:04:05Z") + ".")}
	}
	return checkOf("rules", nil)
}
