package call

import (
	"context"
	"time"
)

// Direct places calls without a ledger: the token alone protects. It promises G1 and G2 under reading A1, for requests younger
// than [TokenUse], with unchanged configuration (protocol.md section 9).
type Direct struct{ engine *Engine }

// NewDirect returns a caller without a ledger. It refuses every setting that needs one.
func NewDirect(c Config, profiles []Profile) (*Direct, error) {
	if c.Dialer == nil || c.Clock == nil || c.Pacer == nil || c.Observer == nil || c.Random == nil || c.Profile == nil || c.Token == nil {
		return nil, refuse(CodeConfiguration, "", "Fill every required member of call.Config.", "The caller lacks a port.")
	}
	if c.Gate != nil {
		return nil, refuse(CodeNeedsLedger, "", "Configure a ledger.", "Holding calls needs a ledger.")
	}
	for _, p := range profiles {
		field := "profiles." + p.Name
		switch {
		case p.Kind.orVoice() != KindVoice:
			return nil, refuse(CodeNeedsLedger, field+".kind", "Use kind: voice, or configure a ledger.", "Without a ledger the client token alone protects, and nobody says for how long one of a %s is honored.", p.Kind)
		case p.Resend != "" && p.Resend != ResendToken:
			return nil, refuse(CodeNeedsLedger, field+".resend", "Use resend: token, or configure a ledger.", "The policy %s needs a ledger.", p.Resend)
		case p.Window.For != 0:
			return nil, refuse(CodeNeedsLedger, field+".window", "Remove the window, or configure a ledger.", "A window needs a ledger.")
		case p.WindowReopenAny:
			return nil, refuse(CodeNeedsLedger, field+".window_reopen", "Remove it, or configure a ledger.", "A window needs a ledger.")
		case p.Paused:
			return nil, refuse(CodeNeedsLedger, field+".paused", "Remove it, or configure a ledger.", "Holding calls needs a ledger.")
		}
	}
	if c.DialTime == 0 {
		c.DialTime = 15 * time.Second
	}
	engine, err := newEngine(c, LedgerIdentity{})
	if err != nil {
		return nil, err
	}
	return &Direct{engine: engine}, nil
}

// Place answers one delivery by sending its token at most once.
func (d *Direct) Place(ctx context.Context, delivery Delivery) Outcome {
	out := d.place(WithTrace(ctx, delivery.Trace), delivery)
	out.Ack = Acknowledge(out.Met, delivery.Source, ModeNone, false)
	return out
}

// Key returns the row id and the fingerprint of a delivery, as [Engine.Key] does.
func (d *Direct) Key(delivery Delivery) (rowID, fingerprint string, err error) {
	return d.engine.Key(delivery)
}

func (d *Direct) place(ctx context.Context, delivery Delivery) Outcome {
	e := d.engine
	a, err := e.prepare(delivery)
	if err != nil {
		return e.refused(ctx, delivery, err)
	}
	if delivery.Request.Withdraws() {
		return e.refused(ctx, delivery, refuse(CodeNeedsLedger, "action", "Configure a ledger to withdraw calls.", "A cancel or an acknowledgment needs a ledger."))
	}
	if err := e.permitted(ctx, delivery.Request.Destination.Wire(), delivery.Producer); err != nil {
		return e.refused(ctx, delivery, err)
	}
	if passed(delivery.Request.NotAfter, a.now) {
		return d.end(ctx, a, MetExpired, refuse(codeNotAfter, "notAfter", "Send a new request if the call is still wanted.", "The time limit notAfter had passed when the request arrived."))
	}
	if !a.stamp.At.IsZero() && a.now.Sub(a.stamp.At) > TokenUse {
		return d.end(ctx, a, MetStale, refuse(CodeStale, "requestedAt", "Configure a ledger, which remembers longer than the token, or send a new notificationId.", "The request is older than the 6 days for which the token alone protects."))
	}
	opening, err := e.opening(a, 0)
	if err != nil {
		return e.refused(ctx, delivery, err)
	}
	row := Begin(a.id).Apply(Event{Kind: EventAccepted, At: a.now, Opening: opening, Delivery: delivery.arrival(), Due: a.now})
	body, target, err := e.body(row, a.profile)
	if err != nil {
		return e.refused(ctx, delivery, err)
	}
	taken, k := e.hold(ctx, row, a.profile)
	if !k.free() {
		return Outcome{Met: MetRetryLater, Code: Code(k.why), Message: "Nothing was dialed: " + k.why + "."}
	}
	return d.dial(ctx, a, row, body, target, taken)
}

func (d *Direct) dial(ctx context.Context, a ask, row Call, body []byte, target Target, taken slot) Outcome {
	e := d.engine
	now := e.Clock.Now()
	attemptID, err := e.id()
	if err != nil {
		e.giveBack(ctx, taken)
		return outcomeError(MetRetryLater, err)
	}
	row = row.Apply(Intent(row, attemptID, body, target, now, ""))
	notBefore, notAfter := SendBounds(row, row.Open[0])
	if limit := a.stamp.At.Add(TokenUse); !a.stamp.At.IsZero() && limit.Before(notAfter) {
		notAfter = limit
	}
	answer := e.Dialer.Dial(ctx, Send{
		Kind: row.Key.Kind, CallID: row.ID, AttemptID: attemptID, Target: target, Token: row.Token, Body: body, NotBefore: notBefore, NotAfter: notAfter,
	}).sound()
	if blamesSetup(answer.Class, answer.Code) {
		e.pause(ctx, a.profile, e.Clock.Now().Add(waitSetup.first), answer.Code)
	}
	event := Result(row, attemptID, answer, a.profile, e.Clock.Now(), 0)
	dialing := row
	row = row.Apply(event)
	event.Delivery = a.d.arrival()
	e.observe(ctx, event, dialing, row, row)
	out := Outcome{Met: metAnswer(answer.Class), Code: answer.Code, Message: answer.Message, Call: row, ContactID: answer.ContactID, Undated: !a.stamp.Trusted()}
	if out.Undated && answer.Class == ClassOK {
		e.Observer.Decided(ctx, Decided{What: "undated", RowID: row.ID, State: row.State, Contact: row.ContactID, Source: a.d.Source, Delivery: a.d.ID})
	}
	return out
}

func metAnswer(c Class) Situation {
	switch c {
	case ClassOK:
		return MetPlaced
	case ClassRefusedRequest:
		return MetFailed
	case ClassAmbiguous, ClassOpen:
		return MetUnknown
	case ClassRefusedSetup, ClassThrottled, ClassNotSent:
		return MetRetryLater
	}
	return MetUnknown
}

// end answers a request that is over before it is dialed.
func (d *Direct) end(ctx context.Context, a ask, met Situation, err *Error) Outcome {
	out := d.engine.refused(ctx, a.d, err)
	out.Met = met
	return out
}
