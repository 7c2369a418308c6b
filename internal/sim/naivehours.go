package sim

import (
	"strings"
	"time"
)

// allows reports whether a window such as "09:00-20:00" or "mon-fri 09:00-20:00" is open at an instant, by a look at the clock of every minute of
// the day until then: it opens when the clock has first reached its beginning, and closes when the clock has first reached its end. It shares no
// code with the rules of the program. Windows over midnight are none of a world's.
func allows(window string, zone *time.Location, at time.Time) bool {
	times := window
	if days, rest, both := strings.Cut(window, " "); both {
		if times = rest; !onDays(days, at.In(zone).Weekday()) {
			return false
		}
	}
	from, to, _ := strings.Cut(times, "-")
	opened, closed := false, false
	today := at.In(zone).Format(time.DateOnly)
	for look := at; look.In(zone).Format(time.DateOnly) == today; look = look.Truncate(time.Minute).Add(-1) {
		clock := look.In(zone).Format("15:04")
		opened, closed = opened || clock >= from, closed || clock >= to
	}
	return opened && !closed
}

// onDays reads "mon-fri" or "sat".
func onDays(days string, day time.Weekday) bool {
	first, last, several := strings.Cut(days, "-")
	if !several {
		last = first
	}
	return weekday(first) <= ahead(day) && ahead(day) <= weekday(last)
}

func weekday(name string) int {
	return strings.Index("montuewedthufrisatsun", name) / 3
}

// ahead counts days from Monday.
func ahead(day time.Weekday) int { return (int(day) + 6) % 7 }
