package timeline

import (
	"fmt"
	"strconv"
	"time"
)

// Stamp writes a time in UTC with milliseconds; empty for the zero time.
func Stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Lasted writes a duration as a person reads it: milliseconds below a second, one decimal below a minute, then two units.
func Lasted(d time.Duration) string {
	if d < 0 {
		return "-" + Lasted(-d)
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

// shortID is how much of an id is shown where a person reads it.
const shortID = 12

// Short is the beginning of an id.
func Short(id string) string { return id[:min(len(id), shortID)] }

// Plural counts something in words.
func Plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
