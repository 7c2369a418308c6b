package sim

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// showHistory prints what the ledger itself keeps of the rows that are named: "history n1 n1#1".
func (w *World) showHistory(names []string) string {
	var b strings.Builder
	for _, name := range names {
		known := false
		w.each(context.Background(), func(c call.Call, entries []call.Entry) error {
			if w.nameOf(c.ID) != name {
				return nil
			}
			known = true
			for _, entry := range entries {
				event, err := entry.Event()
				if err != nil {
					return fmt.Errorf("read the history of %s: %w", name, err)
				}
				b.WriteString(name + " " + w.lineOf(event) + "\n")
			}
			return nil
		})
		if !known {
			b.WriteString(name + " is not in the ledger\n")
		}
	}
	return b.String()
}

// lineOf writes one event as a line of a transcript.
func (w *World) lineOf(e call.Event) string {
	line := fmt.Sprintf("%s at %s", e.Kind, e.At.Sub(w.began).Round(time.Second))
	why := cmp.Or(string(e.Class), e.From, string(e.Code), e.Reason)
	if e.Next != nil {
		why = string(e.Next.Cause)
	}
	if e.Opening != nil { // what an operator has said may name the recipient
		why = string(e.Opening.Cause)
		if e.Attempt != nil {
			why += ", with its first intent"
		}
	}
	if why != "" {
		line += ", " + why
	}
	return line
}
