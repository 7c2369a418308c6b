package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
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

func plural(n int, one, many string) string {
	if n == 1 {
		return fmt.Sprintf("%d %s", n, one)
	}
	return fmt.Sprintf("%d %s", n, many)
}
