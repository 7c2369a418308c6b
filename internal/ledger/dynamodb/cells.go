package dynamodb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/call"
)

// cellPrefix begins the key of a cell. Its item has v version, d data, e expiry, g and c for the list of cells, q and t for what expires.
const cellPrefix = "#c#"

// attrExpires is when a cell expires, in nanoseconds; a cell without it never does.
const attrExpires = "e"

// ifNoCell holds where there is no cell: no item, or the bare key of one that was pruned.
var (
	ifNoCell   = "attribute_not_exists(v)"
	ifCellIsAt = "v = :v"
)

func cellKey(name string) string { return cellPrefix + name }

// Cell implements [call.Cells] by one consistent read.
func (l *Ledger) Cell(ctx context.Context, name string) (call.Cell, error) {
	if err := cmp.Or(l.usable(ctx), call.CheckCellName(name)); err != nil {
		return call.Cell{}, err
	}
	it, err := l.fetch(ctx, cellKey(name), "read a cell")
	switch {
	case errors.Is(err, call.ErrNotFound):
		return call.Cell{Name: name}, nil
	case err != nil:
		return call.Cell{}, err
	}
	return l.cellOf(ctx, it)
}

// cellOf reads an item; a bare key is a cell that does not exist.
func (l *Ledger) cellOf(ctx context.Context, it item) (call.Cell, error) {
	c := call.Cell{Name: strings.TrimPrefix(textOf(it[attrKey]), cellPrefix), Version: numberOf(it[attrVersion]), Expires: instant(it[attrExpires])}
	if c.Version == 0 {
		return call.Cell{Name: c.Name}, nil
	}
	plain, err := l.open(ctx, cellPlace(c), it[attrData])
	if err != nil {
		return call.Cell{}, fmt.Errorf("cell %s: %w", c.Name, err)
	}
	c.Data = plain
	return c, nil
}

// cellPlace authenticates the expiry with the data, for it lies beside them in clear.
func cellPlace(c call.Cell) place {
	p := place{kind: kindCell, pk: cellKey(c.Name), version: c.Version}
	if !c.Expires.IsZero() {
		p.side = strconv.FormatInt(c.Expires.UnixNano(), 10)
	}
	return p
}

// SetCell implements [call.Cells] by one conditional put. Who loses gets the current cell with the answer, or by a consistent read.
func (l *Ledger) SetCell(ctx context.Context, c call.Cell) (now call.Cell, ok bool, err error) {
	if err := cmp.Or(l.writable(ctx), c.Check()); err != nil {
		return call.Cell{}, false, err
	}
	it, err := l.cellItem(ctx, c)
	if err != nil {
		return call.Cell{}, false, err
	}
	in := &awsdynamodb.PutItemInput{
		TableName: &l.options.Table, Item: it, ConditionExpression: &ifNoCell,
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	if c.Version > 1 {
		in.ConditionExpression, in.ExpressionAttributeValues = &ifCellIsAt, item{":v": number(c.Version - 1)}
	}
	_, err = ask(ctx, l, "write a cell", in, l.client.PutItem)
	if failed, is := lost(err); is {
		if textOf(failed.Item[attrKey]) == cellKey(c.Name) {
			now, err = l.cellOf(ctx, failed.Item)
		} else { // there was no item, or the server left it out
			now, err = l.Cell(ctx, c.Name)
		}
		return now, false, err
	}
	if err != nil {
		return call.Cell{}, false, err
	}
	c.Data, c.Expires = bytes.Clone(c.Data), instant(it[attrExpires])
	return c, true, nil
}

func (l *Ledger) cellItem(ctx context.Context, c call.Cell) (item, error) {
	packed, err := l.packer.pack(c.Data)
	if err != nil {
		return nil, err
	}
	it := item{
		attrKey: text(cellKey(c.Name)), attrVersion: number(c.Version),
		attrGroup: text(cellGroup), attrCreated: cellOrder(c.Name, 0),
	}
	if !c.Expires.IsZero() {
		it[attrExpires] = number(c.Expires.UnixNano())
		it[attrShard], it[attrDue] = text(cellShard), number(pruneTime(c.Expires).UnixNano())
	}
	sealed, err := l.seal(ctx, cellPlace(c), packed)
	it[attrData] = blob(sealed)
	return it, err
}

const (
	// cellShard is the partition of the due index that holds the cells which expire. The sweep asks for others.
	cellShard = "c"
	// pruneGrain is how exactly the index knows when a cell expires: a cell that is renewed within the grain moves no entry of the index.
	pruneGrain = time.Hour
)

// pruneTime returns when the index lets a cell be pruned: after the hour in which it expires.
func pruneTime(expires time.Time) time.Time { return expires.Truncate(pruneGrain).Add(pruneGrain) }

// ifExpired is judged by the table on the cell as it is, so that one which was renewed, or removed and made anew, stays.
var ifExpired = "e < :e"

// PruneCells implements [call.Cells] by the due index and a conditional put of the bare key for each cell: nothing here deletes.
func (l *Ledger) PruneCells(ctx context.Context, now time.Time, limit int) (removed int, err error) {
	if err := l.writable(ctx); err != nil {
		return 0, err
	}
	q := query{index: indexDue, where: "q = :h AND t <= :t", values: item{":h": text(cellShard), ":t": number(now.UnixNano())}}
	for removed < limit {
		q.limit = min(limit-removed, mostBatch)
		found, err := l.query(ctx, q)
		if err != nil {
			return removed, err
		}
		for _, entry := range found {
			gone, err := l.pruneCell(ctx, textOf(entry[attrKey]), now)
			if err != nil {
				return removed, err
			}
			if gone {
				removed++
			}
		}
		if len(found) < q.limit {
			break
		}
		last := found[len(found)-1]
		q.after = item{attrKey: last[attrKey], attrShard: last[attrShard], attrDue: last[attrDue]}
	}
	return removed, nil
}

func (l *Ledger) pruneCell(ctx context.Context, pk string, now time.Time) (gone bool, err error) {
	in := &awsdynamodb.PutItemInput{
		TableName: &l.options.Table, Item: key(pk), ConditionExpression: &ifExpired, ExpressionAttributeValues: item{":e": number(now.UnixNano())},
	}
	_, err = ask(ctx, l, "prune a cell", in, l.client.PutItem)
	if _, stays := lost(err); stays {
		return false, nil
	}
	return err == nil, err
}
