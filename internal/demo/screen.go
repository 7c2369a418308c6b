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
	Size  func() (columns, rows int) // of the terminal, asked before each drawing; nil when Out is none
	Pause time.Duration              // real time after each drawing, for the eye

	live  bool // the terminal is high enough for the table
	drawn int  // lines of the last drawing
	last  []string
}

// tokenWidth of a table that is as wide as its text: the beginning of a token, and a sign that it goes on.
const tokenWidth = 43

// lastDeliveries is how many deliveries are shown below the live table.
const lastDeliveries = 6

func (s *Screen) begin(subjects []subject) {
	if s == nil {
		return
	}
	if s.Size != nil {
		_, rows := s.Size()
		s.live = rows > len(subjects)+lastDeliveries+3 // a drawing that scrolls cannot be drawn over
	}
	s.printf("ringonce demo: %d keys in %d deliveries; an emulated network counts the rings\n\n", len(subjects), len(arrivals()))
}

// arrival shows what became of one delivery.
func (s *Screen) arrival(i int, a arrival, sub subject, note string) {
	if s == nil {
		return
	}
	line := fmt.Sprintf("%2d  %-6s %-25s %-21s %s", i+1, elapsed(a.at), a.form, label(sub), note)
	if !s.live {
		s.printf("%s\n", line)
		return
	}
	s.last = append(s.last, line)
	if len(s.last) > lastDeliveries {
		s.last = s.last[1:]
	}
}

// table draws the calls anew on a terminal.
func (s *Screen) table(v Verdict) {
	if s == nil || !s.live {
		return
	}
	columns, _ := s.Size()
	text := cut(s.render(v, columns)+"\n"+strings.Join(s.last, "\n")+"\n", columns)
	if s.drawn > 0 {
		s.printf("\x1b[%dA\x1b[J", s.drawn)
	}
	s.printf("%s", text)
	s.drawn = strings.Count(text, "\n")
	time.Sleep(s.Pause)
}

// end shows the table, the doubts with their evidence, every breach, how to open a ledger that is kept, and the one last line.
func (s *Screen) end(v Verdict, kept string) {
	if s == nil {
		return
	}
	if s.live {
		s.table(v)
	} else {
		s.printf("\n%s", s.render(v, 0))
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
	if kept != "" {
		s.printf("the ledger is kept; read it with: ringonce calls list --config %s\n", kept)
	}
	s.printf("%s\n", v.Last())
}

// render draws the table; on a terminal of fewer columns than the text needs, the tokens are shortened first. Zero is no terminal.
func (s *Screen) render(v Verdict, columns int) string {
	const before, after = 39, 2 // the columns left of a token, the gap right of it
	width, story := tokenWidth, 0
	for _, line := range v.Rows {
		story = max(story, len(line.Story))
	}
	if columns > 0 {
		width = min(max(columns-before-after-story, 12), tokenWidth)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-22s %-9s %5s %-*s  %s\n", "REQUEST", "STATE", "RINGS", width, "TOKEN", "STORY")
	for _, line := range v.Rows {
		state, token := string(line.State), line.Call.Token
		if state == "" {
			state = "-"
		}
		if len(token) > width {
			token = token[:width-3] + "..."
		}
		fmt.Fprintf(&b, "%-22s %-9s %5d %-*s  %s\n", line.Subject, state, line.Rings, width, token, line.Story)
	}
	return b.String()
}

// cut shortens each line to the columns of the terminal: a line that wraps takes two rows, and the next drawing would not cover it.
func cut(text string, columns int) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if len(line) > columns {
			lines[i] = (line[:max(columns-3, 0)] + "...")[:columns]
		}
	}
	return strings.Join(lines, "\n")
}

// elapsed says when after the start something happens, without the zeros at its end.
func elapsed(d time.Duration) string {
	if d >= day {
		return fmt.Sprintf("day %d", int(d/day))
	}
	text := d.String()
	if d%minute == 0 && d > 0 {
		text = strings.TrimSuffix(text, "0s")
	}
	if d%hour == 0 && d > 0 {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// printf writes to the screen. A screen that cannot be written to shows nothing; the exit code still tells.
func (s *Screen) printf(format string, args ...any) { _, _ = fmt.Fprintf(s.Out, format, args...) }
