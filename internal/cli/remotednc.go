package cli

import (
	"context"

	"github.com/ringonce/ringonce/client"
)

// dncThere is the form of a number that a service shows.
func dncThere(n client.Number) dncAnswer {
	d := dncAnswer{Number: n.Number, Listed: n.Listed, Changed: n.Changed, Reason: n.Reason, Source: n.Source, By: n.By, At: n.At}
	if r := n.Removed; r != nil {
		d.Removed = &dncRemoval{Reason: r.Reason, By: r.By, At: r.At}
	}
	return d
}

// eachThere asks a service for one number after the other, and prints what became of each. Doing it twice is doing it once, so that a service which
// has no time is asked again: a long list shall not end in its middle.
func (f *numbersFlags) eachThere(ctx context.Context, r *remote, asJSON bool, act func(number string) (client.Number, error)) error {
	numbers, err := f.read(r.environment)
	if err != nil {
		return err
	}
	for _, number := range numbers {
		var now client.Number
		err := r.patiently(ctx, func() (err error) {
			now, err = act(number.Wire())
			return err
		})
		if err != nil {
			return err
		}
		if err := dncThere(now).print(r.environment, asJSON); err != nil {
			return err
		}
	}
	return nil
}

// doNotCall returns the do-not-call list of a service, about one page more than the limit at most.
func (r *remote) doNotCall(ctx context.Context, x *dncListCommand) (found []dncAnswer, err error) {
	f := client.DoNotCallFilter{Removed: x.Removed, Limit: dncPage}
	for len(found) <= x.Limit {
		var (
			entries []client.Number
			next    string
		)
		err := r.patiently(ctx, func() (err error) {
			entries, next, err = r.api.DoNotCall(ctx, f)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, entry := range entries {
			found = append(found, dncThere(entry))
		}
		if f.Cursor = next; next == "" {
			break
		}
	}
	return found, nil
}
