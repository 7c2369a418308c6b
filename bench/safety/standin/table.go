package standin

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// table is one table with what was asked for when it was made.
type table struct {
	name, id string
	key      []keyPart
	indexes  []index
	items    map[string]item // by the text of the key
	fault    Fault
}

type keyPart struct{ AttributeName, KeyType string }

type index struct {
	IndexName   string
	IndexStatus string
	KeySchema   []keyPart
	Projection  struct {
		ProjectionType   string
		NonKeyAttributes []string `json:",omitempty"`
	}
}

// request is any of the operations.
type request struct {
	TableName                           string
	Item, Key, ExclusiveStartKey        item
	ConditionExpression                 string
	UpdateExpression                    string
	KeyConditionExpression              string
	FilterExpression                    string
	IndexName                           string
	ScanIndexForward                    *bool
	Limit                               int
	ExpressionAttributeNames            map[string]string
	ExpressionAttributeValues           item
	ReturnValuesOnConditionCheckFailure string
	ReturnValues                        string
	RequestItems                        map[string]struct{ Keys []item }
	KeySchema                           []keyPart
	GlobalSecondaryIndexes              []index
}

// failure is an error of the service.
type failure struct {
	name, message string
	item          item
}

// Error implements error.
func (f *failure) Error() string { return f.name + ": " + f.message }

func invalid(message string) *failure { return &failure{name: "ValidationException", message: message} }

// keyOf returns the text of an item's key.
func (t *table) keyOf(it item) (string, error) {
	var parts []string
	for _, part := range t.key {
		v, ok := it[part.AttributeName]
		if !ok {
			return "", invalid("One of the required keys was not given a value")
		}
		text, err := json.Marshal(v)
		if err != nil {
			return "", err
		}
		parts = append(parts, string(text))
	}
	return strings.Join(parts, " "), nil
}

// write applies a put, an update or a delete, wholly or not at all.
func (t *table) write(op string, q *request) (any, error) {
	given := q.Key
	if op == "PutItem" {
		given = q.Item
	}
	key, err := t.keyOf(given)
	if err != nil {
		return nil, err
	}
	old, existed := t.items[key]
	holds, err := holds(q.ConditionExpression, q.ExpressionAttributeNames, q.ExpressionAttributeValues, old)
	if err != nil {
		return nil, invalid(err.Error())
	}
	if !holds {
		refused := &failure{name: "ConditionalCheckFailedException", message: "The conditional request failed"}
		if existed && q.ReturnValuesOnConditionCheckFailure == "ALL_OLD" {
			refused.item = old
		}
		return nil, refused
	}
	after := q.Item
	switch op {
	case "DeleteItem":
		delete(t.items, key)
		return map[string]any{}, nil
	case "UpdateItem":
		if !existed {
			old = q.Key
		}
		if after, err = updated(q.UpdateExpression, q.ExpressionAttributeNames, q.ExpressionAttributeValues, old); err != nil {
			return nil, invalid(err.Error())
		}
		if after.size() > maxItem {
			return nil, invalid("Item size to update has exceeded the maximum allowed size")
		}
	default:
		if after.size() > maxItem {
			return nil, invalid("Item size has exceeded the maximum allowed size")
		}
	}
	t.items[key] = after
	if q.ReturnValues == "ALL_OLD" && existed {
		return map[string]any{"Attributes": old}, nil
	}
	return map[string]any{}, nil
}

// query answers for an index: its items by sort key, after the key given, at most limit.
func (t *table) query(q *request) (any, error) {
	i := slices.IndexFunc(t.indexes, func(x index) bool { return x.IndexName == q.IndexName })
	if i < 0 {
		return nil, invalid("The table does not have the specified index: " + q.IndexName)
	}
	x := t.indexes[i]
	hash, sort := x.KeySchema[0].AttributeName, x.KeySchema[1].AttributeName
	var entries []item
	for _, it := range t.items {
		if _, has := it[hash]; !has {
			continue
		}
		if _, has := it[sort]; !has {
			continue
		}
		match, err := holds(q.KeyConditionExpression, q.ExpressionAttributeNames, q.ExpressionAttributeValues, it)
		if err != nil {
			return nil, invalid(err.Error())
		}
		if match {
			entries = append(entries, t.entry(x, it))
		}
	}
	order := func(a, b item) int {
		first, _ := compare(a[sort], b[sort])
		second, _ := compare(a[t.key[0].AttributeName], b[t.key[0].AttributeName])
		both := cmp.Or(first, second)
		if q.ScanIndexForward != nil && !*q.ScanIndexForward {
			return -both
		}
		return both
	}
	slices.SortFunc(entries, order)
	if q.ExclusiveStartKey != nil {
		entries = slices.DeleteFunc(entries, func(e item) bool { return order(e, q.ExclusiveStartKey) <= 0 })
	}
	answer := map[string]any{}
	if q.Limit > 0 && len(entries) > q.Limit {
		entries = entries[:q.Limit]
		last := entries[q.Limit-1]
		answer["LastEvaluatedKey"] = item{t.key[0].AttributeName: last[t.key[0].AttributeName], hash: last[hash], sort: last[sort]}
	}
	shown := []item{}
	for _, e := range entries {
		match, err := holds(q.FilterExpression, q.ExpressionAttributeNames, q.ExpressionAttributeValues, e)
		if err != nil {
			return nil, invalid(err.Error())
		}
		if match {
			shown = append(shown, e)
		}
	}
	answer["Items"], answer["Count"] = shown, len(shown)
	return answer, nil
}

// entry is what an index holds of an item.
func (t *table) entry(x index, it item) item {
	if x.Projection.ProjectionType == "ALL" {
		return it
	}
	e := item{}
	names := slices.Clone(x.Projection.NonKeyAttributes)
	for _, part := range slices.Concat(t.key, x.KeySchema) {
		names = append(names, part.AttributeName)
	}
	for _, name := range names {
		if v, ok := it[name]; ok {
			e[name] = v
		}
	}
	return e
}
