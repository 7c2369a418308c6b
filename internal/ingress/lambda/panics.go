package lambda

import (
	"fmt"
	"runtime"

	"github.com/ringonce/ringonce/internal/call"
)

// safely answers one record even when the code behind it panics: the record goes back to its source, its neighbors keep their
// answers, and an operator is told. Without a ledger nobody knows whether the panic came before or after the dial.
func (w *work) safely(i int, flights map[string]call.Outcome) (out call.Outcome) {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		met := call.MetUnavailable
		if w.h.Mode == call.ModeNone {
			met = call.MetUnknown
		}
		out = w.h.outcome(w.doc, met, CodePanicked, "The program failed on this record.")
		out.Fix = "Report this with the stack in the log; the record goes back to its source."
		w.h.observe(w.context(i), call.Decided{
			What: "panic", RowID: w.asks[i].rowID, Code: CodePanicked, Reason: maskDigits(fmt.Sprintf("%v\n%s", p, stack())),
			Source: w.doc.Source, Delivery: w.doc.Records[i].Identity.Delivery, Alarm: true,
		})
	}()
	return w.record(i, flights)
}

const maxStack = 4 << 10

func stack() []byte {
	trace := make([]byte, maxStack)
	return trace[:runtime.Stack(trace, false)]
}

// manyDigits is how many digits in a row could be a phone number.
const manyDigits = 7

// maskDigits hides what could be a phone number in a text that nobody composed: a panic may quote its input.
func maskDigits(text string) string {
	masked := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		switch {
		case end == i:
			masked = append(masked, text[i])
			end++
		case end-i >= manyDigits:
			masked = append(masked, "*******"...)
		default:
			masked = append(masked, text[i:end]...)
		}
		i = end
	}
	return string(masked)
}
