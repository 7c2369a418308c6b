package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"text/tabwriter"
	"time"
)

// The goals of a cold start.
const (
	goalTime   = 15 * time.Millisecond
	goalSize   = 14e6
	goalMemory = 20e6
)

// write prints the table and reports whether every goal was met. The time is judged by its median: on a shared machine the tail
// belongs to the neighbors.
func write(w io.Writer, s settings, size int64, rows []row) bool {
	met := size < goalSize
	_, _ = fmt.Fprintf(w, "%s, %s/%s, %d CPUs, %d starts a row\n\n", strings.TrimSpace(s.pkg+" "+s.args), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), s.runs)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprint(table, "first event\tmin ms\tmedian ms\tp95 ms\tmax ms\tpeak memory MB\t\n")
	for _, r := range rows {
		met = met && r.at(0.5) < goalTime && r.peak < goalMemory
		_, _ = fmt.Fprintf(table, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f to %.1f\t\n", r.event, ms(r.at(0)), ms(r.at(0.5)), ms(r.at(0.95)), ms(r.at(1)), megabytes(r.lowest), megabytes(r.peak))
	}
	_ = table.Flush()
	_, _ = fmt.Fprintf(w, "\nstripped size %.1f MB\ngoals: median under %.0f ms, peak memory under %.0f MB, size under %.0f MB: %s\n",
		megabytes(size), ms(goalTime), megabytes(goalMemory), megabytes(goalSize), map[bool]string{true: "met", false: "missed"}[met])
	return met
}

// at returns a quantile of the times.
func (r row) at(q float64) time.Duration { return r.times[int(q*float64(len(r.times)-1))] }

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func megabytes(bytes int64) float64 { return float64(bytes) / 1e6 }
