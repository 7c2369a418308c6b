package demo_test

import (
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/demo"
)

// redraw goes up to the first line of the last drawing and clears from there.
var redraw = regexp.MustCompile("\x1b\\[([0-9]+)A\x1b\\[J")

// onTerminal plays the demo on a terminal of that size and returns what was written to it.
func onTerminal(t *testing.T, columns, rows int) string {
	t.Helper()
	var out strings.Builder
	show := &demo.Screen{Out: &out, Size: func() (int, int) { return columns, rows }}
	o := demo.Options{Reading: "A1", Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler), Show: show}
	if _, err := demo.Run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// garbled says what would go wrong on a terminal: a line that wraps, or a drawing that is not covered by the next.
func garbled(text string, columns int) error {
	drawings, ups := redraw.Split(text, -1), redraw.FindAllStringSubmatch(text, -1)
	for i, drawing := range drawings {
		for line := range strings.SplitSeq(drawing, "\n") {
			if len(line) > columns {
				return fmt.Errorf("a line of %d columns wraps: %q", len(line), line)
			}
		}
		if i == 0 || i == len(ups) {
			continue // the first holds the heading, the last is not drawn over
		}
		if up, err := strconv.Atoi(ups[i][1]); err != nil || up != strings.Count(drawing, "\n") {
			return fmt.Errorf("drawing %d has %d lines and the next goes up by %d", i, strings.Count(drawing, "\n"), up)
		}
	}
	return nil
}

func TestTheLiveTableFitsTheTerminal(t *testing.T) {
	t.Parallel()
	for _, columns := range []int{20, 80, 120} {
		text := onTerminal(t, columns, 40)
		if drawn := len(redraw.FindAllString(text, -1)); drawn != 40 {
			t.Errorf("%d columns: drawn over %d times, want 40", columns, drawn)
		}
		_, table, _ := strings.Cut(text, "\n\n") // the heading may wrap: nothing is drawn over it
		table, _, _ = strings.Cut(table, "\nrings 13")
		if err := garbled(table, columns); err != nil {
			t.Errorf("%d columns: %v", columns, err)
		}
	}
	if err := garbled(onTerminal(t, 160, 40), 80); err == nil {
		t.Error("a drawing that is too wide was not noticed")
	}
}

func TestATerminalThatIsTooLowGetsLines(t *testing.T) {
	t.Parallel()
	if text := onTerminal(t, 80, 20); strings.Contains(text, "\x1b") || strings.Count(text, "\n") < 55 {
		t.Errorf("got a live table where it scrolls:\n%s", text)
	}
}
