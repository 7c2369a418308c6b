package rules

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ParseHours reads windows such as "mon-fri 09:00-12:00,13:00-20:00", "sat,sun 10:00-17:00", "22:00-02:00" (every day, over midnight) and
// closed days such as "2026-12-29", "01-01" (every year), "12-29..01-03". No windows are every hour of the days that are not closed. Its
// errors name the entry at fault and say what to write.
func ParseHours(windows, closed []string) (*Hours, error) {
	h := &Hours{}
	for _, entry := range windows {
		parsed, err := parseWindows(entry)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", entry, err)
		}
		h.windows = append(h.windows, parsed...)
	}
	for _, entry := range closed {
		parsed, err := parseClosing(entry)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", entry, err)
		}
		h.closed = append(h.closed, parsed)
	}
	return h, nil
}

// parseWindows reads the days, which may be left out, and the times of one entry.
func parseWindows(entry string) ([]window, error) {
	fields := strings.Fields(entry)
	days, times := "mon-sun", strings.TrimSpace(entry)
	switch len(fields) {
	case 1:
	case 2:
		days, times = fields[0], fields[1]
	default:
		return nil, fmt.Errorf("write days and times, such as mon-fri 09:00-20:00")
	}
	on, err := parseDays(days)
	if err != nil {
		return nil, err
	}
	var all []window
	for stretch := range strings.SplitSeq(times, ",") {
		from, to, found := strings.Cut(stretch, "-")
		if !found {
			return nil, fmt.Errorf("%q is no stretch of time: write one such as 09:00-20:00", stretch)
		}
		w := window{on: on}
		if w.begin, err = parseClock(from); err != nil {
			return nil, err
		}
		if w.end, err = parseClock(to); err != nil {
			return nil, err
		}
		switch {
		case w.begin == minutesOfDay:
			return nil, fmt.Errorf("a window cannot begin at 24:00: write 00:00 of the day after")
		case w.begin == w.end:
			return nil, fmt.Errorf("%s begins when it ends: the whole day is 00:00-24:00", stretch)
		case w.end < w.begin:
			w.end += minutesOfDay
		}
		all = append(all, w)
	}
	return all, nil
}

var dayNames = [7]string{"sun", "mon", "tue", "wed", "thu", "fri", "sat"}

// parseDays reads days and stretches of days; fri-mon goes over the end of the week.
func parseDays(text string) (on [7]bool, err error) {
	for part := range strings.SplitSeq(text, ",") {
		first, last, stretch := strings.Cut(part, "-")
		if !stretch {
			last = first
		}
		from, to := slices.Index(dayNames[:], strings.ToLower(first)), slices.Index(dayNames[:], strings.ToLower(last))
		if from < 0 || to < 0 {
			return on, fmt.Errorf("%q names no days: use mon, tue, wed, thu, fri, sat, sun, stretches such as mon-fri, and commas without spaces", part)
		}
		for day := from; ; day = (day + 1) % 7 {
			on[day] = true
			if day == to {
				break
			}
		}
	}
	return on, nil
}

// parseClock reads a time of the day, in minutes.
func parseClock(text string) (int, error) {
	wrong := fmt.Errorf("%q is no time of the day: write hours and minutes in two digits each, from 00:00 to 24:00", text)
	if len(text) != len("15:04") || text[2] != ':' {
		return 0, wrong
	}
	hour, err := strconv.ParseUint(text[:2], 10, 8)
	if err != nil {
		return 0, wrong
	}
	minute, err := strconv.ParseUint(text[3:], 10, 8)
	if err != nil || minute > 59 || hour > 24 || hour == 24 && minute > 0 {
		return 0, wrong
	}
	return int(hour)*60 + int(minute), nil
}

// parseClosing reads a day or a stretch of days, with a year or for every year.
func parseClosing(entry string) (closing, error) {
	first, last, stretch := strings.Cut(entry, "..")
	if !stretch {
		last = first
	}
	from, err := parseDate(first)
	if err != nil {
		return closing{}, err
	}
	to, err := parseDate(last)
	switch {
	case err != nil:
		return closing{}, err
	case (from.year == 0) != (to.year == 0):
		return closing{}, fmt.Errorf("give both days a year, or none")
	case from.year != 0 && to.before(from):
		return closing{}, fmt.Errorf("the last day is before the first")
	}
	return closing{from, to}, nil
}

func parseDate(text string) (date, error) {
	if t, err := time.Parse(time.DateOnly, text); err == nil && t.Year() > 0 {
		return dateOf(t), nil
	}
	if t, err := time.Parse(time.DateOnly, "0000-"+text); err == nil { // year 0 was a leap year: 02-29 is a day
		return dateOf(t), nil
	}
	return date{}, fmt.Errorf("%q is no day: write one such as 2026-12-29, or 12-29 for every year", text)
}
