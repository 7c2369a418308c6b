package dynamodb

import (
	"cmp"
	"slices"
	"strings"
)

// query answers for an index: entries by sort key, after the key given, at most limit and never more than a page of 50, so that the ledger
// must page. Items without the index's keys are not in it.
func (f *fake) query(q request) any {
	shape := shapes()[slices.IndexFunc(shapes(), func(s indexShape) bool { return s.name == q.IndexName })]
	var entries []wireItem
	for _, it := range f.items {
		if it.s(shape.hash) != q.ExpressionAttributeValues.s(":h") || it[shape.sort].N == nil {
			continue
		}
		if strings.Contains(q.KeyConditionExpression, "<= :t") && it.n(shape.sort) > q.ExpressionAttributeValues.n(":t") {
			continue
		}
		entry := wireItem{"pk": it["pk"], shape.hash: it[shape.hash], shape.sort: it[shape.sort]}
		for _, name := range shape.includes {
			entry[name] = it[name]
		}
		entries = append(entries, entry)
	}
	order := func(a, b wireItem) int {
		c := cmp.Or(cmp.Compare(a.n(shape.sort), b.n(shape.sort)), cmp.Compare(a.s("pk"), b.s("pk")))
		if !q.ScanIndexForward {
			return -c
		}
		return c
	}
	slices.SortFunc(entries, order)
	if q.ExclusiveStartKey != nil {
		entries = slices.DeleteFunc(entries, func(e wireItem) bool { return order(e, q.ExclusiveStartKey) <= 0 })
	}
	answer := map[string]any{}
	most := 50
	if q.Limit > 0 {
		most = min(most, q.Limit)
	}
	if len(entries) > most {
		entries = entries[:most]
		last := entries[most-1]
		answer["LastEvaluatedKey"] = wireItem{"pk": last["pk"], shape.hash: last[shape.hash], shape.sort: last[shape.sort]}
	}
	if q.FilterExpression != "" {
		entries = slices.DeleteFunc(entries, func(e wireItem) bool {
			for name, v := range q.ExpressionAttributeValues {
				if strings.HasPrefix(name, ":l") && *v.S == e.s("l") {
					return false
				}
			}
			return true
		})
	}
	if entries == nil {
		entries = []wireItem{}
	}
	answer["Items"] = entries
	return answer
}

func (f *fake) description() any {
	keys := func(names ...string) []map[string]string {
		schema := []map[string]string{{"AttributeName": names[0], "KeyType": "HASH"}}
		if len(names) > 1 {
			schema = append(schema, map[string]string{"AttributeName": names[1], "KeyType": "RANGE"})
		}
		return schema
	}
	table := map[string]any{"TableName": "calls", "TableStatus": "ACTIVE", "TableId": f.tableID, "KeySchema": keys("pk")}
	var indexes []any
	for _, shape := range shapes() {
		if slices.Contains(f.indexes, shape.name) {
			indexes = append(indexes, map[string]any{"IndexName": shape.name, "IndexStatus": "ACTIVE", "KeySchema": keys(shape.hash, shape.sort)})
		}
	}
	table["GlobalSecondaryIndexes"] = indexes
	if f.replicas {
		table["Replicas"] = []any{map[string]any{"RegionName": "us-west-2"}}
	}
	if !f.backup.IsZero() {
		table["RestoreSummary"] = map[string]any{"RestoreDateTime": f.backup.Unix(), "RestoreInProgress": false}
	}
	return map[string]any{"Table": table}
}
