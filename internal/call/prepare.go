package call

import (
	"context"
	"time"
)

// ask is a delivery with everything that is derived from it.
type ask struct {
	d           Delivery
	now         time.Time
	key         Key
	id          string // of the first row
	profile     Profile
	fingerprint string
	stamp       Stamp
	later       bool // it is accepted now, and dialed by the sweep: see [Engine.Accept]
	known       bool // it is answered only where it makes no call: see [Engine.AcceptKnown]
}

// prepare validates a delivery and derives its key, profile and fingerprint. Its errors are refusals.
func (e *Engine) prepare(d Delivery) (ask, error) {
	a := ask{d: d, now: e.Clock.Now()}
	if a.d.ReceivedAt.IsZero() {
		a.d.ReceivedAt = a.now
	}
	if err := d.Request.Validate(); err != nil {
		return a, err
	}
	if err := e.checkZone(d.Request); err != nil {
		return a, err
	}
	a.stamp = stampOf(a.d)
	for _, at := range []time.Time{d.Request.RequestedAt, a.stamp.At} {
		if err := checkFuture(at, a.d.ReceivedAt); err != nil {
			return a, err
		}
	}
	profile, ok := e.Profile(d.Request.Profile)
	cancels := d.Request.Withdraws() // it needs the ids, and no profile
	if !ok && !cancels {
		return a, refuse(CodeProfileUnknown, "profile", "Add it to profiles in the configuration, or correct the request.", "The field profile names no configured profile.")
	}
	a.profile = profile.WithDefaults()
	if a.profile.RequireDated && !a.stamp.Trusted() && !cancels {
		return a, refuse(CodeUndated, "requestedAt", "Send requestedAt in the payload, or publish through SNS or EventBridge.", "The request carries no trustworthy time and the profile requires one.")
	}
	space := ""
	switch {
	case d.KeySpace != nil:
		space = *d.KeySpace
	case e.KeySpace != nil:
		space = e.KeySpace(d.Producer)
	}
	var err error
	kind := a.profile.Kind
	if !ok {
		if kind, err = e.onlyKind(); err != nil {
			return a, err
		}
	}
	if err = d.Request.ValidateFor(kind); err != nil {
		return a, err
	}
	if err = e.checkEscalation(d.Request, a.profile); err != nil {
		return a, err
	}
	if a.key, err = keyOf(a.d, space, kind, e.Identity); err != nil {
		return a, err
	}
	if err = e.checkTurnTokens(d.Request, a.key); err != nil {
		return a, err
	}
	a.id = e.Naming.Row(a.key, 0)
	a.fingerprint = Fingerprint(a.key, d.Request, a.profile.IgnoreAttrs)
	return a, nil
}

// onlyKind returns the kind that a cancel means whose profile says none: that of every profile. Where profiles differ, a wrong guess
// would withdraw a key that nobody asked for, and leave the one that was meant to ring.
func (e *Engine) onlyKind() (Kind, error) {
	switch len(e.Kinds) {
	case 0:
		return KindVoice, nil
	case 1:
		return e.Kinds[0].orVoice(), nil
	}
	return "", refuse(CodeProfileUnknown, "profile", "Name the profile of the request that is withdrawn.",
		"The cancel names no configured profile, and profiles of several kinds are configured.")
}

// Key returns the row id and the fingerprint of a delivery, for a way in that keeps the records of one key together. Its errors are
// refusals. A cancel has no fingerprint.
func (e *Engine) Key(d Delivery) (rowID, fingerprint string, err error) {
	a, err := e.prepare(d)
	if err != nil {
		return "", "", err
	}
	if d.Request.Withdraws() {
		return a.id, "", nil
	}
	return a.id, a.fingerprint, nil
}

// checkZone asks whether the time zone of a request exists. What withdraws a request needs the ids only.
func (e *Engine) checkZone(r Request) error {
	if e.Zone == nil || r.TimeZone == "" || r.Action != ActionCall && r.Action != "" {
		return nil
	}
	return e.Zone(r.TimeZone)
}

// checkFuture refuses a request time that cannot be true; it is never clamped and never trusted (R19).
func checkFuture(requestedAt, receivedAt time.Time) error {
	if requestedAt.After(receivedAt.Add(futureTolerance)) {
		return refuse(CodeRequestedInFuture, "requestedAt", "Correct the producer's clock; requestedAt is when the request was first made.", "The field requestedAt lies more than 5 minutes in the future.")
	}
	return nil
}

// stampOf returns the best evidence of the request's age: its own requestedAt, else the transport's.
func stampOf(d Delivery) Stamp {
	stamp := d.FirstRequested
	if stamp.Tier == "" {
		stamp.Tier = TierNone
	}
	if stamp.Tier != TierPayload && stamp.At.After(d.ReceivedAt.Add(futureTolerance)) {
		stamp = Stamp{Tier: TierNone} // a transport's clock that runs ahead proves nothing
	}
	if r := d.Request.RequestedAt; !r.IsZero() && (stamp.At.IsZero() || stamp.Tier != TierPayload) {
		if stamp.At.IsZero() || r.Before(stamp.At) {
			stamp.At, stamp.From = r, "requestedAt"
		}
		stamp.Tier = TierPayload
	}
	return stamp
}

// limit returns after which instant the request must not ring: its own notAfter, else the profile's deadline.
func (a ask) limit() time.Time {
	if r := a.d.Request; !r.NotAfter.IsZero() || a.profile.Deadline <= 0 {
		return r.NotAfter
	}
	return a.now.Add(a.profile.Deadline)
}

// opening returns what the row of the given ring begins with.
func (e *Engine) opening(a ask, ring int) (*Opening, error) {
	r := a.d.Request
	token, err := e.token(a.key, ring)
	if err != nil {
		return nil, err
	}
	o := &Opening{
		Key: a.key, Ring: ring, Cause: CauseRequest, Fingerprint: a.fingerprint,
		Destination: r.Destination.Wire(), Attributes: r.Attributes, Profile: r.Profile, Token: token,
		RequestedAt: a.stamp.At, Tier: a.stamp.Tier, NotAfter: a.limit(),
		Producer: a.d.Producer, Zone: r.TimeZone, Urgent: r.Urgent,
	}
	o.Tracked, o.Follows = e.trackingOf(a.profile)
	if o.Escalation = r.Escalation; len(r.Escalation) > 0 {
		o.Follows = true
	}
	if a.key.Instead != r.ClientToken {
		o.AskedToken = r.ClientToken
	}
	if a.key.RecallID != "" && a.key.Instead == "" {
		parent := a.key
		parent.RecallID = ""
		o.LinkedTo = e.Naming.Row(parent, 0)
	}
	return o, nil
}

func (e *Engine) token(k Key, ring int) (string, error) {
	in := TokenInput{KeySpace: k.KeySpace, NotificationID: k.NotificationID, RecipientID: k.RecipientID, RecallID: k.RecallID, Ring: ring}
	switch e.Identity {
	case IdentityClientToken:
		in.ClientToken = k.Instead
	case IdentityEventID:
		in.EventID = k.Instead
	case IdentityIDs:
	}
	token, err := e.Token(in)
	if err != nil {
		return "", refuse(CodeTokenInvalid, "token.recipe", "Correct the ids or the recipe.", "No client token can be made: %v.", err)
	}
	if k.Kind.orVoice() == KindVoice {
		return token, nil
	}
	if e.KindToken == nil {
		return "", refuse(CodeConfiguration, "kind", "Fill call.Config.KindToken.", "No client token of a %s can be made.", k.Kind)
	}
	return e.KindToken(k.Kind, token), nil
}

// childOpening returns what the row of a next ring begins with: the body of the first row, whose it is and where, and
// nothing else of its parent.
func (e *Engine) childOpening(first Call, child Child) (*Opening, error) {
	token, err := e.token(first.Key, child.Ring)
	if err != nil {
		return nil, err
	}
	tracked, follows := e.trackingOf(e.profileOf(first))
	listed := len(first.Escalation) > 0 // its end decides whether the list goes on, whatever the profile says
	return &Opening{
		Key: first.Key, Ring: child.Ring, Cause: child.Cause, Fingerprint: first.Fingerprint, Destination: first.Destination,
		Attributes: first.Attributes, Profile: first.Profile, AskedToken: first.AskedToken, LinkedTo: first.LinkedTo, Token: token,
		RequestedAt: child.RequestedAt, Tier: child.Tier, NotAfter: child.NotAfter,
		Producer: first.Producer, Zone: first.Zone, Urgent: first.Urgent,
		Tracked: tracked || listed, Follows: follows || listed, Recalls: child.Recalls, Settings: child.Settings,
	}, nil
}

// body serializes the request of a row with today's configuration, or with the settings that a rule pins.
func (e *Engine) body(c Call, p Profile) ([]byte, Target, error) {
	p = c.dialedWith(p)
	body, err := e.Dialer.Prepare(Order{CallID: c.ID, Token: c.Token, Destination: c.Phone(), Attributes: c.Attributes, Profile: p})
	return body, Target{Region: p.Region, InstanceID: p.InstanceID}, err
}

// profileOf returns the profile of a row. A profile that was removed from the configuration, or that makes contacts of another kind since,
// pauses its calls; it fails none.
func (e *Engine) profileOf(c Call) Profile {
	kind := c.Key.Kind.orVoice()
	if p, ok := e.Profile(c.Profile); ok && p.Kind.orVoice() == kind {
		return p.WithDefaults()
	}
	return Profile{Name: c.Profile, Kind: kind, Paused: true}.WithDefaults()
}

// refused answers a request that may not ring, and leaves its line in log and metrics.
func (e *Engine) refused(ctx context.Context, d Delivery, err error) Outcome {
	out := outcomeError(MetRefused, err)
	e.Observer.Decided(ctx, Decided{What: "refused", Code: out.Code, Reason: out.Message, Number: d.Request.Destination, Source: d.Source, Delivery: d.ID})
	return out
}
