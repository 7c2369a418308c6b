package doctor

import (
	"fmt"
	"slices"
	"time"
)

// The figures that a deployment is held against.
const (
	// VisibilityFactor is how many function time-outs a message must stay invisible (AWS Lambda Developer Guide, "Creating and configuring
	// an Amazon SQS event source mapping").
	VisibilityFactor = 6
	// LeastReceives is the least maxReceiveCount: throttled invocations count as receives too (same page).
	LeastReceives = 5
	// Heartbeat is how old the last sweep may be before unfinished calls go back to their source (protocol.md section 8).
	Heartbeat = 5 * time.Minute
	// TokenMemory is how long a client token is trusted without a ledger (protocol.md section 9).
	TokenMemory = 6 * 24 * time.Hour
)

// Arithmetic judges how the parts of a deployment fit together.
func Arithmetic(d Deployment) []Finding {
	findings := []Finding{visibility(d), functionTime(d), partialResponses(d), receives(d), retention(d), memory(d), kinds(d), onFailure(d)}
	if d.Ledger != "none" {
		findings = append(findings, sweep(d))
		findings = append(findings, table(d.Table)...)
	}
	return findings
}

func judge(good bool, level Level, f Finding) Finding {
	f.Level = level
	if good {
		f.Level, f.Why, f.Fix = OK, "", ""
	}
	return f
}

func visibility(d Deployment) Finding {
	least := VisibilityFactor*d.Function.Timeout + d.Trigger.BatchingWindow
	return judge(d.Source.Visibility >= least, Fault, Finding{
		Check: "visibility", Subject: d.Source.Name,
		What: fmt.Sprintf("Messages stay invisible for %s; the function may take %s, so at least %s is needed.", d.Source.Visibility, d.Function.Timeout, least),
		Why:  "A message comes back while its first delivery is still being worked on. It rings once all the same, but its receive count runs out and good requests reach the dead-letter queue.",
		Fix:  fmt.Sprintf("Set the queue's VisibilityTimeout to %d seconds or more.", int(least/time.Second)),
	})
}

func functionTime(d Deployment) Finding {
	least := d.Function.Reserve + time.Second
	good := d.Function.Timeout > least
	return judge(good, Fault, Finding{
		Check: "function-timeout", Subject: d.Function.Name,
		What: fmt.Sprintf("The function may run for %s; no dial is started with less than %s left.", d.Function.Timeout, d.Function.Reserve),
		Why:  "Every invocation gives its records back at once: nothing ever rings.",
		Fix:  fmt.Sprintf("Set the function's Timeout well above %s, or lower lambda.reserve.", least),
	})
}

func partialResponses(d Deployment) Finding {
	return judge(d.Trigger.PartialResponses, Fault, Finding{
		Check: "partial-responses", Subject: d.Source.Name,
		What: fmt.Sprintf("The event source mapping reports failures by record: %t.", d.Trigger.PartialResponses),
		Why:  "Without it the answer of the function is not read: records that must come back are deleted, and requests are lost.",
		Fix:  "Add ReportBatchItemFailures to FunctionResponseTypes.",
	})
}

func receives(d Deployment) Finding {
	return judge(d.Source.MaxReceive >= LeastReceives && d.Source.DeadLetter != "", Fault, Finding{
		Check: "receives", Subject: d.Source.Name,
		What: fmt.Sprintf("A message is given up after %d receives, to %q.", d.Source.MaxReceive, d.Source.DeadLetter),
		Why:  fmt.Sprintf("Throttled invocations count as receives: below %d good requests are given up, and without a dead-letter queue they are lost.", LeastReceives),
		Fix:  fmt.Sprintf("Set a RedrivePolicy with maxReceiveCount %d or more and a dead-letter queue.", LeastReceives),
	})
}

func retention(d Deployment) Finding {
	return judge(d.DeadLetter.Retention > d.Source.Retention, Fault, Finding{
		Check: "retention", Subject: d.DeadLetter.Name,
		What: fmt.Sprintf("The dead-letter queue keeps messages for %s, the queue for %s.", d.DeadLetter.Retention, d.Source.Retention),
		Why:  "On a standard queue the age of a message goes on when it is given up: it can vanish from the dead-letter queue as soon as it gets there.",
		Fix:  "Let the dead-letter queue keep messages longer than the queue; 14 days are the most that SQS has.",
	})
}

// memory compares what is remembered with how late a delivery can come: once through the queue, and once more after a redrive.
func memory(d Deployment) Finding {
	remembered, level := Forever, Fault
	fix := "Switch the table's time to live off: calls are remembered for ever, and expiry is judged by condition."
	switch {
	case d.Ledger == "none":
		remembered, level = TokenMemory, Notice
		fix = "Use a ledger, or keep messages for a shorter time. Requests with requestedAt are refused as stale instead of ringing again."
	case d.Table.TTLAttribute != "":
		remembered = 0
	}
	horizon := d.Source.Retention + d.DeadLetter.Retention
	return judge(remembered >= horizon, level, Finding{
		Check: "memory", Subject: d.Table.Name,
		What: fmt.Sprintf("A delivery can come %s after the first one; calls are remembered %s.", horizon, span(remembered)),
		Why:  "A delivery that comes after its call was forgotten rings again.",
		Fix:  fix,
	})
}

func span(d time.Duration) string {
	if d == Forever {
		return "for ever"
	}
	if d == 0 {
		return "until the time to live deletes them"
	}
	return "for " + d.String()
}

func kinds(d Deployment) Finding {
	return judge(d.Source.FIFO == d.DeadLetter.FIFO, Fault, Finding{
		Check: "queue-kinds", Subject: d.DeadLetter.Name,
		What: fmt.Sprintf("FIFO: the queue %t, its dead-letter queue %t.", d.Source.FIFO, d.DeadLetter.FIFO),
		Why:  "SQS takes only a dead-letter queue of the same kind.",
		Fix:  "Make both FIFO queues or both standard queues.",
	})
}

func onFailure(d Deployment) Finding {
	return judge(d.Function.OnFailure, Fault, Finding{
		Check: "on-failure", Subject: d.Function.Name,
		What: fmt.Sprintf("Asynchronous invocations that fail for good are kept: %t.", d.Function.OnFailure),
		Why:  "EventBridge, SNS and Scheduler invoke asynchronously: after two retries or 6 hours Lambda drops the event, and the request is lost.",
		Fix:  "Set an on-failure destination for asynchronous invocations.",
	})
}

func sweep(d Deployment) Finding {
	good := d.Sweep.Enabled && d.Sweep.Every > 0 && d.Sweep.Every < Heartbeat
	return judge(good, Fault, Finding{
		Check: "sweep-schedule", Subject: d.Sweep.Name,
		What: fmt.Sprintf("The sweep is started every %s; enabled: %t.", d.Sweep.Every, d.Sweep.Enabled),
		Why:  "Held calls, lost answers and due re-calls are moved on by the sweep alone; when it is silent for 5 minutes unfinished calls go back to their queue.",
		Fix:  "Enable a schedule of one minute that invokes the function.",
	})
}

func table(t Table) []Finding {
	return []Finding{
		judge(t.HashKey == "pk" && t.RangeKey == "", Fault, Finding{
			Check: "table-key", Subject: t.Name, What: fmt.Sprintf("The table's key is %q, range key %q.", t.HashKey, t.RangeKey),
			Why: "The ledger reads and writes by pk alone.", Fix: "Make the table with the hash key pk (a string) and no range key.",
		}),
		judge(slices.Contains(t.Indexes, "due"), Fault, Finding{
			Check: "table-due", Subject: t.Name, What: fmt.Sprintf("The table has the indexes %q.", t.Indexes),
			Why: "Without the index due the sweep finds nothing.", Fix: "Add the index due (docs/dynamodb.md).",
		}),
		judge(t.TTLAttribute == "", Fault, Finding{
			Check: "table-ttl", Subject: t.Name, What: fmt.Sprintf("Time to live is on attribute %q.", t.TTLAttribute),
			Why: "DynamoDB would delete calls, and a forgotten call rings again.", Fix: "Switch time to live off.",
		}),
		judge(!t.EventualReplica, Fault, Finding{
			Check: "table-replicas", Subject: t.Name, What: fmt.Sprintf("A global table with eventual consistency: %t.", t.EventualReplica),
			Why: "Two Regions can each create the same call: the phone rings twice.", Fix: "Use one Region, or multi-Region strong consistency.",
		}),
		judge(t.PointInTime, Warning, Finding{
			Check: "table-backup", Subject: t.Name, What: fmt.Sprintf("Point-in-time recovery: %t.", t.PointInTime),
			Why: "A table that is lost takes the memory of every call with it.", Fix: "Switch point-in-time recovery on.",
		}),
		judge(t.Protected, Warning, Finding{
			Check: "table-protection", Subject: t.Name, What: fmt.Sprintf("Deletion protection: %t.", t.Protected),
			Why: "Deleting the stack deletes the ledger.", Fix: "Switch deletion protection on.",
		}),
		judge(t.KMS, Warning, Finding{
			Check: "table-encryption", Subject: t.Name, What: fmt.Sprintf("Encrypted under a KMS key: %t.", t.KMS),
			Why: "Who can read the table can read phone numbers, without a second permission that can be withdrawn.", Fix: "Set SSESpecification with a KMS key.",
		}),
	}
}
