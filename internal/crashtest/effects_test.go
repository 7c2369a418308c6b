package crashtest

import "github.com/ringonce/ringonce/internal/call"

// effect is something that a process does that lasts.
type effect struct {
	name   string         // in its trap
	need   need           // of a life that is to pass it
	method string         // of a port; empty: of no port of the core
	kind   call.EventKind // of a write of a row
}

// effects are all of them. TestEveryEffectOfTheProgramIsDiedAtOrSaysWhyNot compares the list with the kinds of events and with the ports; a passage of a name that
// is not in it ends the victim, and a passage at which no process died fails a run.
func effects() []effect {
	var all []effect
	for _, e := range []effect{
		{name: "with intent", kind: call.EventAccepted},
		{name: "accepted", kind: call.EventAccepted, need: crowd},
		{name: "tombstone", kind: call.EventTombstone, need: cancels},
		{name: "next ring", kind: call.EventAccepted, need: reopenings},
		{name: "turn", kind: call.EventAccepted, need: followers}, // of an escalation list
	} {
		e.name, e.method = "create "+e.name, "Ledger.Create"
		all = append(all, e)
	}
	for _, e := range []effect{
		{kind: call.EventIntent, need: crowd},
		{kind: call.EventHeld, need: crowd},
		{kind: call.EventResult},
		{kind: call.EventContact, need: openAttempts},
		{kind: call.EventLooked, need: chapter},
		{kind: call.EventCancelRequested, need: cancels},
		{kind: call.EventBodyAttached, need: cancels},
		{kind: call.EventRingOpened, need: reopenings},
		{kind: call.EventRingConfirmed, need: reopenings},
		{kind: call.EventSeen, need: followers},
		{kind: call.EventFollowed, need: followers},
		{kind: call.EventEscalated, need: followers},
		{kind: call.EventTurnConfirmed, need: followers},
		{kind: call.EventJoined, need: followers},
		{kind: call.EventExpired, need: chapter},
		{kind: call.EventFailed, need: chapter},
		{kind: call.EventDoubted, need: chapter},
		{kind: call.EventSuperseded, need: chapter},
		{kind: call.EventTainted, need: chapter},
		{kind: call.EventNoted, need: chapter},
		{kind: call.EventReleased, need: chapter},
		{kind: call.EventForgetting, need: chapter},
		{kind: call.EventForgotten, need: chapter, method: "Eraser.Erase"},
	} {
		e.name = "write " + string(e.kind)
		if e.method == "" {
			e.method = "Ledger.Update"
		}
		all = append(all, e)
	}
	return append(all,
		effect{name: "commit"}, // after it: durable, before its witness
		effect{name: "dial", method: "Dialer.Dial"},
		effect{name: "search", method: "Dialer.Search", need: openAttempts},
		effect{name: "describe", method: "Dialer.Describe", need: followers},
		effect{name: "stop", method: "Dialer.Stop", need: openAttempts},
		effect{name: "beat", method: "Journal.Beat"},
		effect{name: "note", method: "Journal.Note"},
		effect{name: "spool keep", method: "Spool.Keep", need: crowd},
		effect{name: "spool done", method: "Spool.Done", need: crowd},
		effect{name: "set cell", method: "Cells.SetCell", need: limited},
		effect{name: "prune cells", method: "Cells.PruneCells", need: limited},
		effect{name: "park", method: "Parking.Park", need: garbage},
		effect{name: "close parked", method: "Parking.CloseParked", need: chapter},
		effect{name: "scrub", method: "Eraser.Scrub", need: chapter},
		effect{name: "begin recovery", method: "Admin.BeginRecovery", need: chapter},
		effect{name: "close recovery", method: "Admin.CloseRecovery", need: chapter},
	)
}

// unreached are the kinds of events and the methods of ports that no process dies at, each with the reason.
func unreached() map[string]string {
	return map[string]string{
		string(call.EventCanceled): "no place in the program writes it: a cancel ends a row by cancel-requested, or by the result that closes its last attempt",
		"Admin.SetReading":         "only doctor --measure-token writes it, at the end of a measurement of six days in which a person answers at a terminal",
		"Admin.Flush":              "it waits for notes that were given, and nothing in a process calls it",
		"Waker.Wake":               "this world has no hints: one is worth time and nothing else, and TestNothingIsLostWithAllJobs loses all of them",
	}
}

// reads are the methods of ports that change nothing that lasts.
func reads() []string {
	return []string{
		"Ledger.Get", "Ledger.Due", "Ledger.Identity", "ParkedCalls.ParkedCalls", "ParkedCalls.ParkedFrom", "Index.ByContact", "Index.ByRecipient", "Index.List", "Index.DueFrom",
		"Index.History", "Journal.Notes", "Journal.ListNotes", "Journal.LastBeat", "Parking.Parked", "Parking.ListParked", "Cells.Cell", "Cells.ListCells", "Dialer.Prepare",
		"Spool.Pending", "Admin.Each", "Admin.Unfinished",
	}
}
