package sqlite

import (
	"math"
	"time"
)

// Times in columns are unix nanoseconds, which order like the times. They reach from 1677 to 2262; a time beyond is stored as
// the nearest end, so that its order stays right. The exact time is in the document.

// nanos returns a time as it is stored.
func nanos(t time.Time) int64 {
	switch {
	case t.Year() < 1678:
		return math.MinInt64
	case t.Year() > 2261:
		return math.MaxInt64
	default:
		return t.UnixNano()
	}
}

// optional returns a time as it is stored in a column where null means none.
func optional(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return nanos(t)
}

// instant reads a stored time; null and the lower end are the zero time.
func instant(stored any) time.Time {
	n, ok := stored.(int64)
	if !ok || n == math.MinInt64 {
		return time.Time{}
	}
	return time.Unix(0, n).UTC()
}

// orNull returns a text as it is stored in a column where null means empty.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
