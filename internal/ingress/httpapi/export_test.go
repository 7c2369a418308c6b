package httpapi

import (
	"crypto/rand"
	"encoding/base64"
	"testing"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
)

// NameRecalls makes orders name their re-calls in another way: for planted defects.
func NameRecalls(o *Options, name func(order, callID string) string) { o.recallID = name }

// SpacesOf are the key spaces that a list asks the index for.
var SpacesOf = spacesOf

// CursorOf is the cursor of a principal that says so: what only who has the key of the ledger can make.
func CursorOf(t *testing.T, cells call.Cells, who access.Principal, text string) string {
	t.Helper()
	s := &seals{cells: cells, random: rand.Reader}
	content, err := s.seal(t.Context(), who, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(content)
}

// Unfit says what is wrong with a body.
var Unfit = unfit
