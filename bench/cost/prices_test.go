package cost_test

import (
	"fmt"
	"strings"
	"testing"
)

// Prices in US dollars, us-east-1, on demand, as public pages gave them in 2026. docs/cost.md says so and has the formula.
const (
	perWrite      = 0.625 / 1e6  // DynamoDB write request unit
	perRead       = 0.125 / 1e6  // DynamoDB read request unit
	perSQS        = 0.40 / 1e6   // SQS request, standard queue
	perInvocation = 0.20 / 1e6   // Lambda request
	perGBSecond   = 0.0000133334 // Lambda, arm64
	perMetric     = 0.30         // CloudWatch custom metric and month, first tier
	perAlarm      = 0.10         // CloudWatch alarm and month
	perKey        = 1.00         // KMS key and month
	perScheduled  = 1.00 / 1e6   // EventBridge Scheduler invocation

	memoryGB     = 0.25
	batch        = 10.0      // messages of one invocation under load
	dialSeconds  = 0.3       // of a first call, dialed 10 at a time
	dupSeconds   = 0.01      // of a duplicate
	sweepSeconds = 0.05      // of a sweep that finds nothing
	sweepsMonth  = 30 * 1440 // one each minute
)

// queueing is what one message costs outside the ledger: sent, received and deleted in batches of ten but the sending, and its share of an
// invocation.
func queueing(seconds float64) float64 {
	return perSQS*(1+2/batch) + perInvocation/batch + perGBSecond*memoryGB*seconds
}

func (u units) money() float64 { return (u.writes+u.indexed())*perWrite + u.reads*perRead }

func moneyTable(rows []row) string {
	var out strings.Builder
	out.WriteString("| ledger | 1,000 first calls: ledger | with queue and function | 1,000 duplicates: ledger | with queue and function |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s |\n", r.name,
			dollars(1000*r.first.money()), dollars(1000*(r.first.money()+queueing(dialSeconds))),
			dollars(1000*r.duplicate.money()), dollars(1000*(r.duplicate.money()+queueing(dupSeconds))))
	}
	return out.String()
}

func dollars(n float64) string { return fmt.Sprintf("$%.5f", n) }

// sweeping measures a sweep that finds nothing.
func sweeping(t *testing.T) units {
	t.Helper()
	w := start(t, setup{})
	return w.sweep()
}

func monthTable(sweep units) string {
	var out strings.Builder
	out.WriteString("| what stands still | a month |\n|---|---|\n")
	line := func(what string, n float64) { fmt.Fprintf(&out, "| %s | $%.2f |\n", what, n) }
	line(fmt.Sprintf("%s sweeps: %g write and %g read units each", grouped(sweepsMonth), sweep.writes+sweep.indexed(), sweep.reads), sweepsMonth*sweep.money())
	line("their invocations and schedule", sweepsMonth*(perInvocation+perScheduled+perGBSecond*memoryGB*sweepSeconds))
	line("one custom metric of CloudWatch", perMetric)
	line("one alarm", perAlarm)
	line("one customer key of KMS", perKey)
	return out.String()
}
