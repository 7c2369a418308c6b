package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
)

// mark is a place in a list: the page of the index that it is in, and the call after which it goes on. Calls that were made meanwhile move nothing out of
// a page, because the id is looked for and not counted to.
type mark struct {
	Page  string `json:"p,omitempty"` // cursor of the index
	After string `json:"a,omitempty"` // id of the last call that was looked at
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
