package model

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// Report explores configurations, some at a time, and writes a line for each as it ends. It returns what failed: a finding in the shipped
// protocol, a variant that was not found, a limit that was reached, a kind of transition that was never made.
func Report(out io.Writer, configs []*Config, parallel int, stories bool) (failed []string) {
	var mu sync.Mutex
	all := newCoverage()
	states, edges, shipped := 0, 0, 0
	queue := make(chan *Config)
	var wait sync.WaitGroup
	_, _ = fmt.Fprintf(out, "%-20s %10s %11s %6s  %s\n", "configuration", "states", "edges", "depth", "result")
	for range parallel {
		wait.Go(func() {
			for c := range queue {
				r := Explore(c)
				mu.Lock()
				states, edges = states+r.States, edges+r.Edges
				if c.Variant == Shipped {
					all.add(r.seen)
					shipped++
				}
				failed = append(failed, r.failures()...)
				r.write(out, stories)
				mu.Unlock()
			}
		})
	}
	for _, c := range configs {
		queue <- c
	}
	close(queue)
	wait.Wait()
	_, _ = fmt.Fprintf(out, "\n%d configurations, %d states, %d edges\n", len(configs), states, edges)
	if shipped == len(Configurations()) {
		all.write(out)
		for _, kind := range all.missing() {
			failed = append(failed, "never reached: "+kind)
		}
	}
	return failed
}

// failures says what of a result must not be.
func (r *Result) failures() []string {
	name := r.Config.Name
	switch {
	case r.Partial:
		return []string{name + ": the limit was reached, nothing is proven"}
	case r.Config.Breaks == "" && r.Found != "":
		return append([]string{name + ": " + string(r.Found) + ": " + r.Detail}, r.Story...)
	case r.Config.Breaks != "" && r.Found != r.Config.Breaks:
		return []string{name + ": the planted defect was not found"}
	case r.Config.Variant == Shipped:
		var failed []string
		for _, kind := range r.unused() {
			failed = append(failed, name+" never reached: "+kind)
		}
		return failed
	}
	return nil
}

func (r *Result) write(out io.Writer, stories bool) {
	result := "clean"
	switch {
	case r.Partial:
		result = "LIMIT"
	case r.Found != "":
		result = fmt.Sprintf("%s in %d steps: %s", r.Found, r.steps(), r.Detail)
	}
	_, _ = fmt.Fprintf(out, "%-20s %10d %11d %6d  %s\n", r.Config.Name, r.States, r.Edges, r.Depth, result)
	if stories {
		_, _ = fmt.Fprintf(out, "    (%s; %s)\n", r.Config.About, r.Config.bounds())
		for _, line := range r.Story {
			_, _ = fmt.Fprintln(out, "    "+line)
		}
	}
}

// steps is the length of the counterexample.
func (r *Result) steps() int {
	n := 0
	for _, line := range r.Story {
		if !strings.HasPrefix(line, " ") && !strings.HasPrefix(line, "=>") && line != "faults stop" {
			n++
		}
	}
	return n
}

// bounds states what a configuration is bounded by.
func (c *Config) bounds() string {
	copies := make([]string, len(c.Messages))
	for i := range c.Messages {
		copies[i] = fmt.Sprint(c.Messages[i].Copies)
	}
	parts := []string{fmt.Sprintf("%d workers, %d rings, copies %s, %d instants, %d attempts", c.Workers, c.Rings, strings.Join(copies, "+"), len(c.Points), c.Budget.Attempts)}
	for _, f := range c.Budget.faults() {
		if f.most > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", f.name, f.most))
		}
	}
	return strings.Join(parts, ", ")
}

type faultBudget struct {
	name string
	most uint8
	used func(*coverage) int
}

// faults lists the budget with what shows that it was used.
func (b Budget) faults() []faultBudget {
	way := func(w uint8) func(*coverage) int { return func(c *coverage) int { return c.ways[w] } }
	act := func(k kind) func(*coverage) int { return func(c *coverage) int { return c.actions[k] } }
	return []faultBudget{
		{"crash", b.Crash, act(doCrash)},
		{"loss", b.Loss, way(wayLost)},
		{"give up", b.GiveUp, way(wayNotApplied)},
		{"lost", b.Lost, way(wayAnswerLost)},
		{"delay", b.Delay, way(wayDelayed)},
		{"refuse", b.Refuse, way(wayRefused)},
		{"throttle", b.Throttle, way(wayThrottled)},
		{"setup", b.Setup, way(waySetup)},
		{"not sent", b.NotSent, way(wayNotSent)},
		{"end", b.End, act(doEnd)},
		{"clock", b.Step, act(doClock)},
		{"drift", b.Drift, act(doDrift)},
		{"click", b.Click, act(doClick)},
		{"rule", b.Rule, act(doRule)},
		{"restore", b.Restore / 2, act(doRestore)},
		{"event", b.Event, act(doEvent)},
		{"hold", b.Hold, func(c *coverage) int { return c.actions[doDeliver] }},
	}
}

// unused lists the faults of the configuration that never happened.
func (r *Result) unused() []string {
	var unused []string
	for _, f := range r.Config.Budget.faults() {
		if f.most > 0 && f.used(r.seen) == 0 {
			unused = append(unused, f.name)
		}
	}
	return unused
}

// write prints how often each kind of transition was made.
func (c *coverage) write(out io.Writer) {
	_, _ = fmt.Fprintln(out, "\ntransitions of the shipped protocol, by kind:")
	for _, r := range c.rows() {
		_, _ = fmt.Fprintf(out, "%12d  %s\n", r.n, r.name)
	}
	for _, part := range []struct {
		name string
		of   map[string]int
	}{{"claims", c.claims}, {"replies", c.replies}} {
		_, _ = fmt.Fprintf(out, "different %s by the core: %d kinds\n", part.name, len(part.of))
		for _, k := range slices.Sorted(maps.Keys(part.of)) {
			_, _ = fmt.Fprintf(out, "%12d  %s\n", part.of[k], strings.TrimSpace(k))
		}
	}
}

type coverageRow struct {
	name string
	n    int
}

// rows lists everything that must be reached.
func (c *coverage) rows() []coverageRow {
	names := [...]string{
		doTick: "tick", doStep: "effect of a worker", doDeliver: "deliver", doSweep: "sweep", doSpool: "merge from the spool", doClick: "click", doRule: "re-call by rule",
		doEvent: "contact event", doCrash: "crash", doLand: "a delayed request lands", doEnd: "a contact ends", doClock: "a clock is set right", doDrift: "the configuration changes",
		doBackup: "backup", doRestore: "restore", doDie: "the sweeper dies",
	}
	var rows []coverageRow
	for k, name := range names {
		rows = append(rows, coverageRow{name, c.actions[k]})
	}
	for w, words := range wayWords {
		if words != "" && uint8(w) != wayLibrary {
			rows = append(rows, coverageRow{"in the way: " + strings.TrimPrefix(words, ", "), c.ways[w]})
		}
	}
	for pc, words := range stepWords {
		if words != "" {
			rows = append(rows, coverageRow{"effect: " + words, c.counters[pc]})
		}
	}
	for _, k := range call.EventKinds() {
		if k != call.EventNoted && k != call.EventForgetting && k != call.EventForgotten && k != call.EventCanceled && !k.OfOutcome() {
			rows = append(rows, coverageRow{"event: " + string(k), c.events[k]})
		}
	}
	for _, class := range classes[1:] {
		rows = append(rows, coverageRow{"answer: " + string(class), c.classes[class]})
	}
	for _, s := range call.States()[2:] {
		rows = append(rows, coverageRow{"end state: " + string(s), c.ends[s]})
	}
	return append(rows, []coverageRow{
		{"the phone rings", c.rings},
		{"answered with the token's old contact", c.repeated},
		{"rejected: signature not fresh", c.stale},
		{"landed after its worker had given up", c.late},
		{"kept off the wire by the send guard", c.guarded},
		{"lost compare", c.lostCompares},
		{"acknowledged", len(c.acked)},
		{"returned to the source", len(c.returned)},
		{"refused", c.refused},
		{"re-call refused: the ring moved", c.recalls[call.CodeRingMoved]},
		{"re-call refused: not final", c.recalls[call.CodeNotFinal]},
	}...) // A re-call is never refused because the doubt is not settled: the core calls no such call in doubt. R9 and N24 break both.
}

// missing lists the kinds that were never reached.
func (c *coverage) missing() []string {
	var missing []string
	for _, r := range c.rows() {
		if r.n == 0 {
			missing = append(missing, r.name)
		}
	}
	for _, said := range []struct {
		by     string
		names  []string
		counts map[string]int
	}{{"claim: ", mustClaim[:], c.claims}, {"reply: ", mustReply[:], c.replies}} {
		for _, name := range said.names {
			if said.counts[name] == 0 {
				missing = append(missing, said.by+name)
			}
		}
	}
	return missing
}
