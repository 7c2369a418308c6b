package rules

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// CellNames names the cells of persons: by an HMAC of the number, so that no cell tells one. How good the secret is decides whether somebody
// who reads the ledger can find out which numbers are meant by trying them all (docs/holding.md). The zero value is not usable.
type CellNames struct{ key []byte }

// NewCellNames returns the names under a secret: the do-not-call key, else what the caller has that is the same in every process of the ledger.
// It does not keep the secret.
func NewCellNames(secret []byte) CellNames {
	mac := hmac.New(sha256.New, secret)
	_, _ = mac.Write([]byte("ringonce cells")) // never fails
	return CellNames{key: mac.Sum(nil)}
}

// of returns the name of the cell of a kind for a value.
func (n CellNames) of(kind, value string) string {
	mac := hmac.New(sha256.New, n.key)
	_, _ = mac.Write([]byte(kind + "\x00" + value)) // never fails
	return kind + "/" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// numberHash is the length of a number's hash where it is shown: 96 bits are enough to tell numbers apart.
const numberHash = 16

// OfNumber returns a keyed hash of a number, for people who talk about it without telling it. It is the name of no cell.
func (n CellNames) OfNumber(number call.Phone) string {
	return strings.TrimPrefix(n.of("shown", digits(number.Wire())), "shown/")[:numberHash]
}

// digits are those of a number as it goes on the wire.
func digits(wire string) string { return strings.TrimPrefix(wire, "+") }

const keyCheckCell = "keycheck"

type keyCheck struct {
	Check string `json:"check"`
}

// CheckSecret compares the names with those that the cells were made with, and remembers them when there are none yet. With another secret the
// do-not-call list would be there and never be found, so it is refused.
func (n CellNames) CheckSecret(ctx context.Context, cells call.Cells) error {
	mine := n.check()
	return changeCell(ctx, cells, keyCheckCell, func(k *keyCheck) (bool, time.Time, error) {
		switch k.Check {
		case "":
			k.Check = mine
			return true, time.Time{}, nil
		case mine:
			return false, time.Time{}, nil
		}
		return false, time.Time{}, &call.Error{
			Code: call.CodeConfiguration, Field: "do_not_call.key_file",
			Message: "The do-not-call list of this ledger was made with another key.",
			Fix:     "Configure the key that it was made with; it cannot change.",
		}
	})
}

func (n CellNames) check() string {
	return strings.TrimPrefix(n.of(keyCheckCell, ""), keyCheckCell+"/")
}

// IsOther reports whether the cells were made with another secret, so that [CellNames.CheckSecret] would refuse it. It writes nothing.
func (n CellNames) IsOther(ctx context.Context, cells call.Cells) (bool, error) {
	k, _, err := readCell[keyCheck](ctx, cells, keyCheckCell)
	return k.Check != "" && k.Check != n.check(), err
}
