package httpapi

import (
	"context"
	"encoding/json"

	"github.com/ringonce/ringonce/internal/call"
)

// heldMark is a place among the calls with a due time: behind the call that was looked at last, in the words of the ledger. It stays one when that call is dialed.
type heldMark struct {
	Behind string `json:"b"`
}

// heldMarkOf reads a cursor of the held calls; an empty one is the beginning.
func (a *api) heldMarkOf(ctx context.Context, cursor string) (m heldMark, err error) {
	content, err := a.unsealedCursor(ctx, cursor)
	if err != nil || content == nil {
		return m, err
	}
	if json.Unmarshal(content, &m) != nil || m.Behind == "" {
		return heldMark{}, errCursor()
	}
	return m, nil
}

// dueWalk goes through the calls with a due time from a place on, the first due first.
type dueWalk struct {
	index call.Index
	place string
	size  int // of the next read
	rest  []call.DuePlace
	end   bool
}

// mostDueRead bounds one read of a walk, which doubles where the page asks for few of what waits.
const mostDueRead = 1000

// next returns the next call; false at the end.
func (w *dueWalk) next(ctx context.Context) (call.DuePlace, bool, error) {
	if len(w.rest) == 0 && !w.end {
		page, err := w.index.DueFrom(ctx, w.place, w.size)
		if call.CodeOf(err) == call.CodeFieldValue { // only the first place is of the asker
			return call.DuePlace{}, false, errCursor()
		}
		if err != nil {
			return call.DuePlace{}, false, err //nolint:wrapcheck // of the port, in its own words
		}
		w.rest, w.end, w.size = page, len(page) < w.size, min(2*w.size, mostDueRead)
	}
	if len(w.rest) == 0 {
		return call.DuePlace{}, false, nil
	}
	first := w.rest[0]
	w.rest, w.place = w.rest[1:], first.Place
	return first, true, nil
}
