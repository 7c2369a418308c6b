package main

import (
	"context"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// subject is an opened system on an empty store.
type subject interface {
	// ask asks for the keys first, first+1, ... with all lanes at once, each key once.
	ask(ctx context.Context, first, number, lanes int) (phase, error)
	// kept counts in the store itself, past the system.
	kept(ctx context.Context) (tally, error)
	close() error
}

// phase is what was measured of one number of keys.
type phase struct {
	times      []time.Duration // from before the question to after its answer
	took       time.Duration
	cpu        time.Duration // of the process that asks, in which all systems run but the servers of their stores
	requests   int64         // to the DynamoDB emulator
	refused    int64         // answers that were an error for want of a lock, and asked for again
	fresh, old int           // what the answers said, where they say it
}

// tally is what a store holds.
type tally struct {
	rows int // keys that it holds as accepted, or as done where the system does the work
	runs int // how often the work was done
}

// said is what an answer says of its key.
type said int

const (
	silent said = iota // the system does not tell
	fresh
	old
)

// inLanes asks for keys in this process.
func inLanes(ctx context.Context, first, number, lanes int, one func(ctx context.Context, n int) (said, error)) (phase, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var whole phase
	var next atomic.Int64
	var mu sync.Mutex
	var group sync.WaitGroup
	cpu, begun := spent(), time.Now()
	for range lanes {
		group.Go(func() {
			var lane phase
			for ctx.Err() == nil {
				n := int(next.Add(1)) - 1
				if n >= number {
					break
				}
				asked := time.Now()
				what, err := one(ctx, first+n)
				if err != nil {
					cancel(err)
					return
				}
				lane.times = append(lane.times, time.Since(asked))
				switch what {
				case fresh:
					lane.fresh++
				case old:
					lane.old++
				case silent:
				}
			}
			mu.Lock()
			defer mu.Unlock()
			whole.times = append(whole.times, lane.times...)
			whole.fresh, whole.old = whole.fresh+lane.fresh, whole.old+lane.old
		})
	}
	group.Wait()
	whole.took, whole.cpu = time.Since(begun), spent()-cpu
	return whole, context.Cause(ctx)
}

// spent returns the processor time of this process.
func spent() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
