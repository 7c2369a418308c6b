package sim

import (
	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/sim/transport"
)

// Required lists what 2,000 lives of light worlds must have reached together.
func Required() []string {
	var names []string
	for _, kind := range FaultKinds() {
		names = append(names, "fault "+kind)
	}
	for _, s := range call.States() {
		if s.Final() { // a life ends when every call has
			names = append(names, "state "+string(s))
		}
	}
	for _, class := range []call.Class{call.ClassOK, call.ClassAmbiguous, call.ClassRefusedRequest, call.ClassRefusedSetup, call.ClassThrottled, call.ClassNotSent} {
		names = append(names, "class "+string(class))
	}
	for _, cause := range []call.Cause{call.CauseRequest, call.CauseWindow, call.CauseOperator, call.CauseTokenAge, call.CauseRepin, call.CauseRule, call.CauseEscalation} {
		names = append(names, "cause "+string(cause))
	}
	for _, met := range []call.Situation{
		call.MetReceived, call.MetDialing, call.MetPlaced, call.MetFailed, call.MetExpired, call.MetCanceled, call.MetInDoubt,
		call.MetCancelKept, call.MetConflict, call.MetRefused, call.MetTaken, call.MetUnavailable, call.MetNotStarted,
	} {
		names = append(names, "met "+string(met))
	}
	for _, reason := range []string{
		call.ReasonDuplicate, call.ReasonInProgress, call.ReasonLateRedelivery, call.ReasonFailed, call.ReasonExpired, call.ReasonCanceled, call.ReasonInDoubt, call.ReasonForgotten,
	} {
		names = append(names, "suppressed "+reason)
	}
	for _, kind := range call.EventKinds() {
		if kind != call.EventNoted && kind != call.EventCanceled { // a note decides nothing, and a cancel ends its row by its own event
			names = append(names, "event "+string(kind))
		}
	}
	for _, fault := range connectemu.Faults() {
		names = append(names, "phone "+fault.String())
	}
	for _, form := range transport.Forms() {
		names = append(names, "form "+string(form))
	}
	for _, deployed := range deployments() {
		names = append(names, "deployed "+deployed)
	}
	for _, point := range []string{
		"before dial", "after dial", "before accepted", "after accepted", "before intent", "after intent", "before result", "after result", "before held",
		"after held", "before seen", "after seen", "before followed", "before ring-opened", "after ring-opened", "before escalated",
		"before turn-confirmed", "before cell", "after cell", "before search", "before stop", "before beat", "before spool", "after spool", "before forgotten", "after forgotten", "before scrub",
	} {
		names = append(names, "strike crash "+point)
	}
	names = append(names, requiredAfter()...)
	for _, said := range []string{
		"202 accepted", "202 held", "202 dialing", "200 placed", "200 duplicate", "200 ended", "200 withdrawn", "409 ", "422 ", "503 ", "replayed",
	} {
		names = append(names, "api "+said)
	}
	for _, s := range call.States() {
		if s.Final() {
			names = append(names, "promised "+string(s))
		}
	}
	return append(names,
		"accepted and dialed", "strike crash before answer", "strike lose answer",
		"check-in", "confirmed", "list goes on", "paused all", "paused profile", "paused prefix", "paused producer", "resumed", "released", "do-not-call add", "do-not-call rm",
		"strike fail seen", "strike lose seen", "strike fail cell", "strike lose cell", "tracked",
		"sweeper off", "two workers", "strike fail accepted", "strike lose accepted",
		"strike fail intent", "strike lose intent", "strike fail result", "strike lose result", "spooled", "meanwhile", "restored", "recovery closed", Corner,
		"re-call", "double click", "redrive", "replay", "tombstone", "contact merged by search", "contact merged by event",
		"forgotten", "forgotten at last", "a recipient waits to be forgotten", "an erasure failed",
		ExcusedNewer, ExcusedRecall, ExcusedUntilAgain, ExcusedSend, ExcusedPause,
	)
}

// RequiredWide lists what 2,000 wide lives of light worlds must have reached together: deaths at every effect beside the rest.
func RequiredWide() []string {
	names := Required()
	for _, effect := range []string{
		"dial", "search", "stop", "describe", "beat", "cell", "spool", "scrub", "accepted", "intent", "result", "held", "looked", "contact", "doubted", "cancel-requested",
		"tombstone", "body-attached", "ring-opened", "ring-confirmed", "expired", "tainted", "seen", "followed", "escalated", "turn-confirmed", "forgotten",
	} {
		names = append(names, "strike crash before "+effect, "strike crash after "+effect)
	}
	for _, effect := range []string{"failed", "joined", "unspool"} { // too rare for both sides
		names = append(names, "crash at "+effect)
	}
	return names
}

// requiredAfter lists what must have been reached of what comes after a ring, and of what keeps one.
func requiredAfter() (names []string) {
	for _, outcome := range call.ContactOutcomes() {
		if outcome != call.OutcomeVoicemail { // answering machine detection runs for campaigns only
			names = append(names, "outcome "+string(outcome))
		}
	}
	// The others need two rare things at once, a late contact beside a limit or a restore, and come in longer runs only.
	for _, why := range []string{call.WhyCanceled, call.WhyAcknowledged, call.WhyForgotten, call.WhyUnavailable} {
		names = append(names, "check-in "+why)
	}
	for _, why := range call.HeldReasons() {
		names = append(names, "held "+why)
	}
	return names
}
