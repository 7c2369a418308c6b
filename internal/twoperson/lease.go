package twoperson

import (
	"context"

	"github.com/ringonce/ringonce/internal/call"
)

// Lease says who carries a confirmed order out. It holds no time, so that no clock has to agree with another one: its holder counts Beat up while it works, and
// whoever has seen the same lease for [LeaseLasts] of its own clock may take it over.
type Lease struct {
	Worker string `json:"worker"`
	Beat   int64  `json:"beat"`
}

// CodeBusy refuses a lease that another one holds.
const CodeBusy call.Code = "order_busy"

// Take gives the lease of a confirmed order to a worker, or renews it. A lease of another worker is taken over only if it is still the one that was seen to stand
// still; the zero Lease takes over none. Of two who take at once one wins. An order that is not confirmed (any more) comes back as it is, without an error.
func (d Desk) Take(ctx context.Context, id, worker string, still Lease) (Order, error) {
	return d.move(ctx, id, func(o Order) (Order, error) {
		if o.ID == "" {
			return o, errNoOrder()
		}
		return o.take(worker, still)
	})
}

// GiveBack ends the lease of a worker that stopped before the end, so that nobody has to wait for it.
func (d Desk) GiveBack(ctx context.Context, id, worker string) error {
	_, err := d.move(ctx, id, func(o Order) (Order, error) {
		if o.Lease.Worker == worker {
			o.Lease = Lease{}
		}
		return o, nil
	})
	return err
}

func (o Order) take(worker string, still Lease) (Order, error) {
	switch {
	case o.State != Confirmed:
		return o, nil
	case o.Lease.Worker != "" && o.Lease.Worker != worker && o.Lease != still:
		return o, refuse(CodeBusy, "id", "The order is being carried out.", "Look at it again.")
	}
	o.Lease = Lease{Worker: worker, Beat: o.Lease.Beat + 1}
	return o, nil
}
