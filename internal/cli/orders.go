package cli

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/client"
)

// ordersGroup holds the commands about orders, which a service keeps.
type ordersGroup struct {
	remoteFlags

	List    ordersListCommand   `cmd:"" help:"List orders of re-calls, releases and drops of many calls, newest first."`
	Show    ordersShowCommand   `cmd:"" help:"Show an order with its calls and what became of each."`
	Confirm orderConfirmCommand `cmd:"" help:"Confirm an order as its second person: what it says is done."`
	Refuse  orderRefuseCommand  `cmd:"" help:"Give up an order that waits for its second person."`
}

// The states of an order that commands tell apart.
const (
	orderPending   = "pending"
	orderDone      = "done"
	orderWithdrawn = "withdrawn"
	orderExpired   = "expired"
)

// leastSeen is how much of a digest says which content was seen.
const leastSeen = 12

// orderService returns the service that keeps the orders.
func (e *environment) orderService() (*remote, error) {
	r, err := e.remote()
	if err == nil && r == nil {
		err = misused("Orders are kept by a service, and none is named.", "Name it with --server, or in the variable "+ServerVariable+"; docs/serve.md says how to run one.")
	}
	if r != nil {
		r.orders = true
	}
	return r, err
}

type ordersListCommand struct {
	State string `placeholder:"STATE" help:"Only orders in this state: pending, confirmed, done, withdrawn, expired."`
	Limit int    `default:"50" placeholder:"N" help:"At most so many, up to 200."`
	JSON  bool   `help:"Print one JSON object an order."`
}

// Run implements the command.
func (x *ordersListCommand) Run(ctx context.Context, e *environment) error {
	if x.State != "" && !slices.Contains([]string{orderPending, "confirmed", orderDone, "withdrawn", "expired"}, x.State) {
		return misused("--state has the unknown value "+strconv.Quote(x.State)+".", "Use pending, confirmed, done, withdrawn or expired.")
	}
	if x.Limit < 1 || x.Limit > remotePage {
		return misused("--limit is not between 1 and 200.", "Give at least 1 and at most 200.")
	}
	r, err := e.orderService()
	if err != nil {
		return err
	}
	var (
		orders []client.Order
		more   bool
	)
	err = r.patiently(ctx, func() (err error) {
		orders, more, err = r.api.Orders(ctx, x.State, x.Limit)
		return err
	})
	if err != nil {
		return err
	}
	return printOrders(e, orders, more, x.JSON)
}

type ordersShowCommand struct {
	ID   string `arg:"" help:"The id of an order."`
	JSON bool   `help:"Print one JSON object."`
}

// Run implements the command.
func (x *ordersShowCommand) Run(ctx context.Context, e *environment) error {
	r, err := e.orderService()
	if err != nil {
		return err
	}
	o, err := r.order(ctx, x.ID)
	if err != nil {
		return err
	}
	return printOrder(e, o, x.JSON)
}

func (r *remote) order(ctx context.Context, id string) (o client.Order, err error) {
	err = r.patiently(ctx, func() (err error) {
		o, err = r.api.Order(ctx, id)
		return err
	})
	return o, err
}

type orderConfirmCommand struct {
	ID   string `arg:"" help:"The id of an order."`
	Seen string `required:"" placeholder:"DIGEST" help:"The digest that orders show printed, or its first 12 characters: what is confirmed is what was seen."`
	JSON bool   `help:"Print one JSON object."`
}

// Run implements the command.
func (x *orderConfirmCommand) Run(ctx context.Context, e *environment) error {
	if len(x.Seen) < leastSeen {
		return misused("--seen is too short.", "Give at least the first 12 characters of the digest that ringonce orders show prints.")
	}
	r, err := e.orderService()
	if err != nil {
		return err
	}
	o, err := r.order(ctx, x.ID)
	if err != nil {
		return err
	}
	digest := x.Seen // of an order that is not pending no digest is told, and the service says why it cannot be confirmed
	if o.Digest != "" {
		if digest = o.Digest; !strings.HasPrefix(digest, x.Seen) {
			return &complaint{ExitConflict, "What was seen is not what is ordered.", "Look at ringonce orders show " + plain(x.ID) + " again, and confirm the digest that it prints."}
		}
	}
	if o, err = r.api.ConfirmOrder(ctx, x.ID, digest); err != nil {
		return r.told(err)
	}
	if err := printOrder(e, o, x.JSON); err != nil {
		return err
	}
	return endWith(exitOfOrder(o))
}

type orderRefuseCommand struct {
	ID     string `arg:"" help:"The id of an order."`
	Reason string `required:"" placeholder:"TEXT" help:"Why it is given up."`
	JSON   bool   `help:"Print one JSON object."`
}

// Run implements the command.
func (x *orderRefuseCommand) Run(ctx context.Context, e *environment) error {
	r, err := e.orderService()
	if err != nil {
		return err
	}
	o, err := r.api.RefuseOrder(ctx, x.ID, x.Reason)
	if err != nil {
		return r.told(err)
	}
	return printOrder(e, o, x.JSON)
}
