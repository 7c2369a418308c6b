package crashtest

import (
	"slices"

	"github.com/ringonce/ringonce/internal/call"
)

// verdict compares what rang with what was asked for, and lets the command line audit the ledger. It returns everything that is not as it must be.
func (w *world) verdict() []string {
	rows, rings := w.rows(), map[string][]string{} // numbers, by row
	for _, ring := range w.emulator.Rings() {
		id := ring.Attributes["ringonceCallId"]
		rings[id] = append(rings[id], ring.Number)
	}
	for _, s := range w.subjects {
		w.judge(s, rows, rings)
	}
	known := map[string]bool{}
	for _, s := range w.subjects {
		for ring := range mostRings {
			known[s.row(ring)] = true
		}
	}
	for id, numbers := range rings {
		if !known[id] {
			w.find("%d rings that nobody asked for, of call %s", len(numbers), id)
		}
	}
	for _, body := range w.queue.poisoned {
		w.find("delivered %d times: %s", tooOften, body)
	}
	if kept := len(w.parked()); kept != w.littered-w.dropped {
		w.find("%d records are parked: %d could not be read, and %d of them were dropped", kept, w.littered, w.dropped)
	}
	if err := w.emulator.EndTruth(); err != nil {
		w.t.Fatal(err)
	}
	w.sound("ledger", "verify")
	w.sound("ledger", "audit", "--truth", w.path("truth.log"))
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.findings)
}

// mostRings is how many ring numbers a key can have here: a second one whose token grew too old goes on under a third.
const mostRings = 3

// judge compares one subject: rings = requests, none lost, and the ledger says what happened.
func (w *world) judge(s *subject, rows map[string]call.Call, rings map[string][]string) {
	total := 0
	for ring := range mostRings {
		id := s.row(ring)
		row, known := rows[id]
		rang := rings[id]
		total += len(rang)
		if len(rang) > 1 {
			w.find("%s: a second ring: %d rings of ring number %d", s.id, len(rang), ring)
		}
		for _, number := range rang {
			if !slices.Contains(s.numbers, number) {
				w.find("%s: a number rang that nobody asked for", s.id)
			}
		}
		if known && !s.atMost && !slices.Contains(s.states, row.State) {
			w.find("%s: ring number %d is %s and not %v", s.id, ring, row.State, s.states)
		}
		if known && (row.State == call.Placed) != (len(rang) > 0) {
			w.find("%s: the ledger says %s, and %d rings", s.id, row.State, len(rang))
		}
	}
	switch {
	case total > s.rings:
		w.find("%s: %d rings instead of %d", s.id, total, s.rings)
	case total < s.rings && !s.atMost:
		w.find("%s: lost: %d rings instead of %d", s.id, total, s.rings)
	}
}

// sound runs a command that audits, and notes what it says unless it ends with 0.
func (w *world) sound(args ...string) {
	if code, said := w.command(args...); code != 0 {
		w.find("ringonce %v ends with %d: %s", args, code, said)
	}
}

// command runs ringonce to its end: the shipped binary where there is one.
func (w *world) command(args ...string) (code int, said string) {
	p := w.launch(w.setting.shipped != "", point{}, args...)
	<-p.done
	return p.cmd.ProcessState.ExitCode(), p.log.String()
}
