package rules

import (
	"context"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// countries tells the first call to a country from all later ones, over all processes on one ledger and for ever. It is safe for concurrent use.
type countries struct {
	cells call.Cells

	mu    sync.Mutex
	known map[string]bool // by this process: what was rung once is never new again
}

// rung is the cell of a country: when it was rung first, and by which pass.
type rung struct {
	At time.Time `json:"at"`
	By string    `json:"by"`
}

// CountryOf names where a number leads: its region, or + and the calling code where no region has it.
func CountryOf(number string) string {
	n := Lookup(number)
	if n.Region == "" || n.Region == noRegion {
		return "+" + n.Code
	}
	return n.Region
}

// noRegion is the region of numbers that belong to none, in the plan.
const noRegion = "001"

// first reports whether nobody has rung the country, and makes this pass the first. Nobody waits for another one's write. A store that does not answer makes it the first in this process:
// two alarms are better than none, and an alarm keeps no call.
func (k *countries) first(ctx context.Context, country, ticket string, now time.Time) bool {
	first := false
	err := changeCell(ctx, k.cells, "country/"+country, func(r *rung) (bool, time.Time, error) {
		if r.By != "" {
			first = r.By == ticket // our own, whose answer was lost
			return false, time.Time{}, nil
		}
		r.At, r.By, first = now, ticket, true
		return true, time.Time{}, nil
	})
	fresh := k.learn(country)
	return first || err != nil && fresh
}

func (k *countries) knows(country string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.known[country]
}

// learn remembers the country, and reports whether it was not known.
func (k *countries) learn(country string) (fresh bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = map[string]bool{}
	}
	fresh = !k.known[country]
	k.known[country] = true
	return fresh
}

// newCountry returns the country of a call that nobody has rung before; empty for every other. It is asked once the call passes, and keeps none.
func (g *Gate) newCountry(ctx context.Context, c call.Call, now time.Time) string {
	if !g.Countries || !g.counts(c) {
		return ""
	}
	country := CountryOf(c.Phone().Wire())
	if g.countries.knows(country) {
		return ""
	}
	ticket, err := g.ticket()
	if err == nil && !g.countries.first(ctx, country, ticket, now) {
		return ""
	}
	return country
}
