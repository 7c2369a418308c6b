package rules

import (
	"fmt"
	"strings"
	"time"
)

// Cap is how often one number may be rung in any stretch of time of a length, over all profiles and producers: it also stops a producer that
// makes a new key for each message.
type Cap struct {
	Most int
	Per  time.Duration
}

// The bounds of a cap: what a cell can count.
const (
	MostOfCap    = 200
	LongestOfCap = 90 * 24 * time.Hour
)

// ParseCap reads "3 per 1h". duration reads its second part.
func ParseCap(text string, duration func(string) (time.Duration, error)) (Cap, error) {
	var c Cap
	most, per, found := strings.Cut(text, " per ")
	if !found {
		return c, fmt.Errorf("%q: write a count and a duration, such as 3 per 1h", text)
	}
	if _, err := fmt.Sscanf(most+" ", "%d ", &c.Most); err != nil || fmt.Sprint(c.Most) != most || c.Most < 1 || c.Most > MostOfCap {
		return c, fmt.Errorf("%q: write a count from 1 to %d first", text, MostOfCap)
	}
	var err error
	if c.Per, err = duration(strings.TrimSpace(per)); err != nil || c.Per < time.Minute || c.Per > LongestOfCap {
		return c, fmt.Errorf("%q: write a duration from 1m to 90d behind per", text)
	}
	return c, nil
}

// String returns the cap as it is configured.
func (c Cap) String() string { return fmt.Sprintf("%d per %s", c.Most, c.Per) }

// unsure is how long a take may still be given back because its dial was not made or not accepted. Who is kept by it asks again then, and not
// at the end of the window.
const unsure = 2 * time.Minute

// rings is the cell of a number: who took a ring of it, and when.
type rings struct {
	Takes takes `json:"takes"`
}

// free returns from when on the row may ring the number: now, when no cap keeps it. It is pure, and takes nothing.
func (r rings) free(caps []Cap, row string, now time.Time) time.Time {
	free := now
	all := r.Takes.until(now.Add(mostAhead)).others(row)
	for _, c := range caps {
		within := all
		for len(within) > 0 && !within[0].After(now.Add(-c.Per)) {
			within = within[1:]
		}
		if len(within) < c.Most {
			continue
		}
		until := within[len(within)-c.Most].Add(c.Per)
		for _, at := range within { // the oldest one that may yet be given back
			if doubtful := at.Add(unsure); doubtful.After(now) {
				until = earlier(until, doubtful)
				break
			}
		}
		if until.After(free) {
			free = until
		}
	}
	return free
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// longest returns the longest stretch that a cap looks at.
func longest(caps []Cap) time.Duration {
	var most time.Duration
	for _, c := range caps {
		most = max(most, c.Per)
	}
	return most
}
