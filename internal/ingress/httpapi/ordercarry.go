package httpapi

import (
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

// longestOrder bounds how long an order is carried out at once; what is left is carried on.
const longestOrder = 5 * time.Minute

// carryOut does what a confirmed order says to each of its calls and marks it as done. After an error, or a crash at any point, it is done again from its beginning: what was made
// is found by its key. One at a time does it, who has the lease; an order of which another one has it comes back as it stands. A lease that was seen to stand still is taken over.
func (a *api) carryOut(ctx context.Context, o twoperson.Order, still twoperson.Lease) (twoperson.Order, error) {
	if o.State != twoperson.Confirmed {
		return o, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestOrder) // nobody gains by half an order
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
	case err != nil || now.State != twoperson.Confirmed:
		return now, err
	}
	results, err := w.acts(ctx, now)
	switch {
	case call.CodeOf(err) == twoperson.CodeBusy: // somebody took it over
		return a.desk().Order(ctx, o.ID)
	case err != nil:
		return now, errors.Join(err, a.desk().GiveBack(ctx, o.ID, w.name))
	}
	return a.desk().Finish(ctx, o.ID, results)
}

// worker carries one order out under a lease of its own.
type worker struct {
	*api

	name  string
	taken time.Time // before the lease was taken or renewed
}

func (w *worker) take(ctx context.Context, id string, still twoperson.Lease) (twoperson.Order, error) {
	at := w.Clock.Now()
	o, err := w.desk().Take(ctx, id, w.name, still)
	w.taken = at
	return o, err
}

// acts does what the order says to each of its calls, for as long as the lease is its own.
func (w *worker) acts(ctx context.Context, o twoperson.Order) ([]string, error) {
	act := w.recallOf
	if o.Action != opRecall {
		act = w.actOf
	}
	results := make([]string, len(o.Calls))
	for i, id := range o.Calls {
		if since := w.Clock.Now().Sub(w.taken); since >= twoperson.RenewEvery || since < 0 {
			now, err := w.take(ctx, o.ID, twoperson.Lease{})
			if err != nil {
				return nil, err
			}
			if now.State != twoperson.Confirmed { // somebody took the lease over, and has ended
				return now.Results, nil
			}
		}
		one, cancel := context.WithTimeout(ctx, twoperson.LongestAct)
		result, err := act(one, o, id)
		cancel()
		if err != nil {
			return nil, err
		}
		results[i] = result
	}
	return results, nil
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

// look returns the lease that may be taken over, zero where there is none, and whether somebody else may be at work. An instant of before is of a clock that was set
// back, and begins anew.
func (c *Carrier) look(o twoperson.Order, seen map[string]sighting) (still twoperson.Lease, wait bool) {
	if o.Lease.Worker == "" {
		return twoperson.Lease{}, false
	}
	now := c.api.Clock.Now()
	was, known := c.seen[o.ID]
	if !known || was.lease != o.Lease || now.Before(was.since) {
		was = sighting{o.Lease, now}
	}
	seen[o.ID] = was
	return o.Lease, now.Sub(was.since) < twoperson.LeaseLasts
}
