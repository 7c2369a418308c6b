package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/ringonce/ringonce/internal/call"
)

// mark is a place in a list: the page of the index that it is in, and the call after which it goes on. Calls that were made meanwhile move nothing out of
// a page, because the id is looked for and not counted to.
type mark struct {
	Page  string `json:"p,omitempty"` // cursor of the index
	After string `json:"a,omitempty"` // id of the last call that was looked at
	At    int64  `json:"t,omitempty"` // when that was accepted, in Unix nanoseconds
}

// rest returns the rows of a page behind the mark, and whether the page reaches there. The call at the mark may have left the list since, by a
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

func (m mark) cursor() string {
	content, _ := json.Marshal(m) //nolint:errchkjson // two texts
	return base64.RawURLEncoding.EncodeToString(content)
}

func markOf(cursor string) (mark, error) {
	var m mark
	if cursor == "" {
		return m, nil
	}
	content, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil {
		err = json.Unmarshal(content, &m)
	}
	if err != nil {
		return m, errCursor()
	}
	return m, nil
}

func errCursor() error {
	return refuse(http.StatusBadRequest, "cursor_invalid", "The parameter cursor is none of an earlier page.", "Take nextCursor as it is, or leave it out to begin anew.")
}
