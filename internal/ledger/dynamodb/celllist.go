package dynamodb

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/call"
)

// cellGroup is the partition of the list index that holds the cells. Its sort key is a number, so the beginning of a name is written as one.
const cellGroup = "n"

const (
	// orderLetters is how many bytes of a name are in its number: a number of DynamoDB has 38 digits, and 96^19 is below 10^38. Cells that are
	// alike in them lie side by side and are sorted when they are read.
	orderLetters = 19
	orderBase    = 96 // the printable bytes of ASCII are the digits from 1; 0 is the end of the name
	lastLetter   = orderBase - 1
)

// cellOrder returns the number that stands for the beginning of a name in the list index. fill is the digit behind its end: 0, or lastLetter
// for the end of all names that begin so.
func cellOrder(name string, fill int64) types.AttributeValue {
	sum, base := new(big.Int), big.NewInt(orderBase)
	for i := range orderLetters {
		digit := fill
		if i < len(name) {
			digit = int64(name[i]) - ' ' + 1
		}
		sum.Add(sum.Mul(sum, base), big.NewInt(digit))
	}
	return &types.AttributeValueMemberN{Value: sum.String()}
}

// beginning returns what cellOrder knows of a name.
func beginning(name string) string { return name[:min(len(name), orderLetters)] }

// ListCells implements [call.Cells] by the list index, in a partition of its own, and consistent reads of what it names.
func (l *Ledger) ListCells(ctx context.Context, prefix, after string, limit int) (cells []call.Cell, err error) {
	if err := cmp.Or(l.usable(ctx), call.CheckCellPart(prefix), call.CheckCellPart(after)); err != nil {
		return nil, err
	}
	q := query{index: indexList, where: "g = :h AND c BETWEEN :a AND :b", values: item{
		":h": text(cellGroup), ":a": cellOrder(max(prefix, after), 0), ":b": cellOrder(prefix, lastLetter),
	}, limit: mostBatch}
	if numberBefore(q.values[":b"], q.values[":a"]) { // DynamoDB refuses such bounds
		return nil, l.table.has(indexList)
	}
	var waiting []string // names alike in their beginning, of which more may come
	for len(cells) < limit {
		found, err := l.query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, entry := range found {
			waiting = append(waiting, strings.TrimPrefix(textOf(entry[attrKey]), cellPrefix))
		}
		ended := len(found) < q.limit
		whole := len(waiting)
		if !ended {
			last := waiting[whole-1]
			q.after = item{attrKey: text(cellKey(last)), attrGroup: text(cellGroup), attrCreated: cellOrder(last, 0)}
			for whole > 0 && beginning(waiting[whole-1]) == beginning(last) {
				whole--
			}
		}
		some, err := l.cellsOf(ctx, keysUnder(waiting[:whole], prefix, after), limit-len(cells))
		if err != nil {
			return nil, err
		}
		cells, waiting = append(cells, some...), waiting[whole:]
		if ended {
			break
		}
	}
	return cells, nil
}

// keysUnder returns the keys of those names that are asked for, in the order of the names.
func keysUnder(names []string, prefix, after string) (pks []string) {
	for _, name := range names {
		if strings.HasPrefix(name, prefix) && name > after {
			pks = append(pks, cellKey(name))
		}
	}
	slices.Sort(pks)
	return pks
}

// cellsOf reads the first of these cells that are still there, at most limit.
func (l *Ledger) cellsOf(ctx context.Context, pks []string, limit int) (cells []call.Cell, err error) {
	for len(pks) > 0 && len(cells) < limit {
		some := pks[:min(len(pks), limit-len(cells), mostBatch)]
		pks = pks[len(some):]
		items, err := l.fetchAll(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, pk := range some {
			c, err := l.cellOf(ctx, items[pk])
			if err != nil {
				return nil, err
			}
			if c.Version > 0 { // the index may lag
				cells = append(cells, c)
			}
		}
	}
	return cells, nil
}

// numberBefore reports whether one number of the list index is below another.
func numberBefore(a, b types.AttributeValue) bool {
	x, isX := a.(*types.AttributeValueMemberN)
	y, isY := b.(*types.AttributeValueMemberN)
	return isX && isY && (len(x.Value) < len(y.Value) || len(x.Value) == len(y.Value) && x.Value < y.Value)
}
