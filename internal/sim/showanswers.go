package sim

import (
	"fmt"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
)

// showAnswers prints what each message was answered last, and every answer to an operator.
func (w *World) showAnswers([]string) string {
	var b strings.Builder
	for _, m := range w.messages {
		if last, answered := w.net.last[m.name]; answered {
			fmt.Fprintf(&b, "%s: %s\n", m.name, last.said)
		}
	}
	for _, said := range w.recalls {
		b.WriteString(said + "\n")
	}
	if b.Len() == 0 {
		return "nothing was answered\n"
	}
	return b.String()
}

// saidOf writes an outcome down: what the delivery met, why it was suppressed or refused, and what its source is told.
func saidOf(out call.Outcome) string {
	said := string(out.Met)
	switch {
	case out.Suppressed != "":
		said += " (" + out.Suppressed + ")"
	case out.Code != "":
		said += " (" + string(out.Code) + ")"
	}
	if out.Ack != "" {
		said += ", " + string(out.Ack)
	}
	return said
}
