package app_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// coverage counts what worlds reached.
type coverage map[string]int

func (c coverage) add(other coverage) {
	for name, n := range other {
		c[name] += n
	}
}

// String lists the counts by name.
func (c coverage) String() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, "\n%8d  %s", c[name], name)
	}
	return b.String()
}

// require fails for each thing that no seed reached: an oracle that nothing reaches proves nothing.
func (c coverage) require(t *testing.T) {
	t.Helper()
	for _, name := range required() {
		if c[name] == 0 {
			t.Errorf("no seed reached: %s", name)
		}
	}
}

func required() []string {
	names := allStates()
	for _, f := range plannedFaults() {
		names = append(names, "fault "+f.String())
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
	for _, form := range forms() {
		names = append(names, "form "+string(form))
	}
	for _, point := range crashPoints() {
		names = append(names, "crash "+point)
	}
	return append(names,
		"ledger answer lost after", "ledger failed before", "spooled", "interfered", "restored", "recovery closed", "promised corner of token under A1'",
		"drift flow", "drift profile removed", "clock step", "re-call", "double click", "redrive", "replay", "late duplicate", "tombstone",
		"contact merged by search", "contact merged by event", "sweeper off", "two workers", "deadline",
		"forgotten", "forgotten at last", "a recipient waits to be forgotten", "an erasure failed",
	)
}

// plannedFaults are the faults of the telephone network that worlds use: all of them.
func plannedFaults() []connectemu.Fault { return connectemu.Faults() }
