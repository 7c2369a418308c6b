package dynamodb

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"

	"github.com/ringonce/ringonce/internal/call"
)

// salt returns what makes hashes of this call's request impossible to guess at: the op id of its first entry, 16 random bytes that lie in
// the encrypted blob alone. It is empty for a record whose spilled entries were not read.
func (r record) salt() string {
	switch {
	case len(r.entries) > 0 && opens(r.entries[0]):
		return r.entries[0].Op
	case len(r.older) > 0:
		return r.older[0]
	}
	return ""
}

// sideName names a side item by its content. Where calls are encrypted the name is salted: of a plain hash a phone number can be guessed.
// A record keeps the name that it has, also when encryption was turned on or off since, so that the item in clear is the one replaced.
func (l *Ledger) sideName(r record, plain []byte) string {
	inClear := shortHash(plain)
	salted := shortHash([]byte("side "+r.salt()+"\x00"), plain)
	if r.side == salted || (l.seals() && r.side != inClear) {
		return salted
	}
	return inClear
}

func shortHash(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		_, _ = h.Write(part) // never fails
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
}

// fingerprintName returns what the set of a row's conflicts holds of a fingerprint: where calls are encrypted a salted hash of it, for the
// fingerprint is a plain hash of number and attributes. The row was met a moment ago, as a rule; if not it is read. A note without a row
// has no salt.
func (l *Ledger) fingerprintName(ctx context.Context, n call.Note) (string, error) {
	if !l.seals() || n.Kind != call.NoteConflict {
		return n.Fingerprint, nil
	}
	r, met := l.records.get(n.RowID)
	if !met || r.salt() == "" {
		var err error
		r, err = l.load(ctx, n.RowID)
		if err == nil {
			err = l.recall(ctx, &r)
		}
		if err != nil && !errors.Is(err, call.ErrNotFound) {
			return "", err
		}
	}
	return shortHash([]byte("conflict "+r.salt()+"\x00"), []byte(n.Fingerprint)), nil
}
