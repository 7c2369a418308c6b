package sim

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// gatedDialer is the dialer of a world in which everything can go wrong. It sees that no attempt begins after a cancel that was acknowledged.
type gatedDialer struct {
	call.Dialer
	gate *gate
}

// Dial implements call.Dialer.
func (d gatedDialer) Dial(ctx context.Context, s call.Send) call.Answer {
	d.gate.at(ctx, "before dial", s.CallID)
	d.gate.w.lastDialed = s.CallID
	d.gate.w.dialing(s)
	answer := d.Dialer.Dial(ctx, s)
	d.gate.w.trace.add(d.gate.k.name, string(answer.Class), answer.ContactID)
	d.gate.w.mark("class " + string(answer.Class))
	d.gate.at(ctx, "after dial", s.CallID)
	d.gate.w.told(d.gate.k, s, answer)
	return answer
}

// Describe implements call.Dialer.
func (d gatedDialer) Describe(ctx context.Context, t call.Target, id string) (call.Contact, error) {
	d.gate.at(ctx, "before describe", "")
	contact, err := d.Dialer.Describe(ctx, t, id)
	if err != nil {
		d.gate.w.undescribed(id)
	}
	d.gate.at(ctx, "after describe", "")
	return contact, err
}

// Search implements call.Dialer.
func (d gatedDialer) Search(ctx context.Context, t call.Target, id string, from, to time.Time) ([]call.Contact, error) {
	d.gate.at(ctx, "before search", id)
	found, err := d.Dialer.Search(ctx, t, id, from, to)
	d.gate.at(ctx, "after search", id)
	return found, err
}

// Stop implements call.Dialer.
func (d gatedDialer) Stop(ctx context.Context, t call.Target, id string) error {
	d.gate.at(ctx, "before stop", "")
	d.gate.w.hangingUp(id, time.Now())
	err := d.Dialer.Stop(ctx, t, id)
	d.gate.at(ctx, "after stop", "")
	return err
}
