package dynamodb

import (
	"context"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// mostBatch is the most keys of one BatchGetItem (API reference).
const mostBatch = 100

// loadAll reads records consistently, in the order of their ids. Ids without a row are left out.
func (l *Ledger) loadAll(ctx context.Context, ids []string) ([]record, error) {
	var records []record
	for some := range slices.Chunk(ids, mostBatch) {
		items, err := l.fetchAll(ctx, some)
		if err != nil {
			return nil, err
		}
		for _, id := range some {
			it, ok := items[id]
			if !ok {
				continue
			}
			r, err := l.recordOf(ctx, it)
			if err == nil {
				err = l.complete(ctx, &r)
			}
			r, err = l.again(ctx, id, r, err)
			if err != nil {
				return nil, err
			}
			records = append(records, r)
		}
	}
	return records, nil
}

// fetchAll reads at most mostBatch items consistently, by key. What DynamoDB leaves for later is asked for again after a pause.
func (l *Ledger) fetchAll(ctx context.Context, pks []string) (map[string]item, error) {
	asked := types.KeysAndAttributes{ConsistentRead: aws.Bool(true)}
	for _, pk := range pks {
		asked.Keys = append(asked.Keys, key(pk))
	}
	found := make(map[string]item, len(pks))
	for wait := 25 * time.Millisecond; len(asked.Keys) > 0; wait *= 2 {
		in := &awsdynamodb.BatchGetItemInput{RequestItems: map[string]types.KeysAndAttributes{l.options.Table: asked}}
		out, err := ask(ctx, l, "read calls", in, l.client.BatchGetItem)
		if err != nil {
			return nil, err
		}
		for _, it := range out.Responses[l.options.Table] {
			found[textOf(it[attrKey])] = it
		}
		asked.Keys = out.UnprocessedKeys[l.options.Table].Keys
		if len(asked.Keys) > 0 {
			if err := l.options.Clock.Sleep(ctx, min(wait, time.Second)); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}
