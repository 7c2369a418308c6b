package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// writingKey returns the key to write with: that of the period, which the first process that needs it makes. That is a read, a call of KMS and
// a write, or for every further process a read and a call of KMS.
//
// When the next key cannot be had, whatever the reason, the one that is open goes on: the write may be the record of a dial, whose intent was
// sealed before midnight, and a contact that is not recorded is sent again. A blob names its key, so nothing rests on the period. The bound of
// blobs for one key is kept.
func (l *Ledger) writingKey(ctx context.Context) (*dataKey, error) {
	now := l.options.Clock.Now()
	period := now.Unix() / keyPeriod
	if k := l.keyring.current(period); k != nil {
		return k, nil
	}
	l.adopt(period - 1)
	if !l.keyring.lasts() {
		return patiently(ctx, keyPatience, func(ctx context.Context) (*dataKey, error) {
			done, err := l.keyring.wait(ctx)
			if err != nil {
				return nil, err
			}
			defer done()
			return l.nextKey(ctx, period)
		})
	}
	if k := l.renewed(ctx, now, period); k != nil {
		return k, nil
	}
	if k := l.keyring.older(); k != nil {
		return k, nil
	}
	return l.writingKey(ctx) // others took its last uses
}

// renewed returns the key of the period, or nil when the older one must do: another write is asking, the last try failed less than a minute
// ago, or this one fails, which is reported.
func (l *Ledger) renewed(ctx context.Context, now time.Time, period int64) *dataKey {
	if l.keyring.resting(now) {
		return nil
	}
	done, free := l.keyring.take()
	if !free {
		return nil
	}
	defer done()
	k, err := patiently(ctx, renewPatience, func(ctx context.Context) (*dataKey, error) { return l.nextKey(ctx, period) })
	if err == nil {
		return k
	}
	if ctx.Err() == nil { // else it was not the key
		l.keyring.failed.Store(l.options.Clock.Now().UnixNano())
		l.report(ctx, err)
	}
	return nil
}

func (l *Ledger) report(ctx context.Context, err error) {
	k := l.keyring.writing.Load()
	if l.options.Observer == nil || k == nil {
		return
	}
	day := time.Unix(k.period*keyPeriod, 0).UTC().Format(time.DateOnly)
	l.options.Observer.Decided(ctx, call.Decided{
		What: "key-failed", Code: call.CodeOf(err), Alarm: true,
		Reason: fmt.Sprintf("The next data key cannot be had; calls are encrypted with that of %s, and it is tried again in %s. %v", day, renewPause, err),
	})
}

// nextKey returns the key of the period, or the next one of it when that is nearly used up, and writes with it from then on. The turn must be
// held.
func (l *Ledger) nextKey(ctx context.Context, period int64) (*dataKey, error) {
	if k := l.keyring.current(period); k != nil {
		return k, nil
	}
	slot := int64(0)
	if k := l.keyring.writing.Load(); k != nil && k.period == period {
		slot = k.slot + 1
	}
	id := l.keyOf(period, slot)
	k, err := l.find(ctx, id)
	if errors.Is(err, errKeyLost) {
		k, err = l.makeKey(ctx, id)
	}
	if err != nil {
		return nil, err
	}
	mine := &dataKey{id: id, aead: k.aead, period: period, slot: slot}
	mine.used.Store(1)
	l.keyring.writing.Store(mine)
	return mine, nil
}

// keyOf returns the id of a key that this process writes with.
func (l *Ledger) keyOf(period, slot int64) string {
	return keyID(l.table.id+" "+l.options.Table, l.options.KMSKey, period, slot)
}

// adopt makes the first key of a period the one to write with when none is yet and it is open, since a call was read with it.
func (l *Ledger) adopt(period int64) {
	if l.keyring.writing.Load() != nil {
		return
	}
	id := l.keyOf(period, 0)
	if k, ok := l.keyring.open.get(id); ok {
		l.keyring.writing.CompareAndSwap(nil, &dataKey{id: id, aead: k.aead, period: period})
	}
}
