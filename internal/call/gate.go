package call

import (
	"context"
	"slices"
	"time"
)

// Gate says whether a call may be dialed now, beside the send rule and the pace: pauses, quiet hours, do-not-call, caps, limits
// (docs/holding.md). It holds the policy of an operator; the promises G1 to G5 do not rest on it.
//
// The call comes with the Target that it is dialed with.
type Gate interface {
	// Pass asks for one dial of the call at the instant now. Its clearance refuses the call for good, keeps it, or lets it pass; what it then
	// took of caps and slots belongs to the call until Return or Free, and counts once however often it is asked for the same call. An error
	// keeps the call: what cannot be checked is not dialed.
	Pass(ctx context.Context, c Call, p Profile, now time.Time) (Clearance, error)
	// Look says what Pass would say, and takes nothing.
	Look(ctx context.Context, c Call, p Profile, now time.Time) (Clearance, error)
	// Return gives back what the Pass of this ticket took, because nothing was dialed or what was dialed was definitely not accepted: a call
	// that did not ring consumes nothing. What another Pass took for the same call, perhaps in another process, stays. The empty ticket
	// stands for all of them: the call ended and never rang. It is idempotent; what it cannot give back runs out by itself.
	Return(ctx context.Context, c Call, ticket string, now time.Time)
	// Free gives back the concurrency slot of a contact that is over. It is idempotent.
	Free(ctx context.Context, c Call, now time.Time)
	// Resumed reports whether a pause may have ended since it was asked last, so that the calls that it parked are looked at soon.
	Resumed(ctx context.Context, now time.Time) bool
}

// Clearance is the answer of a [Gate]. The zero value lets the call pass.
type Clearance struct {
	Until  time.Time // not before then; zero when nothing keeps the call. Of a pause it is not used: the call is parked
	Why    string    // one of the words below: the reason that a held call shows
	Refuse *Error    // never: do not call
	Ticket string    // of a Pass that took something
	Over   []string  // the reasons that did not keep an urgent call: each is told
	// NewCountry is where the call leads, of a Pass that is the first to it since the ledger was made. It keeps nothing; an operator is told.
	NewCountry string
	Alarm      string // what an operator must know at once, such as a limit that was reached; empty for nothing
}

// Passes reports whether the call may be dialed.
func (v Clearance) Passes() bool { return v.Until.IsZero() && v.Refuse == nil }

// The reasons for which a gate keeps a call, as Clearance.Why and Call.DueReason hold them. A call that a pause keeps is parked.
const (
	HeldPausedAll      = "paused_all"       // the kill switch
	HeldPausedProfile  = "paused_profile"   //
	HeldPausedProducer = "paused_producer"  //
	HeldPausedPrefix   = "paused_prefix"    // numbers that begin with certain digits
	HeldQuietHours     = "quiet_hours"      // no ring at this time where the recipient is
	HeldCap            = "cap_recipient"    // the number was rung often enough
	HeldVelocity       = "velocity"         // so many calls of a prefix or producer were dialed that no more are for now
	HeldConcurrency    = "concurrency"      // as many contacts as are allowed at once
	HeldGate           = "gate_unavailable" // the gate could not be asked
)

// HeldReasons lists the reasons for which a gate keeps a call.
func HeldReasons() []string {
	return []string{
		HeldPausedAll, HeldPausedProfile, HeldPausedProducer, HeldPausedPrefix, HeldQuietHours, HeldCap, HeldVelocity, HeldConcurrency, HeldGate,
	}
}

// keeps reports whether a row waits because of the gate or of a pause.
func keeps(why string) bool { return parks(why) || slices.Contains(HeldReasons(), why) }

// Follow is what a rule says about a call that ended: see [Config.Again].
type Follow struct {
	Again  bool          // ring again
	Wait   time.Duration // from the end of the ring
	Pinned bool          // with the flow, queue and caller id of the ring before: a property of the rule, also where Again is false
	Why    string        // the rule in words, or why there is no further ring: it is shown in the timeline
}

// The words of Call.Followup.
const (
	FollowedRecall     = "recall"       // the next ring of the key was opened by a rule
	FollowedEscalation = "escalation"   // the next recipient of the list is rung
	FollowedNothing    = "nothing"      // no rule asks for more
	FollowedStopped    = "acknowledged" // somebody acknowledged, canceled or confirmed
)

// Turn is the next recipient of an escalation list, claimed on the first row of a key and not yet confirmed to exist.
type Turn struct {
	Recipient   Recipient `json:"recipient"`
	RequestedAt time.Time `json:"requestedAt,omitzero"` // of the ring that ended: the recipient is rung for the same request
	Tier        Tier      `json:"tier,omitempty"`
	NotAfter    time.Time `json:"notAfter,omitzero"`
	Due         time.Time `json:"due"`
}

// Recipient is one entry of an escalation list.
type Recipient struct {
	RecipientID string `json:"recipientId"`
	Destination string `json:"destinationPhoneNumber"` // wire digits; print with Phone
	Profile     string `json:"profile,omitempty"`      // as asked; empty means that of the request
}

// Phone returns the destination as a value that masks itself.
func (r Recipient) Phone() Phone { return Phone{e164: r.Destination} }

// Settings are those that a ring was dialed with, for a re-call that is to use the same ones.
type Settings struct {
	Target        Target `json:"target,omitzero"`
	ContactFlowID string `json:"contactFlowId,omitempty"`
	QueueID       string `json:"queueId,omitempty"`
	SourcePhone   string `json:"sourcePhone,omitempty"`
}
