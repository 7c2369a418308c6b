package sim

import "github.com/ringonce/ringonce/internal/call"

// Required lists what the lives of a run must have reached together.
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
	for _, cause := range []call.Cause{call.CauseRequest, call.CauseWindow, call.CauseOperator, call.CauseTokenAge, call.CauseRepin} {
		names = append(names, "cause "+string(cause))
	}
	for _, met := range []call.Situation{
		call.MetReceived, call.MetDialing, call.MetPlaced, call.MetFailed, call.MetExpired, call.MetCanceled, call.MetInDoubt,
		call.MetCancelKept, call.MetConflict, call.MetRefused, call.MetIgnored, call.MetUnavailable, call.MetNotStarted,
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
	return append(names,
		"strike crash before dial", "strike crash after dial", "strike crash before accepted", "strike crash after accepted", "strike crash before intent",
		"strike crash after intent", "strike crash before result", "strike crash after result", "strike fail accepted", "strike lose accepted",
		"strike fail intent", "strike lose intent", "strike fail result", "strike lose result", "spooled", "meanwhile", "restored", "recovery closed", Corner,
		"re-call", "double click", "redrive", "replay", "tombstone", "contact merged by search", "contact merged by event",
		"forgotten", "forgotten at last", "a recipient waits to be forgotten", "an erasure failed",
	)
}
