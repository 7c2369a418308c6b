//go:build integration

package dynamodb

import (
	"testing"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

// erasedOn forgets a recipient on a server and reads every item of the table.
func erasedOn(t *testing.T, o Options) {
	t.Helper()
	l, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	erasures := choir(t, l)
	if found := remains(t, l, everyItem(t, l)); len(found) < len(songs()) {
		t.Fatalf("before the erasure only these sing: %q", found)
	}
	forget(t, l, erasures)
	if found := remains(t, l, everyItem(t, l)); len(found) > 0 {
		t.Errorf("after the erasure: %q", found)
	}
}

// everyItem scans the table, which the ledger never does.
func everyItem(t *testing.T, l *Ledger) map[string]tabletest.Item {
	t.Helper()
	items := map[string]tabletest.Item{}
	in := &awsdynamodb.ScanInput{TableName: &l.options.Table}
	for {
		page, err := l.client.Scan(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range page.Items {
			wire := tabletest.Item{}
			for name, v := range it {
				wire[name] = onWire(v)
			}
			items[textOf(it[attrKey])] = wire
		}
		if in.ExclusiveStartKey = page.LastEvaluatedKey; len(in.ExclusiveStartKey) == 0 {
			return items
		}
	}
}

func onWire(v types.AttributeValue) tabletest.Value {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return tabletest.Value{S: &v.Value}
	case *types.AttributeValueMemberN:
		return tabletest.Value{N: &v.Value}
	case *types.AttributeValueMemberB:
		return tabletest.Value{B: v.Value}
	case *types.AttributeValueMemberSS:
		return tabletest.Value{SS: v.Value}
	case *types.AttributeValueMemberL:
		var list tabletest.Value
		for _, one := range v.Value {
			list.L = append(list.L, onWire(one))
		}
		return list
	}
	return tabletest.Value{}
}
