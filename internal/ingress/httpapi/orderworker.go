package httpapi

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/twoperson"
)

// longestOrder bounds how long an order is carried out at once; what is left is carried on.
const longestOrder = 5 * time.Minute

// worker carries one order out under a lease of its own.
type worker struct {
	*api

	name  string
	taken time.Time // before the lease was taken or renewed, by ticked
}

// giveBack ends the lease, also when the time of the order is over.
func (w *worker) giveBack(ctx context.Context, id string) error {
	ctx, cancel := context.WithTimeout(ctx, twoperson.RenewEvery)
	defer cancel()
	return w.desk().GiveBack(ctx, id, w.name)
}

// ticked returns an instant that is good for its distance from others of this process: setting the clock of the machine must neither hide from a holder how long it stood
// still, nor make a lease look old.
func (a *api) ticked() time.Time {
	if c, ok := a.Clock.(interface{ Monotonic() time.Time }); ok {
		return c.Monotonic()
	}
	return a.Clock.Now()
}

func (w *worker) take(ctx context.Context, id string, still twoperson.Lease) (twoperson.Order, error) {
	at := w.ticked()
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
		if since := w.ticked().Sub(w.taken); since >= twoperson.RenewEvery || since < 0 {
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
