package call

import "context"

// Verdict says what [Engine.Place] or [Direct.Place] would answer to a delivery now.
type Verdict string

// The verdicts of a preview.
const (
	VerdictRing        Verdict = "would-ring"   // a phone would be dialed; Preview.Reason says why
	VerdictResend      Verdict = "would-resend" // a dial whose answer is open would be sent again with its own token
	VerdictRepeat      Verdict = "repeat"       // answered by the ring that an earlier delivery of the rehearsal makes
	VerdictPlaced      Verdict = "placed"       // suppressed by a placed call
	VerdictLate        Verdict = "late"         // suppressed for ever: a late redelivery of a call whose window has ended
	VerdictHeld        Verdict = "held"         // accepted and waiting for its time
	VerdictDialing     Verdict = "dialing"      // an attempt is open, and nothing may be sent yet
	VerdictInDoubt     Verdict = "in-doubt"     // suppressed by a call that may have rung
	VerdictFailed      Verdict = "failed"       // refused for good
	VerdictExpired     Verdict = "expired"      // notAfter has passed
	VerdictCanceled    Verdict = "canceled"     // the key was withdrawn
	VerdictCancel      Verdict = "would-cancel" // a cancel that would be kept
	VerdictConflict    Verdict = "conflict"     // the key was asked for with another fingerprint
	VerdictRefused     Verdict = "refused"      // not a request that may ring
	VerdictStale       Verdict = "stale"        // older than the token protects (ledger: none)
	VerdictUnavailable Verdict = "unavailable"  // the ledger did not answer
)

// Verdicts lists every verdict, those first that would use a telephone.
func Verdicts() []Verdict {
	return []Verdict{
		VerdictRing, VerdictResend, VerdictCancel, VerdictInDoubt, VerdictConflict, VerdictRefused, VerdictStale, VerdictLate, VerdictExpired,
		VerdictFailed, VerdictCanceled, VerdictHeld, VerdictDialing, VerdictPlaced, VerdictRepeat, VerdictUnavailable,
	}
}

// Dials reports whether a request would go to Amazon Connect that can ring a phone.
func (v Verdict) Dials() bool { return v == VerdictRing || v == VerdictResend }

// The reasons of a dial in a preview.
const (
	ReasonNewKey    = "new-key"     // the ledger does not know the key
	ReasonNoLedger  = "no-ledger"   // nothing can know the key; the token alone protects
	ReasonDue       = "due"         // a call that was accepted before and waits for a delivery or a sweep
	ReasonLostReply = "answer-lost" // the answer of an earlier dial was lost
	ReasonRestored  = "restored"    // a restored ledger may have forgotten an earlier dial
)

// Preview is what would become of one delivery.
type Preview struct {
	Verdict Verdict
	// Reason is why a phone would be dialed (one of the reasons above, or the [Cause] of the ring), why the delivery would be suppressed,
	// or empty.
	Reason string
	// Outcome is the answer of Place, without an acknowledgement. Of a dial it holds the row alone, as it would be put on the wire; of a
	// repeat the row's id and key.
	Outcome Outcome
	// SameAs is the number, from 1, of the earlier delivery of the rehearsal with the same key; of a repeat, of the one that rings.
	SameAs int
	// Looks says that Amazon Connect would first be asked for evidence of an earlier dial, which can make the dial needless.
	Looks bool
	// Stops says that a contact which may still ring would be hung up, because a cancel is meant for it.
	Stops bool
}

// Preview says what Place would answer to the delivery now. It reads the ledger and changes nothing: no row, no note, no pacing slot, and no
// request to Amazon Connect. It is Place itself, on a rehearsal: see [Rehearsal].
func (e *Engine) Preview(ctx context.Context, d Delivery) Preview {
	return e.Rehearse().Preview(ctx, d)
}

// Preview says what Place would answer to the delivery now. It changes nothing and dials nothing. Without a ledger nothing is known of
// earlier deliveries.
func (d *Direct) Preview(ctx context.Context, delivery Delivery) Preview {
	return d.Rehearse().Preview(ctx, delivery)
}

// verdictOf returns the verdict of an outcome for which nothing was dialed.
func verdictOf(out Outcome) Verdict {
	if out.Suppressed == ReasonLateRedelivery {
		return VerdictLate
	}
	switch out.Met {
	case MetReceived:
		return VerdictHeld
	case MetDialing, MetUnknown:
		return VerdictDialing
	case MetPlaced:
		return VerdictPlaced
	case MetFailed:
		return VerdictFailed
	case MetExpired:
		return VerdictExpired
	case MetCanceled:
		return VerdictCanceled
	case MetInDoubt:
		return VerdictInDoubt
	case MetCancelKept:
		return VerdictCancel
	case MetConflict:
		return VerdictConflict
	case MetRefused, MetUnreadable, MetParked, MetTaken, MetIgnored:
		return VerdictRefused
	case MetStale:
		return VerdictStale
	case MetRetryLater, MetNotStarted:
		return VerdictHeld
	case MetUnavailable:
	}
	return VerdictUnavailable
}
