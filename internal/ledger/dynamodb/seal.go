package dynamodb

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// sealedFormat is the first byte of an encrypted blob: the id of its data key, a nonce of 12 bytes, a blob of format 1 encrypted by
// AES-256-GCM, a tag of 16. A program that knows format 1 alone refuses it.
const sealedFormat = 2

// newestFormat is the newest format that a ledger's own item may name.
const newestFormat = sealedFormat

// The kinds of blobs.
const (
	kindRow   = "row"
	kindSide  = "side"
	kindSpill = "spill"
	kindNote  = "note"
	kindPark  = "park"
	kindCell  = "cell"
)

// place is where a blob belongs. It is authenticated with the blob, so one that was moved to another call, kind or version does not open.
type place struct {
	kind    string
	pk      string
	version int64  // of a row or a cell
	head    []byte // of a row: hash of its newest history entry
	side    string // of a row: the side item that completes it; of a cell: when it expires
}

// placeOf returns the place of the blob in a call's item.
func placeOf(it item) place {
	return place{kindRow, textOf(it[attrKey]), numberOf(it[attrVersion]), binaryOf(it[attrHead]), textOf(it[attrSide])}
}

func (p place) bytes(key string) []byte {
	var f framer
	f.text(p.kind)
	f.text(p.pk)
	f.number(p.version)
	f.bytes(p.head)
	f.text(p.side)
	f.text(key)
	return f.buf
}

// isSealed reports whether an attribute holds an encrypted blob.
func isSealed(v types.AttributeValue) bool {
	b := binaryOf(v)
	return len(b) > 0 && b[0] == sealedFormat
}

// seals reports whether this process encrypts what it writes.
func (l *Ledger) seals() bool { return l.options.KMSKey != "" && l.options.KMSKey != EncryptionOff }

// seal encrypts a packed blob for its place. Without encryption it returns the blob as it is.
func (l *Ledger) seal(ctx context.Context, p place, packed []byte) ([]byte, error) {
	if !l.seals() {
		return packed, nil
	}
	k, err := l.writingKey(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, 1+keyIDSize+k.aead.Overhead()+len(packed))
	out = append(append(out, sealedFormat), k.id...)
	return k.aead.Seal(out, nil, packed, p.bytes(k.id)), nil //nolint:gosec // the nonce is empty because this AEAD makes its own
}

// open returns the content of a blob, encrypted or not.
func (l *Ledger) open(ctx context.Context, p place, v types.AttributeValue) ([]byte, error) {
	stored := binaryOf(v)
	if !isSealed(v) {
		return unpack(stored)
	}
	l.metSealed()
	if len(stored) < 1+keyIDSize {
		return nil, errDamaged
	}
	id := string(stored[1 : 1+keyIDSize])
	k, err := l.readingKey(ctx, id)
	if err != nil {
		return nil, err
	}
	packed, err := k.aead.Open(nil, nil, stored[1+keyIDSize:], p.bytes(id))
	if err != nil {
		return nil, fmt.Errorf("%w, moved to another place, or encrypted with another data key than that of %s", errDamaged, keyItem(id))
	}
	return unpack(packed)
}
