package ledgertest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/ringonce/ringonce/internal/call"
)

// history is what some clients asked a ledger and were answered.
type history struct {
	x     *exam
	name  string
	fates []Fate
	step  func(rowState, input, output) (bool, rowState) // of the model
	clock atomic.Int64
	late  sync.WaitGroup // writes that arrive after their writer went on

	mu         sync.Mutex
	operations []*operation
}

// operation is one call of a ledger.
type operation struct {
	history  *history
	client   int
	in       input
	out      output
	from, to int64 // on the history's clock
}

// input is what was asked. op, version, head and due are of the row as the write would leave it.
type input struct {
	what, row, op, head string
	version             int64
	due, now            time.Time
}

// output is what was answered.
type output struct {
	open    bool   // nobody knows what was answered, or whether anything was
	err     string // "not found", or the text of any other error
	applied bool
	head    string // of the row in the answer
	version int64
	due     bool // the row was listed
	call    call.Call
}

// begin notes that a call begins.
func (h *history) begin(client int, in input) *operation {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := &operation{history: h, client: client, in: in, from: h.clock.Add(1), to: math.MaxInt64}
	h.operations = append(h.operations, o)
	return o
}

// end notes what was answered.
func (o *operation) end(out output) output {
	o.history.mu.Lock()
	defer o.history.mu.Unlock()
	o.out, o.to = out, o.history.clock.Add(1)
	return out
}

// leaveOpen notes that the answer was lost: the call may take effect at any later instant, or never.
func (o *operation) leaveOpen() {
	o.history.mu.Lock()
	defer o.history.mu.Unlock()
	o.out.open = true
}

func answered(w call.Written, err error) output {
	out := output{applied: w.Applied, head: w.Row.Head, version: w.Row.Version, call: w.Row}
	switch {
	case errors.Is(err, call.ErrNotFound):
		out.err = "not found"
	case err != nil:
		out.err = err.Error()
	}
	return out
}

// rowState is a row as the model sees it. A write leaves its op in ops for ever: that is how its ledger recognizes it.
type rowState struct {
	version int64
	head    string
	due     time.Time
	ops     string // each followed by a space
}

// model is a row, or a cell, on which one call acts at a time. Its promises are those of the step.
func (h *history) model() porcupine.Model {
	return porcupine.Model{
		Partition: func(all []porcupine.Operation) [][]porcupine.Operation {
			rows := map[string][]porcupine.Operation{}
			var order []string
			for _, o := range all {
				row := inputOf(o.Input).row
				if _, known := rows[row]; !known {
					order = append(order, row)
				}
				rows[row] = append(rows[row], o)
			}
			parts := make([][]porcupine.Operation, 0, len(order))
			for _, row := range order {
				parts = append(parts, rows[row])
			}
			return parts
		},
		Init: func() any { return rowState{} },
		Step: func(state, in, out any) (bool, any) {
			before, known := state.(rowState)
			answer, fits := out.(output)
			if !known || !fits {
				return false, state
			}
			return h.step(before, inputOf(in), answer)
		},
	}
}

func inputOf(in any) input {
	asked, ok := in.(input)
	if !ok {
		return input{}
	}
	return asked
}

// rowStep is the promises of call.Ledger: it says whether a row in this state may answer so, and what becomes of it. An open answer fits everything.
func rowStep(s rowState, in input, out output) (bool, rowState) {
	there := s.version > 0
	own := strings.Contains(s.ops, in.op+" ")
	switch in.what {
	case "get":
		if !there {
			return out.err == "not found", s
		}
		return out.err == "" && out.head == s.head && out.version == s.version, s
	case "due":
		return out.err == "" && out.due == (there && !s.due.IsZero() && !s.due.After(in.now)), s
	case "update":
		if !there {
			return out.open || out.err == "not found", s
		}
	}
	applies := !own && in.version == s.version+1 // of a create: there is no row
	if applies {
		s = rowState{version: in.version, head: in.head, due: in.due, ops: s.ops + in.op + " "}
	}
	if out.open {
		return true, s
	}
	return out.err == "" && out.applied == (own || applies) && out.head == s.head && out.version == s.version, s
}

// illegal returns the calls that no order explains; empty when one does. late says that what is due may be told late, so that it is no
// part of the order.
func (h *history) illegal(late bool) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if porcupine.CheckOperations(h.model(), h.list(!late)) {
		return ""
	}
	var text strings.Builder
	if !late && porcupine.CheckOperations(h.model(), h.list(false)) {
		text.WriteString(" in what was told to be due")
	}
	slices.SortFunc(h.operations, func(a, b *operation) int { return int(a.from - b.from) })
	for _, o := range h.operations {
		fmt.Fprintf(&text, "\n%s", o)
	}
	return text.String()
}

// list returns the calls for the checker, with or without those that asked what is due.
func (h *history) list(due bool) []porcupine.Operation {
	var list []porcupine.Operation
	for _, o := range h.operations {
		if due || o.in.what != "due" {
			list = append(list, porcupine.Operation{ClientId: o.client, Input: o.in, Call: o.from, Output: o.out, Return: o.to})
		}
	}
	return list
}

// String shows a call on one line.
func (o *operation) String() string {
	answer := fmt.Sprintf("applied %t, version %d, head %.6s, due %t, error %q", o.out.applied, o.out.version, o.out.head, o.out.due, o.out.err)
	until := fmt.Sprint(o.to)
	if o.out.open {
		answer, until = "no answer", "..."
	}
	return fmt.Sprintf("[%3d, %3s] client %d: %s %s %s version %d, head %.6s: %s", o.from, until, o.client, o.in.what, o.in.row, o.in.op, o.in.version, o.in.head, answer)
}

// tally counts what histories held.
type tally struct{ overlaps, applied, lostCompares, open int }

func (t *tally) add(h *history) {
	for i, o := range h.operations {
		switch {
		case o.out.open:
			t.open++
		case o.in.what == "update" && o.out.err == "" && !o.out.applied:
			t.lostCompares++
		case o.out.applied:
			t.applied++
		}
		for _, other := range h.operations[i+1:] {
			if o.client != other.client && other.from < o.to && o.from < other.to && !o.out.open && !other.out.open && o.in.row == other.in.row {
				t.overlaps++
			}
		}
	}
}
