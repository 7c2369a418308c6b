package dynamodb

import (
	"strconv"
	"strings"
)

// attrRest is the attribute of a forgotten row that is not scrubbed yet.
const attrRest = "z"

// rest is what the erasure of a row has still to destroy. The zero value is nothing.
type rest struct {
	recipient string // hash; the row is found by it until it is scrubbed
	spills    int64  // spill items of before
	side      string // the side item of before, if the row had one
}

func (r rest) done() bool { return r.recipient == "" }

func (r rest) text() string { return strconv.FormatInt(r.spills, 10) + " " + r.side }

// restOf reads what text wrote; a row that is scrubbed, or not forgotten, has nothing of it.
func restOf(it item) rest {
	written := textOf(it[attrRest])
	spills, side, ok := strings.Cut(written, " ")
	n, err := strconv.ParseInt(spills, 10, 64)
	if !ok || err != nil {
		return rest{}
	}
	return rest{recipient: textOf(it[attrRecipient]), spills: n, side: side}
}
