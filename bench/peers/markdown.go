package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// write prints what was measured as a table in Markdown. It judges no figure: a busy machine is slow.
func write(w io.Writer, s settings, results []*result, before, after string) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s/%s, %d processors, %s; load average %s at the start, %s at the end. %d keys (%d on DynamoDB, on %s), %d lanes, %s.\n%s.\n\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), before, after, s.items, s.tableItems, s.emulator, s.lanes, rounds(s.rounds), versions())
	out.WriteString("| store | system | new/s | p50 / p99 ms | µs | repeats/s | p50 / p99 ms | µs | compared with | ratio, new | ratio, repeats |\n")
	out.WriteString("|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, r := range results {
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s |\n", r.system.store, r.system.name,
			r.figures(func(r round) phase { return r.fresh }), r.figures(func(r round) phase { return r.again }), orNothing(r.system.like), r.ratios(results))
	}
	out.WriteString("\n| store | system | an answer is durable by | requests for a new key / a repeat | refused for want of a lock, and asked again: new / repeats |\n|---|---|---|---|---|\n")
	for _, r := range results {
		requests := ""
		if r.system.store == onDynamoDB {
			requests = fmt.Sprintf("%.1f / %.1f", r.median(func(r round) float64 { return r.fresh.asked() }), r.median(func(r round) float64 { return r.again.asked() }))
		}
		var fresh, again int64
		for _, one := range r.rounds {
			fresh, again = fresh+one.fresh.refused, again+one.again.refused
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %d / %d |\n", r.system.store, r.system.name, r.system.durable, requests, fresh, again)
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func rounds(n int) string {
	if n == 1 {
		return "one round"
	}
	return fmt.Sprintf("the median of %d rounds", n)
}

func orNothing(name string) string { return strings.TrimPrefix(name, "ringonce ") }

func (r *result) figures(which func(round) phase) string {
	of := func(f func(phase) float64) float64 { return r.median(func(one round) float64 { return f(which(one)) }) }
	return fmt.Sprintf("%.0f | %.1f / %.1f | %.0f", of(phase.rate), of(func(p phase) float64 { return p.at(0.5) }), of(func(p phase) float64 { return p.at(0.99) }), of(phase.each))
}

// ratios returns how many times as much ringonce answered in the same round, the median of the rounds.
func (r *result) ratios(results []*result) string {
	for _, ours := range results {
		if r.system.like == "" || ours.system.name != r.system.like || ours.system.store != r.system.store {
			continue
		}
		var fresh, again []float64
		for i, one := range r.rounds {
			fresh = append(fresh, ours.rounds[i].fresh.rate()/one.fresh.rate())
			again = append(again, ours.rounds[i].again.rate()/one.again.rate())
		}
		return fmt.Sprintf("%.1f | %.1f", middle(fresh), middle(again))
	}
	return " | "
}

// load returns the load average of a minute, where the system tells.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if first, _, found := strings.Cut(string(text), " "); err == nil && found {
		return first
	}
	return "unknown"
}

// versions names the peers.
func versions() string {
	names := map[string]string{"github.com/dbos-inc/dbos-transact-golang": "DBOS Transact for Go", "github.com/riverqueue/river": "River"}
	var found []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if name := names[module.Path]; name != "" {
				found = append(found, name+" "+module.Version)
			}
		}
	}
	return strings.Join(append(found, "Powertools "+powertoolsVersion()), ", ")
}
