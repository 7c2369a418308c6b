package cli

import (
	"context"
	"slices"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
)

// suppressed returns up to so many deliveries that were answered without dialing, newest first, of one call where a text names it, and whether there are more.
func (r *remote) suppressed(ctx context.Context, which client.SuppressedFilter, text string, limit int) (lines []suppressedLine, more bool, err error) {
	if text != "" {
		lines, err = r.suppressedByOne(ctx, which, text)
	} else {
		lines, err = r.suppressedByAll(ctx, which, limit+1)
	}
	return lines[:min(len(lines), limit)], len(lines) > limit, err
}

func (r *remote) suppressedByAll(ctx context.Context, which client.SuppressedFilter, most int) (lines []suppressedLine, err error) {
	for which.Limit = min(remotePage, most); ; {
		var page client.SuppressedPage
		err := r.patiently(ctx, func() (err error) {
			page, err = r.api.AllSuppressed(ctx, which)
			return err
		})
		if err != nil {
			return nil, err
		}
		for _, d := range page.Deliveries {
			lines = append(lines, suppressedLine{
				CallID: d.CallID, NotificationID: d.NotificationID, RecipientID: d.RecipientID, KeySpace: d.KeySpace, Ring: d.Ring, State: call.State(d.State),
				At: d.At, Kind: call.NoteKind(d.Kind), Reason: d.Reason, Source: call.Source(d.Source), Delivery: d.Delivery.Delivery,
			})
		}
		if which.Cursor = page.NextCursor; which.Cursor == "" || len(lines) >= most {
			return lines, nil
		}
	}
}

// suppressedByOne asks for what a call answered. The service does not filter that.
func (r *remote) suppressedByOne(ctx context.Context, which client.SuppressedFilter, text string) (lines []suppressedLine, err error) {
	id, err := r.resolve(ctx, text)
	if err != nil {
		return nil, err
	}
	var (
		d    client.Detail
		kept client.Deliveries
	)
	err = r.patiently(ctx, func() (err error) {
		if d, err = r.api.Get(ctx, id); err == nil {
			kept, err = r.api.Suppressed(ctx, id)
		}
		return err
	})
	c := d.Call
	if err != nil || which.Profile != "" && which.Profile != c.Profile || which.KeySpace != "" && which.KeySpace != c.KeySpace ||
		which.Producer != "" && which.Producer != c.Producer && which.Producer != access.SenderName(c.Producer) {
		return nil, err
	}
	f := call.NoteFilter{Since: which.Since, Until: which.Until}
	for _, kind := range which.Kinds {
		f.Kinds = append(f.Kinds, call.NoteKind(kind))
	}
	for _, k := range slices.Backward(kept.Kept) {
		if !f.Asks(call.Note{Kind: call.NoteKind(k.Kind), At: k.At}) {
			continue
		}
		lines = append(lines, suppressedLine{
			CallID: c.ID, NotificationID: c.NotificationID, RecipientID: c.RecipientID, KeySpace: c.KeySpace, Ring: c.Ring, State: call.State(c.State),
			At: k.At, Kind: call.NoteKind(k.Kind), Reason: k.Reason, Source: call.Source(k.Source), Delivery: k.Delivery,
		})
	}
	return lines, nil
}
