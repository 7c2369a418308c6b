package dynamodb

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/ringonce/ringonce/internal/call"
)

// Get implements [call.Ledger], by a consistent read; two for a call with a side item.
func (l *Ledger) Get(ctx context.Context, id string) (call.Call, error) {
	if err := l.usable(ctx); err != nil {
		return call.Call{}, err
	}
	r, err := l.load(ctx, id)
	if err != nil {
		return call.Call{}, err
	}
	return r.row, nil
}

// Peek is Get by an eventually consistent read, at half the price: the row may be old, and a new one may not be found.
func (l *Ledger) Peek(ctx context.Context, id string) (call.Call, error) {
	if err := l.usable(ctx); err != nil {
		return call.Call{}, err
	}
	in := &awsdynamodb.GetItemInput{TableName: &l.options.Table, Key: key(id)}
	out, err := ask(ctx, l, "read a call", in, l.client.GetItem)
	if err != nil {
		return call.Call{}, err
	}
	if len(out.Item) == 0 || !isRow(id) {
		return call.Call{}, fmt.Errorf("row %q: %w", id, call.ErrNotFound)
	}
	r, err := l.recordOf(ctx, out.Item)
	if err == nil {
		err = l.complete(ctx, &r)
	}
	return r.row, err
}

// load reads a record, or returns call.ErrNotFound.
func (l *Ledger) load(ctx context.Context, id string) (record, error) {
	if !isRow(id) {
		return record{}, fmt.Errorf("row %q: %w", id, call.ErrNotFound)
	}
	it, err := l.fetch(ctx, id, "read a call")
	if err != nil {
		return record{}, err
	}
	r, err := l.remember(ctx, it)
	return l.again(ctx, id, r, err)
}

// remember completes the record of an item and keeps it for the update that may follow.
func (l *Ledger) remember(ctx context.Context, it item) (record, error) {
	r, err := l.recordOf(ctx, it)
	if err != nil {
		return r, err
	}
	if err := l.complete(ctx, &r); err != nil {
		return r, err
	}
	l.records.put(r.row.ID, r)
	return r, nil
}

// fetch reads one item consistently, or returns call.ErrNotFound.
func (l *Ledger) fetch(ctx context.Context, pk, during string) (item, error) {
	in := &awsdynamodb.GetItemInput{TableName: &l.options.Table, Key: key(pk), ConsistentRead: aws.Bool(true)}
	out, err := ask(ctx, l, during, in, l.client.GetItem)
	switch {
	case err != nil:
		return nil, err
	case len(out.Item) == 0:
		return nil, fmt.Errorf("%s %s: %w", during, pk, call.ErrNotFound)
	}
	return out.Item, nil
}

// History implements [call.Index], by consistent reads.
func (l *Ledger) History(ctx context.Context, id string) ([]call.Entry, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	r, err := l.load(ctx, id)
	if err != nil {
		return nil, err
	}
	_, entries, err := l.withHistory(ctx, r)
	return entries, err
}

func (l *Ledger) history(ctx context.Context, r record) ([]call.Entry, error) {
	older, err := l.spilledEntries(ctx, r)
	if err != nil {
		return nil, err
	}
	return append(older, r.entries...), nil
}

// Due implements [call.Ledger], by one query for each shard of the due index. The index lags by milliseconds as a rule; a row that it
// still shows, or does not show yet, costs a read or waits for the next sweep.
func (l *Ledger) Due(ctx context.Context, now time.Time, limit int) ([]string, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	var found []item
	for shard := range dueShards {
		page, err := l.query(ctx, query{
			index: indexDue, where: "q = :h AND t <= :t", values: item{":h": text(strconv.Itoa(shard)), ":t": number(now.UnixNano())}, limit: limit,
		})
		if err != nil {
			return nil, err
		}
		found = append(found, page...)
	}
	slices.SortFunc(found, func(a, b item) int {
		return cmp.Or(cmp.Compare(numberOf(a[attrDue]), numberOf(b[attrDue])), cmp.Compare(textOf(a[attrKey]), textOf(b[attrKey])))
	})
	return keysOf(found, limit), nil
}

func keysOf(items []item, limit int) []string {
	items = items[:min(max(limit, 0), len(items))]
	keys := make([]string, len(items))
	for i, it := range items {
		keys[i] = textOf(it[attrKey])
	}
	return keys
}
