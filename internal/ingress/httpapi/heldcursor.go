package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"github.com/ringonce/ringonce/internal/call"
)

// heldMark is a place among the calls with a due time: behind the calls that were looked at last.
type heldMark struct {
	Last  []heldPlace `json:"l,omitempty"` // of the latest of them, the last one at the end: it may be dialed any moment, and then the one before is the place
	Count int         `json:"n,omitempty"` // how many were looked at
}

type heldPlace struct {
	ID  string `json:"i"`
	Due int64  `json:"d"` // Unix nanoseconds
}

// mostLast is how many calls a mark has.
const mostLast = 4

// pass moves the mark behind a call.
func (m *heldMark) pass(row call.Call) {
	m.Last = append(m.Last, heldPlace{row.ID, row.DueAt().UnixNano()})
	m.Last, m.Count = m.Last[max(0, len(m.Last)-mostLast):], m.Count+1
}

// heldMarkOf reads a cursor of the held calls; an empty one is the beginning.
func (a *api) heldMarkOf(ctx context.Context, cursor string) (m heldMark, err error) {
	content, err := a.unsealedCursor(ctx, cursor)
	if err != nil || content == nil {
		return m, err
	}
	if json.Unmarshal(content, &m) != nil || len(m.Last) == 0 || len(m.Last) > mostLast || m.Count < 0 {
		return heldMark{}, errCursor()
	}
	return m, nil
}

// dueBehind returns the ids of the calls with a due time behind the mark, at most mostLooked of them, and whether there are more. The ledger names due calls from the
// first on only, so the ids before the mark are read too, without their calls.
func (a *api) dueBehind(ctx context.Context, m *heldMark) (ids []string, more bool, err error) {
	until := a.Clock.Now().Add(farAhead)
	for limit := min(m.Count, mostHeldIDs) + mostLooked + 1; ; limit *= 2 {
		all, err := a.Ledger.Due(ctx, until, limit)
		if err != nil {
			return nil, false, err
		}
		at, found, err := a.behind(ctx, all, *m)
		if err != nil {
			return nil, false, err
		}
		if rest := all[at:]; len(all) < limit || limit > mostHeldIDs || found && len(rest) > mostLooked {
			return rest[:min(mostLooked, len(rest))], len(rest) > mostLooked, nil
		}
	}
}

// mostHeldIDs bounds how many ids of due calls one request reads.
const mostHeldIDs = 2_000_000

// behind returns where in the due calls the mark is, and whether one of its calls is still there. Else it is the first call that is not due earlier: calls of one due
// time may be shown again then, and none is left out.
func (a *api) behind(ctx context.Context, ids []string, m heldMark) (at int, found bool, err error) {
	if len(m.Last) == 0 {
		return 0, true, nil
	}
	for _, last := range slices.Backward(m.Last) {
		at := slices.Index(ids, last.ID)
		if at < 0 {
			continue
		}
		due, err := a.dueOf(ctx, last.ID)
		if err != nil {
			return 0, false, err
		}
		if due == last.Due { // else it stands elsewhere by now, and says nothing of the place
			return at + 1, true, nil
		}
	}
	due := m.Last[len(m.Last)-1].Due
	low, high := 0, len(ids)
	for low < high {
		middle := low + (high-low)/2
		is, err := a.dueOf(ctx, ids[middle])
		if err != nil {
			return 0, false, err
		}
		if is < due {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low, low < len(ids), nil
}

// dueOf returns the due time of a call in Unix nanoseconds; of one that has none any more one before all others.
func (a *api) dueOf(ctx context.Context, id string) (int64, error) {
	row, err := a.Ledger.Get(ctx, id)
	if errors.Is(err, call.ErrNotFound) || err == nil && row.DueAt().IsZero() {
		return math.MinInt64, nil
	}
	return row.DueAt().UnixNano(), err
}
