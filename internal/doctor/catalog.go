package doctor

import "slices"

// Group says what a check is about; findings are shown by group.
type Group string

// The groups in the order in which they are shown.
const (
	GroupAccount  Group = "account"
	GroupConnect  Group = "Amazon Connect"
	GroupSource   Group = "queue"
	GroupFunction Group = "function"
	GroupSweep    Group = "sweep"
	GroupLedger   Group = "ledger"
	GroupCalls    Group = "calls"
)

// Groups returns every group in the order in which they are shown.
func Groups() []Group {
	return []Group{GroupAccount, GroupConnect, GroupSource, GroupFunction, GroupSweep, GroupLedger, GroupCalls}
}

// Check is one line of the catalog: what a finding of this name is about, and how bad it can be.
type Check struct {
	Name  string
	Group Group
	Worst Level  // of its findings
	Asks  string // what it looks at, as a sentence for the documentation
	needs needs  // the parts whose figures it compares; none for checks of their own
}

type needs struct{ source, deadLetter, trigger, function, sweep, table bool }

// Checks returns the catalog in the order of the groups. A test holds docs/doctor.md and every finding to it.
func Checks() []Check {
	return slices.Concat(accountChecks, connectChecks, sourceChecks, functionChecks, sweepChecks, ledgerChecks, callChecks)
}

// GroupOf returns the group of a check; of a name that the catalog lacks, the last one.
func GroupOf(name string) Group {
	for _, c := range Checks() {
		if c.Name == name {
			return c.Group
		}
	}
	return GroupCalls
}

var accountChecks = []Check{
	{Name: "configuration", Group: GroupAccount, Worst: Fault, Asks: "Is this configuration for real telephones, or for emulators?"},
	{Name: "credentials", Group: GroupAccount, Worst: Fault, Asks: "Are there credentials, and does AWS know them?"},
	{Name: "clock", Group: GroupAccount, Worst: Fault, Asks: "How far is this machine's clock from the clock of AWS? Beyond 5 minutes signatures are refused."},
}

var connectChecks = []Check{
	{Name: "instance", Group: GroupConnect, Worst: Fault, Asks: "Does the instance of the profile exist in its Region, and is it active?"},
	{Name: "outbound-calls", Group: GroupConnect, Worst: Fault, Asks: "Are outbound calls enabled for the instance?"},
	{Name: "flow", Group: GroupConnect, Worst: Fault, Asks: "Does the flow exist, is it published and not archived?"},
	{Name: "call-queue", Group: GroupConnect, Worst: Fault, Asks: "Does the queue of the profile exist, and is it enabled?"},
	{Name: "caller-id", Group: GroupConnect, Worst: Fault, Asks: "Which number is shown to the called: that of the profile, or that of its queue?"},
	{Name: "source-phone", Group: GroupConnect, Worst: Fault, Asks: "Is the profile's source_phone a number that the instance has claimed?"},
	{Name: "pacing", Group: GroupConnect, Worst: Warning, Asks: "Is pacing.per_second within the quota of StartOutboundVoiceContact, which all of the account and Region share?"},
	{Name: "concurrent-calls", Group: GroupConnect, Worst: Notice, Asks: "How long may calls last at that pace before the quota of concurrent calls is full?"},
}

var sourceChecks = []Check{
	{Name: "source", Group: GroupSource, Worst: Unknown, Asks: "Can the queue and its dead-letter queue be read?"},
	{Name: "visibility", Group: GroupSource, Worst: Fault, Asks: "Do messages stay invisible for 6 function time-outs and the batching window?", needs: needs{source: true, function: true, trigger: true}},
	{Name: "receives", Group: GroupSource, Worst: Fault, Asks: "Is there a dead-letter queue, after 5 receives or more?", needs: needs{source: true}},
	{Name: "retention", Group: GroupSource, Worst: Fault, Asks: "Does the dead-letter queue keep messages longer than the queue?", needs: needs{source: true, deadLetter: true}},
	{Name: "memory", Group: GroupSource, Worst: Fault, Asks: "Are calls remembered for longer than a delivery can be late?", needs: needs{source: true, deadLetter: true}},
	{Name: "queue-kinds", Group: GroupSource, Worst: Fault, Asks: "Are queue and dead-letter queue of one kind, FIFO or standard?", needs: needs{source: true, deadLetter: true}},
	{Name: "queue-encryption", Group: GroupSource, Worst: Warning, Asks: "Are both queues encrypted at rest? Requests hold phone numbers."},
	{Name: "dead-letters", Group: GroupSource, Worst: Warning, Asks: "Are there requests in the dead-letter queue that nobody has looked at?"},
}

var functionChecks = []Check{
	{Name: "function", Group: GroupFunction, Worst: Fault, Asks: "Does the function exist, and is it active?"},
	{Name: "function-timeout", Group: GroupFunction, Worst: Fault, Asks: "May the function run well beyond lambda.reserve?", needs: needs{function: true}},
	{Name: "trigger", Group: GroupFunction, Worst: Fault, Asks: "Is there an enabled event source mapping from the queue to the function?"},
	{Name: "partial-responses", Group: GroupFunction, Worst: Fault, Asks: "Does the mapping report failures by record (ReportBatchItemFailures)?", needs: needs{trigger: true}},
	{Name: "concurrency", Group: GroupFunction, Worst: Notice, Asks: "Is the mapping's concurrency limited (MaximumConcurrency)?"},
	{Name: "on-failure", Group: GroupFunction, Worst: Fault, Asks: "Is an asynchronous invocation that fails for good kept somewhere?", needs: needs{function: true}},
	{Name: "contact-rule", Group: GroupFunction, Worst: Fault, Asks: "Is the rule of contact events enabled, and do the events of the instances match it?"},
	{Name: "contact-target", Group: GroupFunction, Worst: Fault, Asks: "Does the rule hand the events to the function, or to a queue that it reads?"},
}

var sweepChecks = []Check{
	{Name: "sweep-schedule", Group: GroupSweep, Worst: Fault, Asks: "Is the sweep started more often than every 5 minutes?", needs: needs{sweep: true}},
	{Name: "sweep-target", Group: GroupSweep, Worst: Fault, Asks: "Does the schedule start the function?"},
	{Name: "heartbeat", Group: GroupSweep, Worst: Fault, Asks: "Has a sweep run on the ledger in the last 5 minutes?"},
	{Name: "overdue", Group: GroupSweep, Worst: Fault, Asks: "Are there calls whose time came more than 5 minutes ago?"},
}

var ledgerChecks = []Check{
	{Name: "ledger", Group: GroupLedger, Worst: Fault, Asks: "Can the ledger be opened? On SQLite this reads back WAL and synchronous=FULL."},
	{Name: "identity", Group: GroupLedger, Worst: Fault, Asks: "Are identity mode and key those that the ledger was made with?"},
	{Name: "went-back", Group: GroupLedger, Worst: Fault, Asks: "Does the ledger's witness, or the table's id, say that it was restored from a backup?"},
	{Name: "recovery", Group: GroupLedger, Worst: Warning, Asks: "Is a recovery open?"},
	{Name: "do-not-call", Group: GroupLedger, Worst: Fault, Asks: "Is the key of the do-not-call list the one that it was made with?"},
	{Name: "paused", Group: GroupLedger, Worst: Warning, Asks: "Has somebody paused calls, and not resumed them?"},
	{Name: "table", Group: GroupLedger, Worst: Fault, Asks: "Does the table exist, and can its settings be read?"},
	{Name: "table-key", Group: GroupLedger, Worst: Fault, Asks: "Is pk the table's key?", needs: needs{table: true}},
	{Name: "table-due", Group: GroupLedger, Worst: Fault, Asks: "Is there the index by which the sweep finds calls?", needs: needs{table: true}},
	{Name: "table-ttl", Group: GroupLedger, Worst: Fault, Asks: "Is time to live off?", needs: needs{table: true}},
	{Name: "table-replicas", Group: GroupLedger, Worst: Fault, Asks: "Is the table in one Region, or strongly consistent?", needs: needs{table: true}},
	{Name: "table-backup", Group: GroupLedger, Worst: Warning, Asks: "Is point-in-time recovery on?", needs: needs{table: true}},
	{Name: "table-protection", Group: GroupLedger, Worst: Warning, Asks: "Is deletion protection on?", needs: needs{table: true}},
	{Name: "table-encryption", Group: GroupLedger, Worst: Warning, Asks: "Is the table encrypted under a KMS key?", needs: needs{table: true}},
	{Name: "file-mode", Group: GroupLedger, Worst: Warning, Asks: "Can only its owner read the ledger's files?"},
	{Name: "witness", Group: GroupLedger, Worst: Fault, Asks: "Is the witness there, and outside the ledger's directory?"},
	{Name: "witness-disk", Group: GroupLedger, Worst: Notice, Asks: "Is the witness on another disk? A rollback of the whole disk, witness included, is not detectable."},
	{Name: "disk-space", Group: GroupLedger, Worst: Warning, Asks: "Is there room on the ledger's disk?"},
	{Name: "spool", Group: GroupLedger, Worst: Warning, Asks: "Do facts wait that the ledger did not take?"},
	{Name: "no-ledger", Group: GroupLedger, Worst: Notice, Asks: "What is given up without a ledger?"},
}

var callChecks = []Check{
	{Name: "resend", Group: GroupCalls, Worst: Fault, Asks: "Does the profile's resend policy fit what doctor --measure-token found out about the token?"},
	{Name: "prefixes", Group: GroupCalls, Worst: Warning, Asks: "Which prefixes has Amazon Connect refused so far?"},
	{Name: "shared-pace", Group: GroupCalls, Worst: Notice, Asks: "Does each of several processes on one ledger pace dials and looks for itself?"},
	{Name: "numbering-plan", Group: GroupCalls, Worst: Notice, Asks: "Which numbering plan do decisions about numbers rest on, of which day, and what displays numbers?"},
	{Name: "destinations", Group: GroupCalls, Worst: Warning, Asks: "Which prefixes are allowed by their digits although the numbering plan would refuse their numbers?"},
}
