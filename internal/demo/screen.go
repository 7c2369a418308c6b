package demo

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Screen shows the demo: on a terminal a table that is drawn anew after each delivery, elsewhere a line for each delivery and the
// table once. A nil screen shows nothing.
type Screen struct {
	Out   io.Writer
	Live  bool          // Out is a terminal
	Pause time.Duration // real time after each drawing, for the eye

	drawn int // lines of the last drawing
	last  []string
}

func (s *Screen) begin(subjects []subject) {
	if s == nil {
		return
	}
	s.printf("ringonce demo: %d keys in %d deliveries; every ring is counted by the emulated telephone network\n\n", len(subjects), len(arrivals()))
}

// arrival shows what became of one delivery.
func (s *Screen) arrival(i int, a arrival, sub subject, note string) {
	if s == nil {
		return
	}
	line := fmt.Sprintf("%2d  %-9s %-25s %-28s %s", i+1, elapsed(a.at), a.form, label(sub), note)
	if !s.Live {
		s.printf("%s\n", line)
		return
	}
	s.last = append(s.last, line)
	if len(s.last) > 6 {
		s.last = s.last[1:]
	}
}

// table draws the calls anew on a terminal.
func (s *Screen) table(v Verdict) {
	if s == nil || !s.Live {
		return
	}
	text := s.render(v) + "\n" + strings.Join(s.last, "\n") + "\n"
	if s.drawn > 0 {
		s.printf("\x1b[%dA\x1b[J", s.drawn)
	}
	s.printf("%s", text)
	s.drawn = strings.Count(text, "\n")
	time.Sleep(s.Pause)
}

// end shows the table, the doubts with their evidence, every breach, and the one last line.
func (s *Screen) end(v Verdict) {
	if s == nil {
		return
	}
	if s.Live {
		s.table(v)
	} else {
		s.printf("\n%s", s.render(v))
	}
	s.printf("\n")
	for _, c := range v.Doubts {
		s.printf("in doubt: %s / %s: %s First signed %s, %d attempt(s), %d look(s) for evidence found nothing, last on %s. A contact id or a late event decides it; nothing dials it again.\n",
			c.Key.NotificationID, c.Key.RecipientID, c.Message, c.FirstSigned.Format(time.RFC3339), c.AttemptCount, c.Looks, c.LastLook.Format(time.RFC3339))
	}
	for _, line := range v.Rows {
		if line.Rings > 1 {
			s.printf("doubled: %s rang %d times\n", line.Subject, line.Rings)
		}
		if line.Rings < line.Wanted && line.State != call.InDoubt {
			s.printf("lost: %s never rang\n", line.Subject)
		}
	}
	for _, b := range v.Breaches {
		s.printf("breach: %s\n", b)
	}
	s.printf("%s\n", v.Last())
}

func (s *Screen) render(v Verdict) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-28s %-10s %5s  %-44s %s\n", "REQUEST", "STATE", "RINGS", "TOKEN", "STORY")
	for _, line := range v.Rows {
		state, token := string(line.State), line.Call.Token
		if state == "" {
			state = "-"
		}
		if len(token) > 43 {
			token = token[:40] + "..."
		}
		fmt.Fprintf(&b, "%-28s %-10s %5d  %-44s %s\n", line.Subject, state, line.Rings, token, line.Story)
	}
	return b.String()
}

func elapsed(d time.Duration) string {
	if d >= day {
		return fmt.Sprintf("day %d", int(d/day))
	}
	return d.String()
}

// printf writes to the screen. A screen that cannot be written to shows nothing; the exit code still tells.
func (s *Screen) printf(format string, args ...any) { _, _ = fmt.Fprintf(s.Out, format, args...) }
