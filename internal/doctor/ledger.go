package doctor

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Ledger is what a ledger tells of itself.
type Ledger struct {
	Name       string // its file or table
	Identity   call.LedgerIdentity
	Configured call.IdentityMode // identity.mode of the configuration
	Check      string            // Naming.Check of the configuration
	WentBack   string            // why it is older than its witness says; empty when it is not
	LastBeat   time.Time         // of the newest sweep; zero when there never was one
	Overdue    int               // calls whose due time came before Heartbeat ago, as far as counted
	Refused    map[string]int    // masked prefix to how many calls Amazon Connect refused there
}

// JudgeLedger judges a ledger that could be opened.
func JudgeLedger(l Ledger, now time.Time) []Finding {
	findings := []Finding{
		{Check: "ledger", Level: OK, Subject: l.Name, What: fmt.Sprintf("The ledger %s is open, epoch %d.", l.Identity.ID, l.Identity.Epoch)},
		judge(l.Identity.Mode == l.Configured && l.Identity.Check == l.Check, Fault, Finding{
			Check: "identity", Subject: l.Name,
			What: fmt.Sprintf("The ledger was made with identity.mode %s, configured is %s; the key is the same: %t.", l.Identity.Mode, l.Configured, l.Identity.Check == l.Check),
			Why:  "Under another mode or key every key is a new one: what has rung would ring again. A worker with this configuration does not start.",
			Fix:  fmt.Sprintf("Set identity.mode: %s, with the key file that the ledger was made with.", l.Identity.Mode),
		}),
		judge(l.WentBack == "", Fault, Finding{
			Check: "went-back", Subject: l.Name, What: cmp.Or(l.WentBack, "The ledger is as new as its witness says."),
			Why: "It has forgotten rings, and dialing from it could ring twice. Workers refuse to start.", Fix: "Stop every worker, then run ringonce ledger recover.",
		}),
	}
	recovery := Finding{Check: "recovery", Level: OK, Subject: l.Name, What: "No recovery is open."}
	if r := l.Identity.Recovery; r != nil {
		recovery = Finding{
			Check: "recovery", Level: Warning, Subject: l.Name,
			What: fmt.Sprintf("A recovery is open for what happened between %s and %s.", r.Backup.UTC().Format(time.RFC3339), r.Restored.UTC().Format(time.RFC3339)),
			Why:  "Until it is closed, requests that are not proven to be new are treated as if they had been dialed.",
			Fix:  "Replay the source, scan Amazon Connect for contacts of that time, then run ringonce ledger recover --close --yes.",
		}
	}
	return append(append(findings, recovery), judgeSweep(l, now)...)
}

func judgeSweep(l Ledger, now time.Time) []Finding {
	silent := now.Sub(l.LastBeat)
	beat := Finding{
		Check: "heartbeat", Subject: l.Name, What: fmt.Sprintf("The last sweep ran %s ago.", silent.Round(time.Second)),
		Why: "While no sweep runs, unfinished calls go back to their source, and what was acknowledged before is not moved on.",
		Fix: "Start the schedule of the function, or a process that sweeps (ringonce lambda-runtime).",
	}
	level := Warning
	if l.Overdue > 0 {
		level = Fault
	}
	switch {
	case l.LastBeat.IsZero():
		beat.What = "No sweep has ever run on this ledger."
		beat = judge(false, level, beat)
	case -silent > Heartbeat:
		beat.What = fmt.Sprintf("The newest heartbeat is dated %s from now: a clock is wrong, and nobody knows when the last sweep ran.", (-silent).Round(time.Second))
		beat.Fix = "Set the clocks of this machine and of those that sweep."
		beat = judge(false, level, beat)
	default:
		beat = judge(silent <= Heartbeat, level, beat)
	}
	return []Finding{beat, judge(l.Overdue == 0, Fault, Finding{
		Check: "overdue", Subject: l.Name, What: fmt.Sprintf("%d calls have been due for more than %s.", l.Overdue, Heartbeat),
		Why: "An accepted request is waiting for a sweep that does not come, or that cannot keep up.", Fix: "Look at the sweep and its log; then at ringonce calls list.",
	})}
}

// JudgePrefixes judges where Amazon Connect refused to call so far.
func JudgePrefixes(l Ledger) Finding {
	var said []string
	for _, prefix := range slices.Sorted(maps.Keys(l.Refused)) {
		said = append(said, fmt.Sprintf("%s (%d)", prefix, l.Refused[prefix]))
	}
	what := "Amazon Connect has refused no destination in the newest failed calls."
	if len(said) > 0 {
		what = "Amazon Connect refused destinations with DestinationNotAllowedException: " + strings.Join(said, ", ") + "."
	}
	return judge(len(said) == 0, Warning, Finding{
		Check: "prefixes", Subject: l.Name, What: what, Why: "Calls to these countries or prefixes fail for good, each of them.",
		Fix: "Have the quota of allowed countries and prefixes extended by AWS support, or keep such requests away.",
	})
}

// NotOpened is the finding for a ledger that could not be opened.
func NotOpened(name string, err error) Finding {
	f := Finding{Check: "ledger", Level: Unknown, Subject: name, What: "The ledger could not be opened: " + err.Error(), Why: "Workers with this configuration do not start.", Fix: "Look again later."}
	e, ok := errors.AsType[*call.Error](err)
	if !ok {
		return f
	}
	f.What, f.Fix = "The ledger could not be opened: "+e.Message, cmp.Or(e.Fix, f.Fix)
	switch {
	case e.Code == call.CodeLedgerWentBack:
		f.Check, f.Level = "went-back", Fault
	case strings.HasPrefix(e.Field, "identity"):
		f.Check, f.Level = "identity", Fault
	case e.Code == call.CodeConfiguration:
		f.Level = Fault
	}
	return f
}

// NoLedger says what ledger: none gives up (protocol.md section 9).
func NoLedger() []Finding {
	notice := func(what, why, fix string) Finding {
		return Finding{Check: "no-ledger", Level: Notice, What: what, Why: why, Fix: fix}
	}
	use := "Use a ledger: sqlite on a machine, dynamodb in Lambda."
	return []Finding{
		notice("Without a ledger a request rings once within 6 days of its time.", "A delivery that comes later is refused as stale if it is dated, and rings again if it is not.", use),
		notice("Without a ledger only requests with requestedAt, or from a source with a trusted time, can be refused as stale.",
			"An undated delivery is dialed and counted undated.", "Send requestedAt in the payload, and set require_requested_at: true."),
		notice("Without a ledger a conflict is noticed within one batch only.", "The same key with another number or text rings both, or is answered with the first contact; nobody is told.", use),
	}
}
