package dynamodb

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/stored"
)

// duePlace is where a walk through the due index is: the entry of each shard that it passed last. Each shard has its own, because the order of entries with one
// due time is DynamoDB's.
type duePlace [dueShards]string

// DueFrom implements [call.Index], by one query for each shard of the due index, which lags as for Due.
func (l *Ledger) DueFrom(ctx context.Context, place string, limit int) ([]call.DuePlace, error) {
	if err := l.usable(ctx); err != nil {
		return nil, err
	}
	at, err := duePlaceOf(place)
	if err != nil {
		return nil, err
	}
	type entry struct {
		item  item
		shard int
	}
	var all []entry
	for shard := range dueShards {
		q := query{index: indexDue, where: "q = :h", values: item{":h": text(strconv.Itoa(shard))}, limit: limit}
		if q.after, err = dueKey(shard, at[shard]); err != nil {
			return nil, err
		}
		found, err := l.query(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, it := range found {
			all = append(all, entry{it, shard})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(numberOf(a.item[attrDue]), numberOf(b.item[attrDue])) }) // stable: within a shard the order stays
	var page []call.DuePlace
	for _, e := range all[:min(len(all), max(limit, 0))] {
		id := textOf(e.item[attrKey])
		at[e.shard] = strconv.FormatInt(numberOf(e.item[attrDue]), 10) + "." + id
		page = append(page, call.DuePlace{ID: id, Place: strings.Join(at[:], ",")})
	}
	return page, nil
}

// duePlaceOf reads a place; an empty one is the beginning of all shards.
func duePlaceOf(place string) (at duePlace, err error) {
	if place == "" {
		return at, nil
	}
	parts := strings.Split(place, ",")
	if len(parts) != dueShards {
		return at, stored.ForeignPlace()
	}
	return duePlace(parts), nil
}

// dueKey is the key of an entry of a shard; nil before its first one.
func dueKey(shard int, entry string) (item, error) {
	if entry == "" {
		return nil, nil //nolint:nilnil // no key is the beginning, not a failure
	}
	due, id, _ := strings.Cut(entry, ".")
	at, err := strconv.ParseInt(due, 10, 64)
	if err != nil || !isRow(id) {
		return nil, stored.ForeignPlace()
	}
	return item{attrShard: text(strconv.Itoa(shard)), attrDue: number(at), attrKey: text(id)}, nil
}
