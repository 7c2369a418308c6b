package sim

import (
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// failures are the reasons for which a call may fail. A doubt may fail for whatever proves that its last open attempt did not ring.
var failures = []call.Code{
	"attempts_exhausted", call.Code(call.CauseTokenAge), call.Code(call.CauseRepin), "destination_not_allowed", "outbound_contact_not_permitted",
	"invalid_parameter", "invalid_request", call.CodeDestinationRefused, call.CodeDoNotCall, call.CodeTokenTaken,
}

// judgeEnd asks why a call came to its end: nothing but what the protocol names may end it.
func (w *World) judgeEnd(c call.Call) {
	name := w.nameOf(c.ID)
	switch c.State { //nolint:exhaustive // rings and doubts are asked about elsewhere
	case call.Expired:
		if c.NotAfter.IsZero() || c.FinalAt.Before(c.NotAfter.Add(-w.clockError())) {
			w.find("%s expired at %s, and its limit is %s", name, short(c.FinalAt), short(c.NotAfter))
		}
	case call.Failed:
		exhausted := c.Code == "attempts_exhausted" && w.Setting.Attempts == 0
		if !c.IsForgotten() && !w.truth.doubts[c.ID] && (!slices.Contains(failures, c.Code) || exhausted) {
			w.find("%s failed for %q", name, c.Code)
		}
	case call.Canceled:
		if !w.withdrawn(c) && !w.withdrawnAbove(c) {
			w.find("%s, requested %s, is canceled, and no cancel was meant for it", name, short(c.RequestedAt))
		}
	}
}

// withdrawn reports whether somebody sent a cancel that may have been meant for the call. To forget a recipient withdraws what waits.
func (w *World) withdrawn(c call.Call) bool {
	return c.IsForgotten() || w.truth.forgets || slices.ContainsFunc(w.requests, func(r *request) bool {
		at := r.at
		if at.IsZero() { // it counts from its arrival, which may be at any time since, and reaches what was there, dated up to 5 minutes ahead
			at = time.Now().Add(w.clockError() + 5*time.Minute)
		}
		if w.truth.tombs[c.ID] { // the request came after the cancel, which it may not have been meant for
			return r.cancel && r.subject.key() == c.Key
		}
		return r.cancel && r.subject.key() == c.Key && meant(at, c)
	})
}

// meant reports whether a cancel of the given time is meant for a call (protocol.md section 8): for what was asked for before it, or at the same time
// unless an operator asked, and for what nobody has dated.
func meant(at time.Time, c call.Call) bool {
	dated := (c.Tier == call.TierPayload || c.Tier == call.TierMessage) && !c.RequestedAt.IsZero()
	return !dated || c.RequestedAt.Before(at) || (c.RequestedAt.Equal(at) && c.Cause != call.CauseOperator)
}
