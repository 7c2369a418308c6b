package httpapi

import (
	"context"
	"fmt"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/trace"
)

// Later dials what was accepted, before the next sweep would. It keeps ids in memory and promises nothing: what it forgets, the sweep finds.
type Later struct {
	engine   *call.Engine
	observer call.Observer
	ids      chan string

	// Begin begins the span of one dial; nil begins none. It is set before Run.
	Begin func(ctx context.Context) (context.Context, trace.End)
}

// NewLater returns one that remembers at most so many ids.
func NewLater(engine *call.Engine, observer call.Observer, most int) *Later {
	return &Later{engine: engine, observer: observer, ids: make(chan string, most)}
}

// Offer is Options.Accepted. It never waits: an id for which there is no room is left to the sweep.
func (l *Later) Offer(rowID string) {
	select {
	case l.ids <- rowID:
	default:
	}
}

// Run dials with so many workers until the context ends, and returns when the last dial has its answer.
func (l *Later) Run(ctx context.Context, workers int) {
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case id := <-l.ids:
					l.dial(ctx, id)
				}
			}
		})
	}
	all.Wait()
}

// Next dials one call that was offered, and reports whether there was one. It never waits for an offer: [Later.Run] does.
func (l *Later) Next(ctx context.Context) bool {
	select {
	case id := <-l.ids:
		l.dial(ctx, id)
		return true
	default:
		return false
	}
}

func (l *Later) dial(ctx context.Context, id string) {
	defer func() {
		if what := recover(); what != nil {
			l.observer.Decided(ctx, call.Decided{What: "panicked", RowID: id, Reason: fmt.Sprintf("%T", what), Source: call.SourceHTTP, Alarm: true})
		}
	}()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestDial) // a dial that was begun is not cut off
	defer cancel()
	if l.Begin != nil {
		begun, end := l.Begin(ctx)
		ctx = begun
		defer end("")
	}
	if _, err := l.engine.SweepRow(ctx, id); err != nil {
		l.observer.Decided(ctx, call.Decided{What: "step-failed", RowID: id, Code: call.CodeOf(err), Reason: err.Error(), Source: call.SourceHTTP})
	}
}
