package sim

import (
	"context"
	"errors"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/outcome"
)

var (
	errNoAnswer = errors.New("planted: Amazon Connect gave no answer")
	errExpired  = errors.New("planted: the signature expired")
)

// reachable is nil when a request that is no start gets through.
func (d lightDialer) reachable(ctx context.Context, op connectemu.Operation) error {
	p, signed := d.phone, d.clock.Now().Truncate(time.Second)
	p.arrive()
	if time.Since(signed).Abs() > p.network.Signature {
		return errExpired
	}
	if _, met := p.pick(op); met || ctx.Err() != nil || time.Now().Before(p.until) {
		return errNoAnswer
	}
	return nil
}

// Describe implements call.Dialer.
func (d lightDialer) Describe(ctx context.Context, _ call.Target, contactID string) (call.Contact, error) {
	if err := d.reachable(ctx, connectemu.OpDescribe); err != nil {
		return call.Contact{}, err
	}
	c := d.phone.byID[contactID]
	if c == nil {
		return call.Contact{}, call.ErrNotFound
	}
	now := time.Now()
	shown := c.shown(now)
	shown.Sight = c.told(now)
	return shown, nil
}

func (c *lightContact) shown(now time.Time) call.Contact {
	shown := call.Contact{ID: c.contact, CallID: c.callID, Name: "ringonce-" + c.callID, Initiated: c.at.UTC()}
	if !now.Before(c.ended) {
		shown.Disconnected = c.ended.UTC()
	}
	return shown
}

// told is what DescribeContact says of the contact's life.
func (c *lightContact) told(now time.Time) call.Sight {
	story := c.story(now)
	told := outcome.Told{
		Initiated: story.initiated, Connected: story.connected, Disconnected: story.ended, Reason: story.reason, Updated: story.initiated,
	}
	if !story.connected.IsZero() {
		told.Updated = story.connected
	}
	if !story.ended.IsZero() {
		told.Updated = story.ended
	}
	return told.Sight()
}

// Search implements call.Dialer.
func (d lightDialer) Search(ctx context.Context, t call.Target, callID string, from, to time.Time) ([]call.Contact, error) {
	p := d.phone
	if err := d.reachable(ctx, connectemu.OpSearch); err != nil {
		return nil, err
	}
	now := time.Now()
	if t.InstanceID == "" || !p.search.take(now) {
		return nil, errNoAnswer
	}
	var found []call.Contact
	for _, c := range p.made {
		seen := c.at
		if p.network.Completed {
			seen = c.ended
		}
		at := c.at.Truncate(time.Millisecond)
		if c.callID == callID && !now.Before(seen.Add(p.network.Unseen)) && !at.Before(from) && !at.After(to) {
			found = append(found, c.shown(now))
		}
	}
	return found, nil
}

// Stop implements call.Dialer.
func (d lightDialer) Stop(ctx context.Context, _ call.Target, contactID string) error {
	if err := d.reachable(ctx, connectemu.OpStop); err != nil {
		return err
	}
	if c := d.phone.byID[contactID]; c != nil && time.Now().Before(c.ended) {
		c.stop(time.Now())
	}
	return nil
}
