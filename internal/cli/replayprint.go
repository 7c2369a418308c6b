package cli

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/replay"
)

// linesOnTerminal is how many records a terminal shows unless --all is given.
const linesOnTerminal = 40

// verdictMeanings is the legend of the summary.
var verdictMeanings = map[call.Verdict]string{
	call.VerdictRing:         "a phone would ring",
	call.VerdictResend:       "a dial whose answer is open would be sent again with its own token",
	call.VerdictCancel:       "a cancel that would be kept",
	call.VerdictInDoubt:      "answered by a call that may have rung; it is not dialed again",
	call.VerdictConflict:     "the key was asked for with another number, profile or attributes",
	call.VerdictRefused:      "not a request that may ring",
	call.VerdictStale:        "older than the token protects, and there is no ledger",
	call.VerdictLate:         "a late redelivery of a call whose window has ended; it never rings again",
	call.VerdictExpired:      "notAfter has passed",
	call.VerdictFailed:       "refused for good by Amazon Connect",
	call.VerdictCanceled:     "withdrawn by the producer",
	call.VerdictHeld:         "accepted, and waiting for its time",
	call.VerdictDialing:      "an answer of Amazon Connect is open; nothing may be sent yet",
	call.VerdictPlaced:       "answered by a call that was placed",
	call.VerdictRepeat:       "same key as an earlier record here, whose ring answers it",
	call.VerdictUnavailable:  "the ledger did not answer",
	replay.VerdictUnreadable: "no request can be read",
	replay.VerdictEvidence:   "a contact event; merged if it is about one of the calls",
	replay.VerdictIgnored:    "no request by its shape",
}

func verdictNames() string {
	names := make([]string, 0, len(verdictMeanings))
	for _, v := range replay.Verdicts() {
		names = append(names, string(v))
	}
	return strings.Join(names, ", ")
}

// printPlan prints what would happen.
func (r *replaying) printPlan() error {
	if r.JSON {
		return r.printJSON(false)
	}
	rows := [][]string{{"VERDICT", "RECORDS", "MEANING"}}
	for _, v := range replay.Verdicts() {
		if n := r.plan.Count(v); n > 0 {
			rows = append(rows, []string{string(v), strconv.Itoa(n), verdictMeanings[v]})
		}
	}
	if len(r.plan.Entries) > 0 {
		if err := table(r.e.Stdout, rows); err != nil {
			return err
		}
		fmt.Fprintln(r.e.Stdout)
	}
	lines := [][]string{{"NO", "RECORD", "VERDICT", "NOTIFICATION", "RECIPIENT", "NUMBER", "CALL", "RING", "WHY"}}
	for _, e := range r.shown() {
		d := replayedOf(e, false)
		lines = append(lines, []string{
			strconv.Itoa(d.Record), d.At, string(d.Verdict), d.NotificationID, d.RecipientID, d.Number, short(d.CallID), ring(d), whyOf(e),
		})
	}
	if err := r.printLines(lines); err != nil {
		return err
	}
	for _, note := range r.notes {
		fmt.Fprintln(r.e.Stdout, note)
	}
	if r.plan.LeftOut > 0 {
		fmt.Fprintf(r.e.Stdout, "%s left out by --since, --until or --only.\n", plural(r.plan.LeftOut, "record was", "records were"))
	}
	_, err := fmt.Fprintf(r.e.Stdout, "%s of %s would ring a phone.%s\n",
		strconv.Itoa(r.plan.Dials()), plural(len(r.plan.Entries), "record", "records"), map[bool]string{true: " Nothing was done."}[r.DryRun])
	return err
}

// shown returns the records that get a line.
func (r *replaying) shown() []*replay.Entry {
	if r.All || terminalSize(r.e.Stdout) == nil {
		return r.plan.Entries
	}
	return r.plan.Entries[:min(len(r.plan.Entries), linesOnTerminal)]
}

func (r *replaying) printLines(lines [][]string) error {
	if len(lines) == 1 {
		return nil
	}
	if err := table(r.e.Stdout, lines); err != nil {
		return err
	}
	if hidden := len(r.plan.Entries) - len(r.shown()); hidden > 0 {
		fmt.Fprintf(r.e.Stdout, "... and %s; --all prints them.\n", plural(hidden, "more record", "more records"))
	}
	_, err := fmt.Fprintln(r.e.Stdout)
	return err
}

func (r *replaying) printJSON(ran bool) error {
	for _, e := range r.plan.Entries {
		if err := printJSON(r.e.Stdout, replayedOf(e, ran)); err != nil {
			return err
		}
	}
	return nil
}

func ring(d replayed) string {
	if d.CallID == "" {
		return ""
	}
	return strconv.Itoa(d.Ring)
}

// ringReasons says why a phone would ring.
var ringReasons = map[string]string{
	call.ReasonNewKey:          "a new key",
	call.ReasonNoLedger:        "there is no ledger: the token alone keeps it from ringing twice",
	call.ReasonDue:             "accepted before, and due",
	call.ReasonLostReply:       "the answer of an earlier dial was lost",
	call.ReasonRestored:        "the restored ledger may have forgotten an earlier dial",
	string(call.CauseWindow):   "asked for again after the window, a failure or a cancel",
	string(call.CauseOperator): "a re-call by an operator that is not dialed yet",
	string(call.CauseRule):     "a re-call by rule that is not dialed yet",
	string(call.CauseTokenAge): "its token is too old, so the next ring takes over",
	string(call.CauseRepin):    "the configuration was repaired, so the next ring takes over",
}

// whyOf is the last column of a preview.
func whyOf(e *replay.Entry) string {
	p, row := e.Preview, e.Preview.Outcome.Call
	var said []string
	say := func(text string) { said = append(said, text) }
	switch {
	case e.Verdict.Dials():
		say(ringReasons[p.Reason])
	case e.Verdict == call.VerdictRepeat:
		say("answered by the ring of record " + strconv.Itoa(p.SameAs))
	case !row.PlacedAt.IsZero():
		say("placed " + stamp(row.PlacedAt) + ", contact " + row.ContactID)
	case e.Verdict == call.VerdictHeld && !row.Due.IsZero(), e.Verdict == call.VerdictDialing && !row.Due.IsZero():
		say("until " + stamp(row.Due) + why(row.DueReason))
	case e.Text != "":
		say(oneLine(joinSentences(e.Text, e.Fix)))
	}
	if p.Looks {
		say("evidence is looked for first")
	}
	if p.Stops {
		say("the call is hung up if it still rings")
	}
	if p.SameAs > 0 && e.Verdict != call.VerdictRepeat {
		say("same key as record " + strconv.Itoa(p.SameAs))
	}
	return strings.Join(said, "; ")
}
