package tabletest

import "net/http"

func (f *Table) act(op string, q request) (int, any) {
	switch op {
	case "CreateTable":
		if f.indexes != nil {
			return http.StatusBadRequest, problem("ResourceInUseException")
		}
		f.indexes = q.GlobalSecondaryIndexes
		return http.StatusOK, f.description()
	case "DescribeTable":
		if f.indexes == nil {
			return http.StatusBadRequest, problem("ResourceNotFoundException")
		}
		return http.StatusOK, f.description()
	case "GetItem":
		if it, ok := f.Items[q.Key.S("pk")]; ok {
			return http.StatusOK, map[string]any{"Item": it}
		}
		return http.StatusOK, map[string]any{}
	case "BatchGetItem":
		return http.StatusOK, f.batch(q)
	case "Query":
		return http.StatusOK, f.query(q)
	case "PutItem", "UpdateItem":
		pk := q.Item.S("pk") + q.Key.S("pk")
		old := f.Items[pk]
		if !f.holds(q.ConditionExpression, old, q.ExpressionAttributeValues) {
			p := problem("ConditionalCheckFailedException")
			if q.ReturnValuesOnConditionCheckFailure == "ALL_OLD" && !f.NoOld {
				p["Item"] = old
			}
			return http.StatusBadRequest, p
		}
		if op == "PutItem" {
			f.Items[pk] = q.Item
		} else {
			f.Items[pk] = f.updated(q.UpdateExpression, old, pk, q.ExpressionAttributeValues)
		}
		if q.ReturnValues == "ALL_OLD" && old != nil {
			return http.StatusOK, map[string]any{"Attributes": old}
		}
		return http.StatusOK, map[string]any{}
	}
	f.t.Errorf("the ledger asked for %s, which its policy does not allow", op)
	return http.StatusBadRequest, problem("AccessDeniedException")
}

func (f *Table) batch(q request) any {
	found := map[string][]Item{}
	for table, asked := range q.RequestItems {
		found[table] = []Item{}
		for _, k := range asked.Keys {
			if it, ok := f.Items[k.S("pk")]; ok {
				found[table] = append(found[table], it)
			}
		}
	}
	return map[string]any{"Responses": found, "UnprocessedKeys": map[string]any{}}
}
