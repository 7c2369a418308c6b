package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/replay"
)

// printReport prints what became of the records.
func (r *replaying) printReport(interrupted bool) error {
	if r.JSON {
		return r.printJSON(true)
	}
	lines := [][]string{{"NO", "RECORD", "VERDICT", "MET", "STATE", "CALL", "CONTACT", "ANSWERED BY", "ACK", "WHY"}}
	for _, e := range r.reported() {
		d := replayedOf(e, true)
		lines = append(lines, []string{
			strconv.Itoa(d.Record), d.At, string(d.Verdict), string(d.Situation), string(d.State), short(d.CallID), d.ContactID, short(d.By),
			string(d.Acknowledge), whyDone(e),
		})
	}
	if len(lines) > 1 {
		if err := table(r.e.Stdout, lines); err != nil {
			return err
		}
		fmt.Fprintln(r.e.Stdout)
	}
	return r.printTotals(interrupted)
}

// reported returns the records that get a line: all of them, or on a terminal, when they are many, those that somebody must look at.
func (r *replaying) reported() []*replay.Entry {
	if r.All || terminalSize(r.e.Stdout) == nil || len(r.plan.Entries) <= linesOnTerminal {
		return r.plan.Entries
	}
	var worth []*replay.Entry
	for _, e := range r.plan.Entries {
		if e.Done && exitOfEntry(e) != ExitOK && len(worth) < linesOnTerminal {
			worth = append(worth, e)
		}
	}
	return worth
}

// whyDone is the last column of a report.
func whyDone(e *replay.Entry) string {
	switch {
	case e.Err != nil:
		return "its queue was not told: " + sentenceOf(e.Err)
	case !e.Done && e.Gone:
		return "not started: its queue may have given it to others meanwhile"
	case !e.Done:
		return "not started"
	case e.Outcome.Suppressed != "":
		return e.Outcome.Suppressed
	}
	return oneLine(joinSentences(e.Outcome.Message, e.Outcome.Fix))
}

// printTotals prints the counts of a replay, and what is left to do.
func (r *replaying) printTotals(interrupted bool) error {
	counts := map[string]int{}
	deleted, left := 0, 0
	for _, e := range r.plan.Entries {
		switch {
		case !e.Done:
			left++
			counts["not started"]++
		case e.Outcome.Suppressed != "":
			counts["suppressed ("+e.Outcome.Suppressed+")"]++
		default:
			counts[string(e.Outcome.Met)]++
		}
		if e.Done && e.Err == nil && e.Outcome.Ack == call.AckDone {
			deleted++
		}
	}
	said := make([]string, 0, len(counts))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		said = append(said, strconv.Itoa(counts[name])+" "+name)
	}
	fmt.Fprintf(r.e.Stdout, "%s: %s\n", plural(len(r.plan.Entries), "record", "records"), strings.Join(said, ", "))
	if r.queue != nil {
		fmt.Fprintf(r.e.Stdout, "%s deleted from the queue, %s.\n", plural(deleted, "message was", "messages were"), plural(r.queue.Held(), "returns to it", "return to it"))
		if r.queue.err != nil {
			fmt.Fprintf(r.e.Stdout, "Some messages could not be kept from others: %s\n", sentenceOf(r.queue.err))
		}
	}
	if n := counts[string(call.MetReceived)] + counts[string(call.MetDialing)]; n > 0 {
		fmt.Fprintf(r.e.Stdout, "%s: a sweep moves them on, or another run.\n", plural(n, "call is not final", "calls are not final"))
	}
	if left > 0 && interrupted {
		fmt.Fprintf(r.e.Stdout, "Interrupted: %s not started.\n", plural(left, "record was", "records were"))
	}
	return nil
}
