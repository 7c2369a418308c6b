package rules

import (
	"time"
)

// slots is the cell of a Region: who holds a concurrency slot, and until when its lease lasts.
type slots struct {
	Takes takes `json:"takes"`
}

// MostSlots bounds the concurrency limit, to what a cell can hold.
const MostSlots = 400

// longestLease is the longest that a slot can be configured to be held for.
const longestLease = 24 * time.Hour

// full reports whether a limit of most slots keeps the row from one.
func (s slots) full(most int, row string, now time.Time) bool {
	return len(s.Takes.after(now).until(now.Add(longestLease+mostAhead)).others(row)) >= most
}

// The waits of a call that found no free slot: as long as a quarter of what it has waited already, since nothing tells it that one became free.
const (
	leastSlotWait = 15 * time.Second
	mostSlotWait  = 2 * time.Minute
)

func slotWait(waited time.Duration) time.Duration {
	return min(max(leastSlotWait, waited/4), mostSlotWait)
}
