package tabletest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
)

// index is an index as CreateTable asks for it and DescribeTable shows it.
type index struct {
	IndexName   string
	IndexStatus string
	KeySchema   []keyPart
	Projection  struct {
		ProjectionType   string
		NonKeyAttributes []string
	}
}

type keyPart struct{ AttributeName, KeyType string }

// query answers for an index: entries by sort key, after the key given, at most limit and never more than a page of 50, so that the ledger
// must page. Items without the index's keys are not in it.
func (f *Table) query(q request) any {
	i := slices.IndexFunc(f.indexes, func(x index) bool { return x.IndexName == q.IndexName })
	hash, sort := f.indexes[i].KeySchema[0].AttributeName, f.indexes[i].KeySchema[1].AttributeName
	var entries []Item
	for _, it := range f.Items {
		if it[hash].S == nil || it.S(hash) != q.ExpressionAttributeValues.S(":h") || it[sort].N == nil {
			continue
		}
		if !q.bounds(it[sort]) {
			continue
		}
		entry := Item{"pk": it["pk"], hash: it[hash], sort: it[sort]}
		for _, name := range f.indexes[i].Projection.NonKeyAttributes {
			entry[name] = it[name]
		}
		entries = append(entries, entry)
	}
	order := func(a, b Item) int {
		c := cmp.Or(compareNumbers(a[sort], b[sort]), q.tie(a.S("pk"), b.S("pk")))
		if !q.ScanIndexForward {
			return -c
		}
		return c
	}
	slices.SortFunc(entries, order)
	if q.ExclusiveStartKey != nil {
		entries = slices.DeleteFunc(entries, func(e Item) bool { return order(e, q.ExclusiveStartKey) <= 0 })
	}
	answer := map[string]any{}
	most := 50
	if q.Limit > 0 {
		most = min(most, q.Limit)
	}
	if len(entries) > most {
		entries = entries[:most]
		last := entries[most-1]
		answer["LastEvaluatedKey"] = Item{"pk": last["pk"], hash: last[hash], sort: last[sort]}
	}
	if q.FilterExpression != "" {
		entries = slices.DeleteFunc(entries, func(e Item) bool {
			for name, v := range q.ExpressionAttributeValues {
				if strings.HasPrefix(name, ":l") && *v.S == e.S("l") {
					return false
				}
			}
			return true
		})
	}
	if entries == nil {
		entries = []Item{}
	}
	answer["Items"] = entries
	return answer
}

// bounds reports whether a sort key is one that the query asks for.
func (q request) bounds(sort Value) bool {
	v := q.ExpressionAttributeValues
	switch {
	case strings.Contains(q.KeyConditionExpression, "<= :t"):
		return compareNumbers(sort, v[":t"]) <= 0
	case strings.Contains(q.KeyConditionExpression, "BETWEEN :a AND :b"):
		return compareNumbers(sort, v[":a"]) >= 0 && compareNumbers(sort, v[":b"]) <= 0
	}
	return true
}

// tie orders entries of one sort key. DynamoDB promises no order of them, so those of a range are in that of a hash of their keys.
func (q request) tie(a, b string) int {
	if strings.Contains(q.KeyConditionExpression, "BETWEEN") {
		return bytes.Compare(hashOf(a), hashOf(b))
	}
	return cmp.Compare(a, b)
}

func hashOf(pk string) []byte {
	sum := sha256.Sum256([]byte(pk))
	return sum[:]
}

// compareNumbers compares whole numbers of up to 38 digits, none below zero.
func compareNumbers(a, b Value) int {
	x, y := digits(a), digits(b)
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(x, y))
}

func digits(v Value) string {
	if v.N == nil {
		return ""
	}
	return strings.TrimLeft(*v.N, "0")
}

func (f *Table) description() any {
	table := map[string]any{
		"TableName": "calls", "TableStatus": "ACTIVE", "TableId": f.ID, "KeySchema": []keyPart{{"pk", "HASH"}},
	}
	var indexes []index
	for _, x := range f.indexes {
		if !slices.Contains(f.Hidden, x.IndexName) {
			x.IndexStatus = "ACTIVE"
			indexes = append(indexes, x)
		}
	}
	table["GlobalSecondaryIndexes"] = indexes
	if f.Replicas {
		table["Replicas"] = []any{map[string]any{"RegionName": "us-west-2"}}
	}
	if !f.RestoredFrom.IsZero() {
		table["RestoreSummary"] = map[string]any{"RestoreDateTime": f.RestoredFrom.Unix(), "RestoreInProgress": false}
	}
	return map[string]any{"Table": table, "TableDescription": table}
}
