package main

import (
	"fmt"
	"io"
	"runtime"
	"text/tabwriter"
	"time"
)

// write prints what was measured. It judges nothing: a busy machine is slow.
func write(w io.Writer, s settings, rows []row) {
	_, _ = fmt.Fprintf(w, "ringonce serve on %s, %s/%s, %d CPUs shared with the clients, %d lanes\n\n", s.ledger, runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), s.lanes)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprint(table, "stage\tanswers\ta second\tp50 ms\tp99 ms\tmax ms\tserver µs\tclient µs\tPostgreSQL µs\tstatuses\t\n")
	for _, r := range rows {
		_, _ = fmt.Fprintf(table, "%s\t%d\t%.0f\t%.2f\t%.2f\t%.2f\t%.0f\t%.0f\t%.0f\t%s\t\n", r.name, len(r.times), float64(len(r.times))/r.took.Seconds(), ms(at(r.times, 0.5)), ms(at(r.times, 0.99)), ms(at(r.times, 1)), r.each(r.served), r.each(r.asked), r.each(r.stored), r.answered())
	}
	_ = table.Flush()
	for _, r := range rows {
		if len(r.refusals) > 0 {
			_, _ = fmt.Fprintf(w, "\n%s: 503 after p50 %.2f ms, p99 %.2f ms, at most %.2f ms; %d accepted, none of them lost\n", r.name, ms(at(r.refusals, 0.5)), ms(at(r.refusals, 0.99)), ms(at(r.refusals, 1)), len(r.accepted))
		}
		if r.peak > 0 {
			_, _ = fmt.Fprintf(w, "\npeak memory of the service %.1f MB\n", float64(r.peak)/1e6)
		}
	}
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// each returns the microseconds of processor time for one answer.
func (r row) each(spent time.Duration) float64 {
	if len(r.times) == 0 {
		return 0
	}
	return float64(spent.Microseconds()) / float64(len(r.times))
}
