package dynamodb

import (
	"context"
	"math"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// query is a question to one index.
type query struct {
	index  string
	where  string // key condition
	filter string // of what the index holds beside its keys; empty for none
	values item
	after  item // key of the entry to begin after; nil is the beginning
	newest bool // backwards
	limit  int  // of entries that pass the filter
}

// query returns at most q.limit entries, over as many pages as it takes; beside an error those of the pages before.
func (l *Ledger) query(ctx context.Context, q query) ([]item, error) {
	if err := l.table.has(q.index); err != nil {
		return nil, err
	}
	in := &awsdynamodb.QueryInput{
		TableName: &l.options.Table, IndexName: &q.index, KeyConditionExpression: &q.where, ExpressionAttributeValues: q.values,
		ScanIndexForward: aws.Bool(!q.newest), ExclusiveStartKey: q.after,
	}
	if q.filter != "" {
		in.FilterExpression = &q.filter
	}
	var found []item
	for len(found) < q.limit {
		if q.filter == "" {
			in.Limit = aws.Int32(int32(min(q.limit-len(found), math.MaxInt32))) //nolint:gosec // bounded here
		}
		out, err := ask(ctx, l, "query the index "+q.index, in, l.client.Query)
		if err != nil {
			return found, err
		}
		found = append(found, out.Items...)
		if len(out.LastEvaluatedKey) == 0 {
			break
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
	return found[:min(len(found), max(q.limit, 0))], nil
}
