package httpapi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
)

// mark is a place in a list: the page of the index that it is in, and the call after which it goes on. Calls that were made meanwhile move nothing out of
// a page, because the id is looked for and not counted to.
type mark struct {
	Page  string `json:"p,omitempty"` // cursor of the index
	After string `json:"a,omitempty"` // id of the last call that was looked at
	At    int64  `json:"t,omitempty"` // when that was accepted, in Unix nanoseconds
}

// rest returns the rows of a page behind the mark, and whether the page reaches there. It is given no row that the asker does not see: whether one is found must
// not tell that it exists. The call at the mark may have left the list since, by a
// new state: then the first one that is not newer goes on, so that nothing is left out.
func (m mark) rest(rows []call.Call) (rest []call.Call, reached bool) {
	if m.After == "" {
		return rows, true
	}
	if i := slices.IndexFunc(rows, func(c call.Call) bool { return c.ID == m.After }); i >= 0 {
		return rows[i+1:], true
	}
	if i := slices.IndexFunc(rows, func(c call.Call) bool { return m.At != 0 && c.AcceptedAt.UnixNano() <= m.At }); i >= 0 {
		return rows[i:], true
	}
	return nil, false
}

// cursorOf returns a mark as the asker gets it.
func (a *api) cursorOf(ctx context.Context, m mark) (string, error) { return a.sealedCursor(ctx, m) }

// sealedCursor returns a place in a list as the asker gets it. A producer's is sealed; who sees all calls has nothing to learn from it.
func (a *api) sealedCursor(ctx context.Context, m any) (string, error) {
	content, err := json.Marshal(m)
	if who := askedOf(ctx).who; err == nil && !who.May(access.RoleRead) {
		content, err = a.seals.seal(ctx, who, content)
	}
	return base64.RawURLEncoding.EncodeToString(content), err
}

// markOf reads a cursor of the asker's; an empty one is the beginning.
func (a *api) markOf(ctx context.Context, cursor string) (m mark, err error) {
	content, err := a.unsealedCursor(ctx, cursor)
	if err != nil || content == nil {
		return m, err
	}
	if json.Unmarshal(content, &m) != nil {
		return m, errCursor()
	}
	return m, nil
}

// unsealedCursor returns what a cursor of the asker's holds; nil of an empty one.
func (a *api) unsealedCursor(ctx context.Context, cursor string) ([]byte, error) {
	if cursor == "" {
		return nil, nil
	}
	content, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return nil, errCursor()
	}
	if who := askedOf(ctx).who; !who.May(access.RoleRead) {
		content, err = a.seals.open(ctx, who, content)
		if errors.Is(err, errSeal) {
			return nil, errCursor()
		}
	}
	return content, err
}

func errCursor() error {
	return refuse(http.StatusBadRequest, "cursor_invalid", "The parameter cursor is none of an earlier page.", "Take nextCursor as it is, or leave it out to begin anew.")
}
