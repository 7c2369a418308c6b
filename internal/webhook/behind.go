package webhook

import (
	"context"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Behind passes to again every call accepted within the past that its producer was not told of completely: what a lost hint, a process that died
// or an endpoint that was away for long has left. It reads at most limit calls, newest first.
func (t *Teller) Behind(ctx context.Context, past time.Duration, limit int, again func(ctx context.Context, row string) error) error {
	oldest := t.Clock.Now().Add(-past)
	for filter := pageOf(limit); limit > 0; {
		rows, next, err := t.Index.List(ctx, filter)
		if err != nil {
			return fmt.Errorf("list calls to tell of: %w", err)
		}
		for _, c := range rows {
			if limit--; c.AcceptedAt.Before(oldest) || limit < 0 {
				return nil
			}
			endpoint, told := t.Endpoint(c.Key.KeySpace)
			if !told {
				continue
			}
			at, err := read(ctx, t.Cells, cellOf(endpoint.URL, c.ID))
			if err != nil {
				return err
			}
			if at.Seq >= c.Version {
				continue
			}
			if err := again(ctx, c.ID); err != nil {
				return err
			}
		}
		if filter.Cursor = next; next == "" {
			return nil
		}
	}
	return nil
}

func pageOf(limit int) call.Filter { return call.Filter{Limit: min(limit, 100)} }
