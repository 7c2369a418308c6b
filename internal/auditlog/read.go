package auditlog

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// Each reads the records of a log, oldest first, until yield returns false. Lines that are no records are left out: [Verify] tells of them.
func Each(log fs.FS, yield func(Record) bool) error {
	days, err := daysOf(log)
	if err != nil {
		return err
	}
	for _, day := range days {
		more, err := eachOf(log, day, yield)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

// eachOf reads the records of a day. One that was removed since the days were listed holds none.
func eachOf(log fs.FS, day string, yield func(Record) bool) (more bool, err error) {
	file, err := log.Open(fileName(day))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("auditlog: %w", err)
	}
	defer file.Close()
	for line, complete := range linesOf(newReader(file), &err) {
		if r, _, bad := decode(line); complete && bad == nil && !yield(r) {
			return false, err
		}
	}
	return true, err
}

// firstOf returns the record on the first line of the oldest day; nil when that line is none.
func firstOf(log fs.FS, days []string) (first *Record, err error) {
	if len(days) == 0 {
		return nil, nil //nolint:nilnil // none is an answer
	}
	file, err := log.Open(fileName(days[0]))
	if err != nil {
		return nil, fmt.Errorf("auditlog: %w", err)
	}
	defer file.Close()
	for line, complete := range linesOf(newReader(file), &err) {
		if r, _, bad := decode(line); complete && bad == nil {
			first = &r
		}
		break
	}
	return first, err
}

// Tail returns the newest n records, oldest first.
func Tail(log fs.FS, n int) ([]Record, error) {
	days, err := daysOf(log)
	if err != nil {
		return nil, err
	}
	var found []Record
	for i := len(days) - 1; i >= 0 && len(found) < n; i-- {
		var page []Record
		if _, err := eachOf(log, days[i], func(r Record) bool { page = append(page, r); return true }); err != nil {
			return nil, err
		}
		found = append(page, found...)
	}
	return found[max(0, len(found)-max(0, n)):], nil
}

// Format is a form of an export.
type Format string

// The forms of an export.
const (
	JSON Format = "json" // one object a line
	CSV  Format = "csv"  // RFC 4180, with a head; for a spreadsheet
)

var columns = []string{"seq", "at", "actor", "kind", "action", "callId", "reason", "answer", "personal", "prev", "target"}

// Export writes the records of [from, to); zero times do not restrict.
func Export(w io.Writer, log fs.FS, form Format, from, to time.Time) error {
	write, flush := exporter(w, form)
	var failed error
	err := Each(log, func(r Record) bool {
		if (from.IsZero() || !r.At.Before(from)) && (to.IsZero() || r.At.Before(to)) {
			failed = write(r)
		}
		return failed == nil
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	return flush()
}

func exporter(w io.Writer, form Format) (write func(Record) error, flush func() error) {
	if form != CSV {
		return func(r Record) error {
			text, err := json.Marshal(r, json.Deterministic(true))
			if err != nil {
				return fmt.Errorf("auditlog: %w", err)
			}
			_, err = w.Write(append(text, '\n'))
			return err //nolint:wrapcheck // of the caller's own writer
		}, func() error { return nil }
	}
	table, headed := csv.NewWriter(w), false
	head := func() error {
		if headed {
			return nil
		}
		headed = true
		return table.Write(columns)
	}
	write = func(r Record) error {
		if err := head(); err != nil {
			return err
		}
		return table.Write(row(r))
	}
	return write, func() error {
		if err := head(); err != nil {
			return err
		}
		table.Flush()
		return table.Error() //nolint:wrapcheck // of the caller's own writer
	}
}

func row(r Record) []string {
	var personal []string
	for _, name := range slices.Sorted(maps.Keys(r.Personal)) {
		personal = append(personal, name+":"+r.Personal[name])
	}
	cells := []string{
		strconv.FormatInt(r.Seq, 10), r.At.Format(time.RFC3339Nano), r.Actor, r.Kind, r.Action, r.CallID, r.Reason, r.Answer, strings.Join(personal, " "), r.Prev,
		r.Target,
	}
	for i, cell := range cells {
		cells[i] = harmless(cell)
	}
	return cells
}

// harmless takes from a cell what a spreadsheet would run as a formula (OWASP, "CSV Injection"): an apostrophe before it makes it text. A blank before the sign
// does not help against every program, so it is looked behind.
func harmless(cell string) string {
	trimmed := strings.TrimLeft(cell, " \u00a0\u3000\ufeff")
	if trimmed != "" && strings.ContainsRune("=+-@\t\r\n|%＝＋－＠", []rune(trimmed)[0]) {
		return "'" + cell
	}
	return cell
}
