package cli

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/timeline"
)

// What a call's history means is told by package timeline; these are its words where the commands use them.
type (
	timelineLine = timeline.Line
	attempt      = timeline.Attempt
	evidence     = timeline.Evidence
	doubtEnd     = timeline.DoubtEnd
)

func timelineOf(row call.Call, events []call.Event) []timelineLine { return timeline.Of(row, events) }

func attemptsOf(events []call.Event) []attempt      { return timeline.Attempts(events) }
func why(reason string) string                      { return timeline.Why(reason) }
func because(code call.Code, message string) string { return timeline.Because(code, message) }
func arrival(d *call.Arrival) string                { return timeline.Arrival(d) }
func stamp(t time.Time) string                      { return timeline.Stamp(t) }
func lasted(d time.Duration) string                 { return timeline.Lasted(d) }
func short(id string) string                        { return timeline.Short(id) }
