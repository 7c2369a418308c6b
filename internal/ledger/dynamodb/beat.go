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

// Beat implements [call.Journal]. The condition is that of [call.BeatCounts].
func (l *Ledger) Beat(ctx context.Context, at time.Time) error {
	if err := l.writable(ctx); err != nil {
		return err
	}
	c := change{
		set: "b = :b", condition: "attribute_not_exists(b) OR b < :b OR b > :ahead",
		values: item{":b": number(at.UnixNano()), ":ahead": number(at.Add(call.HeartbeatTime).UnixNano())},
	}
	_, err := ask(ctx, l, "record the heartbeat", c.input(l.options.Table, beatKey), l.client.UpdateItem)
	if _, other := lost(err); other {
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
