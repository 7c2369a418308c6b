package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/ringonce/ringonce/internal/call"
)

// printJSON writes one value on one line, without the escaping that is meant for HTML.
func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return encoder.Encode(value)
}

// table aligns rows; the first one holds the heads of the columns.
func table(w io.Writer, rows [][]string) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(columns, "\t")
			}
			fmt.Fprint(columns, dash(plain(cell)))
		}
		fmt.Fprintln(columns)
	}
	return columns.Flush()
}

// plain replaces what a terminal would obey: ids and reasons come from producers.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s)
}

// shownID masks an id that is a phone number: producers use them as ids, and a screen is no place for them. The JSON forms, which programs
// read, have ids as they are.
func shownID(id string) string {
	if phone, err := call.ParsePhone(id); err == nil {
		return phone.String()
	}
	return id
}

func dash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// stamp writes a time in UTC with milliseconds; empty for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// lasted writes a duration as a person reads it: milliseconds below a second, one decimal below a minute, then two units.
func lasted(d time.Duration) string {
	if d < 0 {
		return "-" + lasted(-d)
	}
	switch {
	case d == 0:
		return "0s"
	case d < time.Second:
		return fmt.Sprintf("%dms", max(1, d.Milliseconds()))
	case d < time.Minute:
		return fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
}

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}
