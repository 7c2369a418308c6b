package doctor

import (
	"fmt"
	"strings"
	"time"
)

// JudgeSourceQueues judges what only live queues show; deadLetter is nil when it was not seen.
func JudgeSourceQueues(source Queue, deadLetter *Queue) []Finding {
	queues := []Queue{source}
	if deadLetter != nil {
		queues = append(queues, *deadLetter)
	}
	var findings []Finding
	for _, q := range queues {
		findings = append(findings, judge(q.Encrypted, Warning, Finding{
			Check: "queue-encryption", Subject: q.Name, What: fmt.Sprintf("Messages are encrypted at rest: %t.", q.Encrypted),
			Why: "Requests hold phone numbers.", Fix: "Switch on SqsManagedSseEnabled, or set a KMS key.",
		}))
	}
	if deadLetter != nil {
		findings = append(findings, judge(deadLetter.Waiting == 0, Warning, Finding{
			Check: "dead-letters", Subject: deadLetter.Name, What: fmt.Sprintf("%d requests wait in the dead-letter queue.", deadLetter.Waiting),
			Why: "Nobody is rung for them, and they vanish when their retention ends.", Fix: "Run ringonce replay --queue URL --dry-run to see what each of them would do.",
		}))
	}
	return findings
}

// JudgeTrigger judges what only a live event source mapping shows.
func JudgeTrigger(source, function string, t Trigger) []Finding {
	state := t.State
	if state == "" {
		state = "absent"
	}
	findings := []Finding{judge(t.State == "Enabled", Fault, Finding{
		Check: "trigger", Subject: function, What: fmt.Sprintf("The event source mapping from %s is %s.", source, strings.ToLower(state)),
		Why: "Nothing brings the requests to the function: nothing rings.", Fix: "Make an event source mapping from the queue to the function, and enable it.",
	})}
	if t.State == "" {
		return findings
	}
	return append(findings, judge(t.Concurrency > 0, Notice, Finding{
		Check: "concurrency", Subject: function, What: fmt.Sprintf("The mapping starts at most %d invocations at once (0: no limit).", t.Concurrency),
		Why: "A burst then starts many, each of which waits for the same pace; those that wait in vain use up receives.", Fix: "Set MaximumConcurrency, for example to 2.",
	}))
}

// JudgeFunction judges what only a live function shows.
func JudgeFunction(f Function) Finding {
	return judge(f.State == "Active", Fault, Finding{
		Check: "function", Subject: f.Name, What: fmt.Sprintf("The function is %s (%s, time-out %s).", f.State, f.Architecture, f.Timeout),
		Why: "A function that is not active is not invoked.", Fix: "Look at the state reason of the function, and deploy it again.",
	})
}

// JudgeSweepTarget judges whether the schedule starts the function, whose ARN may carry a version or an alias.
func JudgeSweepTarget(s Schedule, function string) Finding {
	good := s.Target == function || strings.HasPrefix(s.Target, function+":")
	return judge(good, Fault, Finding{
		Check: "sweep-target", Subject: s.Name, What: fmt.Sprintf("The schedule starts %s.", s.Target),
		Why: "The sweep never runs: held calls and doubts are not moved on.", Fix: "Make the function the schedule's target.",
	})
}

// The bounds of the clock's distance from the clock of AWS.
const (
	// SkewWarning is where the distance is worth mending.
	SkewWarning = time.Minute
	// SkewFault is where AWS refuses signatures (protocol.md section 0, F6).
	SkewFault = 5 * time.Minute
)

// JudgeClock judges how far this machine's clock is ahead of the Date header of an AWS answer; negative when it is behind.
func JudgeClock(ahead time.Duration) Finding {
	level, distance := Warning, ahead.Abs()
	if distance > SkewFault {
		level = Fault
	}
	return judge(distance <= SkewWarning, level, Finding{
		Check: "clock", What: fmt.Sprintf("This machine's clock is %s from the clock of AWS (positive: ahead).", ahead.Round(time.Second)),
		Why: "Signatures that are more than 5 minutes off are refused, and every window of the protocol is measured by this clock.",
		Fix: "Let a time service (chrony, systemd-timesyncd) set the clock.",
	})
}

// JudgeOverrides judges a production environment by the variables that would send an SDK elsewhere.
func JudgeOverrides(variables []string) Finding {
	what := "The configuration is one for real telephones."
	if len(variables) > 0 {
		what = "The configuration is one for real telephones, and these variables name other endpoints: " + strings.Join(variables, ", ") + "."
	}
	return judge(len(variables) == 0, Fault, Finding{
		Check: "configuration", What: what, Why: "An endpoint of one's own could delay requests or sign them again; workers refuse to start beside such a variable.",
		Fix: "Unset them.",
	})
}
