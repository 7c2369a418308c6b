package dynamodb

import (
	"context"
	"errors"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	beatKey  = "#beat"
	attrBeat = "b"
)

// Beat implements [call.Journal]. A beat older than the newest is ignored.
func (l *Ledger) Beat(ctx context.Context, at time.Time) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	c := change{set: "b = :b", condition: "attribute_not_exists(b) OR b < :b", values: item{":b": number(at.UnixNano())}}
	_, err := ask(ctx, l, "record the heartbeat", c.input(l.options.Table, beatKey), l.client.UpdateItem)
	if _, older := lost(err); older {
		return nil
	}
	return err
}

// LastBeat implements [call.Journal].
func (l *Ledger) LastBeat(ctx context.Context) (time.Time, error) {
	if err := l.usable(ctx); err != nil {
		return time.Time{}, err
	}
	it, err := l.fetch(ctx, beatKey, "read the heartbeat")
	if errors.Is(err, call.ErrNotFound) {
		return time.Time{}, nil
	}
	return instant(it[attrBeat]), err
}
