package postgres

import (
	"math"
	"time"
)

// Times in columns are unix nanoseconds, because a timestamp of PostgreSQL has microseconds. They order like the times and reach from 1677 to
// 2262; a time beyond is stored as the nearest end. The exact time is in the document.

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
func optional(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	n := nanos(t)
	return &n
}

// instant reads a stored time; null and the lower end are the zero time.
func instant(stored *int64) time.Time {
	if stored == nil || *stored == math.MinInt64 {
		return time.Time{}
	}
	return time.Unix(0, *stored).UTC()
}

// orNull returns a text as it is stored in a column where null means empty.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// most returns a limit as PostgreSQL takes it.
func most(limit int) int32 { return int32(min(max(limit, 0), math.MaxInt32-1)) }
