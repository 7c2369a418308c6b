package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Backlog is what a look for calls that producers were not told of has found.
type Backlog struct {
	Calls   int       // that are behind
	Oldest  time.Time // when the oldest of them was accepted; zero when there is none
	GivenUp []string  // calls that were behind at an earlier look and now lie beyond what is looked through: nobody is told of them any more
}

// Behind passes to again every call accepted within the past that its producer was not told of completely: what a lost hint, a process that died
// or an endpoint that was away for long has left. It reads at most limit calls of the ledger, whoever asked for them, newest first. It is called by one
// goroutine at a time.
func (t *Teller) Behind(ctx context.Context, past time.Duration, limit int, again func(ctx context.Context, row string) error) (Backlog, error) {
	reach := t.Clock.Now().Add(-past)
	var found Backlog
	behind := map[string]bool{}
	for filter := pageOf(limit); ; {
		rows, next, err := t.Index.List(ctx, filter)
		if err != nil {
			return Backlog{}, fmt.Errorf("list calls to tell of: %w", err)
		}
		for _, c := range rows {
			if limit--; c.AcceptedAt.Before(reach) || limit < 0 {
				reach, next = laterOf(reach, c.AcceptedAt.Add(1)), ""
				break
			}
			lags, err := t.lags(ctx, c)
			if err != nil {
				return Backlog{}, err
			}
			if !lags {
				continue
			}
			if err := again(ctx, c.ID); err != nil {
				return Backlog{}, err
			}
			found.Calls++
			behind[c.ID], found.Oldest = true, c.AcceptedAt
		}
		if filter.Cursor = next; next == "" {
			break
		}
	}
	gone, err := t.left(ctx, behind, reach)
	if err != nil {
		return Backlog{}, err
	}
	found.GivenUp, t.behind = gone, behind
	return found, nil
}

// lags reports whether a call has something that its producer was not told.
func (t *Teller) lags(ctx context.Context, c call.Call) (bool, error) {
	endpoint, told := t.Endpoint(c.Key.KeySpace)
	if !told {
		return false, nil
	}
	at, err := read(ctx, t.Cells, cellOf(endpoint.URL, c.ID))
	return at.Seq < c.Version && err == nil, err
}

// left returns the calls that were behind at the look before, are so still, and were accepted before what is looked through.
func (t *Teller) left(ctx context.Context, behind map[string]bool, reach time.Time) (gone []string, err error) {
	for id := range t.behind {
		if behind[id] {
			continue
		}
		c, err := t.Ledger.Get(ctx, id)
		if errors.Is(err, call.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read a call that was behind: %w", err)
		}
		if !c.AcceptedAt.Before(reach) {
			continue
		}
		lags, err := t.lags(ctx, c)
		if err != nil {
			return nil, err
		}
		if lags {
			gone = append(gone, id)
		}
	}
	return gone, nil
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func pageOf(limit int) call.Filter { return call.Filter{Limit: min(limit, 100)} }
