package sim

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// shows are what a transcript can ask for between its acts: the lines that follow must be the answer.
// Words after the name say what of it: "history n1".
var shows = map[string]func(*World, []string) string{
	"ledger": (*World).showLedger, "rings": (*World).showRings, "sources": (*World).showSources, "verdict": (*World).showVerdict,
	"answers": (*World).showAnswers, "history": (*World).showHistory,
}

// showLedger prints each row: its name, state, why, attempts, contact, and when the sweep looks at it next, told from now.
func (w *World) showLedger([]string) string {
	var b strings.Builder
	for _, c := range w.rows() {
		fmt.Fprintf(&b, "%s %s", w.nameOf(c.ID), c.State)
		if c.Code != "" {
			fmt.Fprintf(&b, " (%s)", c.Code)
		}
		if c.AttemptCount > 0 {
			fmt.Fprintf(&b, ", %s", count(c.AttemptCount, "attempt"))
		}
		if len(c.Open) > 0 {
			fmt.Fprintf(&b, ", %d open", len(c.Open))
		}
		if c.ContactID != "" {
			fmt.Fprintf(&b, ", contact %s by %s", w.contactName(c.ContactID), c.ContactFrom)
		}
		if len(c.Anomalies) > 0 {
			fmt.Fprintf(&b, ", %s", count(len(c.Anomalies), "anomaly"))
		}
		if !c.CancelRequested.IsZero() && c.State != call.Canceled {
			b.WriteString(", cancel requested")
		}
		if due := c.DueAt(); !due.IsZero() {
			fmt.Fprintf(&b, ", due in %s (%s)", time.Until(due).Round(time.Second), dueReason(c))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func dueReason(c call.Call) string {
	if c.Next != nil && c.Next.Due.Equal(c.DueAt()) {
		return "next ring not confirmed"
	}
	if c.DueReason == "" {
		return "now"
	}
	return c.DueReason
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, found := strings.CutSuffix(what, "y"); found {
		return fmt.Sprintf("%d %sies", n, stem)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// contactName is the number of a contact in the order in which contacts were made.
func (w *World) contactName(id string) string {
	i := slices.IndexFunc(w.phone.rings(), func(r ring) bool { return r.contact == id })
	if i < 0 {
		return "unknown"
	}
	return fmt.Sprint(i + 1)
}

// showRings prints what the telephone has rung: the oracle.
func (w *World) showRings([]string) string {
	var b strings.Builder
	for i, r := range w.phone.rings() {
		alive := "ended"
		if w.phone.lasting(r.contact) {
			alive = "alive"
		}
		name := w.nameOf(r.callID)
		if name == "" {
			name = "a call that the ledger does not know"
		}
		fmt.Fprintf(&b, "contact %d for %s at %s, %s\n", i+1, name, r.at.Sub(w.began).Round(time.Second), alive)
	}
	if b.Len() == 0 {
		return "none\n"
	}
	return b.String()
}

// showSources prints which copies of messages are still alive, and where.
func (w *World) showSources([]string) string {
	var b strings.Builder
	for _, s := range w.net.Alive() {
		fmt.Fprintf(&b, "%s %s, delivered %s\n", s.MessageID, s.State, times(s.Delivered))
	}
	if b.Len() == 0 {
		return "nothing waits\n"
	}
	return b.String()
}

func times(n int) string {
	switch n {
	case 1:
		return "once"
	case 2:
		return "twice"
	}
	return fmt.Sprintf("%d times", n)
}

// showVerdict prints the oracle's findings so far.
func (w *World) showVerdict([]string) string {
	if len(w.findings) == 0 {
		return "nothing is wrong\n"
	}
	return strings.Join(w.findings, "\n") + "\n"
}
