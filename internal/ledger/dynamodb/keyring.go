package dynamodb

import (
	"context"
	"errors"
	"sync/atomic"
	"time"
)

const (
	// keyPatience is how long one read or write waits for a data key that it cannot do without, its turn included. With the pauses of the core
	// three tries stay within the time of a dial.
	keyPatience = 4 * time.Second
	// renewPatience is how long one write waits for the next data key while an older one is open: KMS answers in some 10 ms, and a write may be
	// the record of a dial.
	renewPatience = time.Second
	// renewPause is how long the older key is used without a further try.
	renewPause = time.Minute
)

// keyring is the open data keys of a process.
type keyring struct {
	open    *recent[*dataKey]
	writing atomic.Pointer[dataKey]
	turn    chan struct{} // held by who asks the table or the master key, so that many readers ask once
	most    int64         // blobs that are sealed with one key here
	failed  atomic.Int64  // UnixNano: when the next key was last asked for in vain while an older one was open
}

func newKeyring() *keyring {
	return &keyring{open: newRecent[*dataKey](mostKeys), turn: make(chan struct{}, 1), most: mostSealed}
}

// wait takes the turn; the caller must call the function it returns.
func (r *keyring) wait(ctx context.Context) (func(), error) {
	select {
	case r.turn <- struct{}{}:
		return r.done, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// take takes the turn if it is free.
func (r *keyring) take() (func(), bool) {
	select {
	case r.turn <- struct{}{}:
		return r.done, true
	default:
		return nil, false
	}
}

func (r *keyring) done() { <-r.turn }

// current returns the key to write with, if it is open, and counts its use. The last sixteenth of its uses is kept for a time in which the next
// key cannot be had.
func (r *keyring) current(period int64) *dataKey {
	k := r.writing.Load()
	if k == nil || k.period != period || k.used.Load() >= r.most-r.most/16 {
		return nil
	}
	return r.older()
}

// older returns the key that was written with last, whatever its period, and counts its use; nil when none is open or it is used up.
func (r *keyring) older() *dataKey {
	k := r.writing.Load()
	if k == nil || k.used.Add(1) > r.most {
		return nil
	}
	return k
}

// lasts reports whether an older key can take the place of the next one.
func (r *keyring) lasts() bool {
	k := r.writing.Load()
	return k != nil && k.used.Load() < r.most
}

// resting reports whether the next key was asked for in vain a moment ago. A clock that was put back ends the pause.
func (r *keyring) resting(now time.Time) bool {
	since := now.Sub(time.Unix(0, r.failed.Load()))
	return since >= 0 && since < renewPause
}

var errKeySlow = errors.New("no answer in time")

// patiently asks for a key for a bounded time, and says so when that was too short.
func patiently(ctx context.Context, limit time.Duration, ask func(context.Context) (*dataKey, error)) (*dataKey, error) {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	k, err := ask(bounded)
	if err != nil && ctx.Err() == nil && bounded.Err() != nil {
		return nil, sealedAway(errKeySlow, "The delivery goes back to its source; check AWS KMS and the way to it.",
			"A data key could not be had within %s: AWS KMS, or the table, does not answer.", limit)
	}
	return k, err
}
