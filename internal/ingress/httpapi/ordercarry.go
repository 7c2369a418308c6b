package httpapi

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/twoperson"
)

// carryOut does what a confirmed order says to each of its calls and marks it as done. After an error, or a crash at any point, it is done again from its beginning: what was made
// is found by its key. One at a time does it, who has the lease; an order of which another one has it comes back as it stands. A lease that was seen to stand still is taken over.
func (a *api) carryOut(ctx context.Context, o twoperson.Order, still twoperson.Lease) (twoperson.Order, error) {
	if o.State != twoperson.Confirmed {
		return o, nil
	}
	whole := context.WithoutCancel(ctx) // nobody gains by half an order
	ctx, cancel := context.WithTimeout(whole, cmp.Or(a.LongestOrder, longestOrder))
	defer cancel()
	var name [8]byte
	if _, err := io.ReadFull(a.Random, name[:]); err != nil {
		return o, fmt.Errorf("no randomness for the lease of an order: %w", err)
	}
	w := &worker{api: a, name: hex.EncodeToString(name[:])}
	now, err := w.take(ctx, o.ID, still)
	switch {
	case call.CodeOf(err) == twoperson.CodeBusy:
		return o, nil
	case err != nil:
		return now, errors.Join(err, w.giveBack(whole, o.ID)) // it may have been written
	case now.State != twoperson.Confirmed:
		return now, nil
	}
	results, err := w.acts(ctx, now)
	switch {
	case call.CodeOf(err) == twoperson.CodeBusy: // somebody took it over
		return a.desk().Order(ctx, o.ID)
	case err != nil:
		return now, errors.Join(err, w.giveBack(whole, o.ID))
	}
	return a.desk().Finish(ctx, o.ID, results)
}

// Carrier carries on with the orders that were confirmed and are not done: their process ended. It remembers which leases it saw stand still.
type Carrier struct {
	api *api

	mu   sync.Mutex // one at a time
	seen map[string]sighting
}

// sighting is a lease of an order, and since when it was seen not to change.
type sighting struct {
	lease twoperson.Lease
	since time.Time
}

// NewCarrier returns a Carrier with the options of [New].
func NewCarrier(o Options) *Carrier { return &Carrier{api: o.api(), seen: map[string]sighting{}} }

// Resume carries on with what nobody works on, and takes over what the same lease has kept since an earlier look. It is called again and again while a service
// runs, also by several processes at once.
func (c *Carrier) Resume(ctx context.Context) error {
	if c.api.Cells == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	seen := map[string]sighting{}
	var all []error
	err := c.api.eachOrder(ctx, func(o twoperson.Order) bool {
		if o.State != twoperson.Confirmed {
			return true
		}
		still, wait := c.look(o, seen)
		if wait {
			return true
		}
		if _, err := c.api.carryOut(ctx, o, still); err != nil {
			all = append(all, fmt.Errorf("order %s: %w", o.ID, err))
		}
		return ctx.Err() == nil
	})
	c.seen = seen
	return errors.Join(append(all, err)...)
}

// look returns the lease that may be taken over, zero where there is none, and whether somebody else may be at work. An instant of before, of a clock that is not
// monotonic and was set back, begins anew.
func (c *Carrier) look(o twoperson.Order, seen map[string]sighting) (still twoperson.Lease, wait bool) {
	if o.Lease.Worker == "" {
		return twoperson.Lease{}, false
	}
	now := c.api.ticked()
	was, known := c.seen[o.ID]
	if !known || was.lease != o.Lease || now.Before(was.since) {
		was = sighting{o.Lease, now}
	}
	seen[o.ID] = was
	return o.Lease, now.Sub(was.since) < twoperson.LeaseLasts
}
