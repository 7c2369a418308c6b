package ledgertest

import (
	"context"
	"errors"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// Fate is what happens to a write.
type Fate int

// The fates of a write.
const (
	Answered     Fate = iota // applied and answered
	AnswerLost               // applied, then the answer is lost
	NeverArrived             // lost before it was applied
	Twice                    // it arrives twice, and the second arrival is answered
	Late                     // it arrives after its writer has given it up
)

// ErrLost is what the writer of a lost write sees. It does not tell whether the write was applied.
var ErrLost = errors.New("the ledger did not answer")

var (
	errNoEraser = errors.New("the ledger is no eraser")
	errNoCells  = errors.New("the ledger has no cells")
)

// Lossy is a ledger that loses writes or their answers by plan. After the plan every write is answered.
type Lossy struct {
	call.Ledger

	mu   sync.Mutex
	plan []Fate
	late []func() error
}

// Lose returns a ledger that gives the coming writes on l these fates, in this order.
func Lose(l call.Ledger, plan ...Fate) *Lossy { return &Lossy{Ledger: l, plan: plan} }

// Create implements [call.Ledger].
func (l *Lossy) Create(ctx context.Context, w call.Write) (call.Written, error) {
	return suffer(ctx, l, func(ctx context.Context) (call.Written, error) { return l.Ledger.Create(ctx, w) })
}

// Update implements [call.Ledger].
func (l *Lossy) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return suffer(ctx, l, func(ctx context.Context) (call.Written, error) { return l.Ledger.Update(ctx, w) })
}

// Erase implements [call.Eraser] for a ledger that does.
func (l *Lossy) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	eraser, ok := l.Ledger.(call.Eraser)
	if !ok {
		return call.Written{}, errNoEraser
	}
	return suffer(ctx, l, func(ctx context.Context) (call.Written, error) { return eraser.Erase(ctx, w) })
}

// Scrub implements [call.Eraser] for a ledger that does. It is not lost: it is no write of a row.
func (l *Lossy) Scrub(ctx context.Context, recipient string, ids []string) error {
	eraser, ok := l.Ledger.(call.Eraser)
	if !ok {
		return errNoEraser
	}
	return eraser.Scrub(ctx, recipient, ids)
}

// suffer sends a write into the next fate.
func suffer[A any](ctx context.Context, l *Lossy, act func(context.Context) (A, error)) (A, error) {
	var nothing A
	switch l.next() {
	case NeverArrived:
		return nothing, ErrLost
	case AnswerLost:
		if _, err := act(ctx); err != nil {
			return nothing, err
		}
		return nothing, ErrLost
	case Twice:
		if _, err := act(ctx); err != nil {
			return nothing, err
		}
	case Late:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.late = append(l.late, func() error {
			_, err := act(context.WithoutCancel(ctx))
			return err
		})
		return nothing, ErrLost
	case Answered:
	}
	return act(ctx)
}

// Arrive lets every write that is late arrive now.
func (l *Lossy) Arrive() error {
	l.mu.Lock()
	late := l.late
	l.late = nil
	l.mu.Unlock()
	var errs []error
	for _, arrive := range late {
		errs = append(errs, arrive())
	}
	return errors.Join(errs...)
}

func (l *Lossy) next() Fate {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.plan) == 0 {
		return Answered
	}
	fate := l.plan[0]
	l.plan = l.plan[1:]
	return fate
}
