package dynamodb

import (
	"context"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/call"
)

// The attributes of a call's item. Their meaning is in doc.go.
const (
	attrKey       = "pk"
	attrVersion   = "v"
	attrHead      = "x"
	attrData      = "d"
	attrSide      = "s"
	attrCreated   = "c"
	attrGroup     = "g"
	attrState     = "l"
	attrRecipient = "r"
	attrContact   = "k"
	attrShard     = "q"
	attrDue       = "t"
)

// reserved begins every key that is no row id.
const reserved = "#"

type item = map[string]types.AttributeValue

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func number(n int64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatInt(n, 10)}
}
func blob(b []byte) types.AttributeValue { return &types.AttributeValueMemberB{Value: b} }

func textOf(v types.AttributeValue) string {
	if s, ok := v.(*types.AttributeValueMemberS); ok {
		return s.Value
	}
	return ""
}

func numberOf(v types.AttributeValue) int64 {
	if n, ok := v.(*types.AttributeValueMemberN); ok {
		if value, err := strconv.ParseInt(n.Value, 10, 64); err == nil {
			return value
		}
	}
	return 0
}

func binaryOf(v types.AttributeValue) []byte {
	if b, ok := v.(*types.AttributeValueMemberB); ok {
		return b.Value
	}
	return nil
}

func key(pk string) item { return item{attrKey: text(pk)} }

// headBytes returns the head as the 32 bytes that its hex stands for. Another head (in tests) is kept as it is, marked by a zero byte.
func headBytes(head string) []byte {
	if raw, err := hex.DecodeString(head); err == nil && len(raw) == 32 && hex.EncodeToString(raw) == head {
		return raw
	}
	return append([]byte{0}, head...)
}

func headText(b []byte) string {
	if len(b) == 32 {
		return hex.EncodeToString(b)
	}
	return strings.TrimPrefix(string(b), "\x00")
}

// stateLetters stand for the states in the list index.
var stateLetters = map[call.State]string{
	call.Received: "r", call.Dialing: "d", call.Placed: "p", call.Failed: "f", call.Expired: "e", call.Canceled: "c", call.InDoubt: "i",
}

// listGroup is the one partition of the list index. It takes 1,000 writes a second, which is 300 calls a second and more.
const listGroup = "c"

// dueShards is how many partitions the due index has. It belongs to the format: rows carry their shard.
const dueShards = 4

// shardOf spreads due rows over the partitions of the due index, so that its writes are not bounded by one of them.
func shardOf(id string) string {
	h := fnv.New32a()
	_, _ = h.Write([]byte(id)) // never fails
	return strconv.Itoa(int(h.Sum32() % dueShards))
}

// item returns the record as DynamoDB stores it.
func (l *Ledger) item(ctx context.Context, r record) (item, error) {
	plain, err := r.content()
	if err != nil {
		return nil, err
	}
	packed, err := l.packer.pack(plain)
	if err != nil {
		return nil, err
	}
	it := item{
		attrKey: text(r.row.ID), attrVersion: number(r.row.Version), attrHead: blob(headBytes(r.row.Head)),
		attrCreated: number(r.created), attrGroup: text(listGroup), attrState: text(stateLetters[r.row.State]),
	}
	l.addRecipient(it, r)
	if r.side != "" {
		it[attrSide] = text(r.side)
	}
	if r.row.ContactID != "" {
		it[attrContact] = text(r.row.ContactID)
	}
	if due := r.row.DueAt(); !due.IsZero() {
		it[attrShard], it[attrDue] = text(shardOf(r.row.ID)), number(due.UnixNano())
	}
	sealed, err := l.seal(ctx, placeOf(it), packed)
	it[attrData] = blob(sealed)
	return it, err
}

// recordOf reads an item. The request of a record with a side item is still missing.
func (l *Ledger) recordOf(ctx context.Context, it item) (record, error) {
	id := textOf(it[attrKey])
	r := record{created: numberOf(it[attrCreated]), side: textOf(it[attrSide]), rest: restOf(it), sealed: isSealed(it[attrData])}
	plain, err := l.open(ctx, placeOf(it), it[attrData])
	if err != nil {
		return r, fmt.Errorf("row %s: %w", id, err)
	}
	return r, r.readContent(plain, id, headText(binaryOf(it[attrHead])))
}

// sizeOf returns what DynamoDB counts of an item of strings, numbers and bytes: names and values, a number as one byte for two digits and
// one more (Amazon DynamoDB Developer Guide, "DynamoDB item sizes and formats").
func sizeOf(it item) int {
	size := 0
	for name, value := range it {
		size += len(name)
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			size += len(v.Value)
		case *types.AttributeValueMemberB:
			size += len(v.Value)
		case *types.AttributeValueMemberN:
			size += (len(v.Value)+1)/2 + 1
		}
	}
	return size
}
