package main

import (
	"fmt"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

const acknowledgeText = `What a source is told about a delivery depends on what the delivery met, on the source, on whether there is a ledger, and on
whether a sweeper runs on it (a heartbeat younger than 5 minutes). Lambda, the poller and HTTP read this one table.

- **acknowledge**: the source may forget the delivery. It is never said before the call is durable.
- **retry**: the source delivers it again: a partial batch response, an error of an asynchronous invocation, 503 with Retry-After.
- **refuse**: it will never ring as it is. On a queue it travels to the dead-letter queue, over HTTP it is a 4xx,
  and on a stream it holds the shard up until the mapping gives up (its retries and age are yours to bound); an on-failure destination
  of a stream keeps the position only, not the record.
- **-**: cannot occur.

An unfinished call is acknowledged only while a sweeper runs, because only the sweeper finishes it once the source forgot it.
`

// acknowledge writes the acknowledge table, one section for each ledger mode.
func acknowledge() string {
	var b strings.Builder
	b.WriteString(header("Acknowledging deliveries", "internal/call/acktable.go"))
	b.WriteString(acknowledgeText)
	writeTable(&b, "With a ledger", call.ModeLedger)
	writeTable(&b, "Without a ledger", call.ModeNone)
	return b.String()
}

func writeTable(b *strings.Builder, title string, mode call.Mode) {
	fmt.Fprintf(b, "\n## %s\n\n| met | sweeper |", title)
	for _, source := range call.Sources() {
		fmt.Fprintf(b, " %s |", source)
	}
	b.WriteString(" why |\n|---|---|" + strings.Repeat("---|", len(call.Sources())) + "---|\n")
	for _, row := range call.AckTable() {
		if row.Mode != mode {
			continue
		}
		sweeper := "no"
		if row.Sweeper {
			sweeper = "yes"
		}
		fmt.Fprintf(b, "| %s | %s |", row.Met, sweeper)
		for _, ack := range row.Acks {
			fmt.Fprintf(b, " %s |", ack)
		}
		fmt.Fprintf(b, " %s |\n", row.Why)
	}
}
