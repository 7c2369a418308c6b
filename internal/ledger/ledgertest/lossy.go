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

var errNoEraser = errors.New("the ledger is no eraser")

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
	return l.suffer(ctx, w, l.Ledger.Create)
}

// Update implements [call.Ledger].
func (l *Lossy) Update(ctx context.Context, w call.Write) (call.Written, error) {
	return l.suffer(ctx, w, l.Ledger.Update)
}

// Erase implements [call.Eraser] for a ledger that does.
func (l *Lossy) Erase(ctx context.Context, w call.Write) (call.Written, error) {
	eraser, ok := l.Ledger.(call.Eraser)
	if !ok {
		return call.Written{}, errNoEraser
	}
	return l.suffer(ctx, w, eraser.Erase)
}

// Scrub implements [call.Eraser] for a ledger that does. It is not lost: it is no write of a row.
func (l *Lossy) Scrub(ctx context.Context, recipient string, ids []string) error {
	eraser, ok := l.Ledger.(call.Eraser)
	if !ok {
		return errNoEraser
	}
	return eraser.Scrub(ctx, recipient, ids)
}

func (l *Lossy) suffer(ctx context.Context, w call.Write, act func(context.Context, call.Write) (call.Written, error)) (call.Written, error) {
	switch l.next() {
	case NeverArrived:
		return call.Written{}, ErrLost
	case AnswerLost:
		if _, err := act(ctx, w); err != nil {
			return call.Written{}, err
		}
		return call.Written{}, ErrLost
	case Twice:
		if _, err := act(ctx, w); err != nil {
			return call.Written{}, err
		}
	case Late:
		l.mu.Lock()
		defer l.mu.Unlock()
		l.late = append(l.late, func() error {
			_, err := act(context.WithoutCancel(ctx), w)
			return err
		})
		return call.Written{}, ErrLost
	case Answered:
	}
	return act(ctx, w)
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
