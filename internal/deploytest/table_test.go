package deploytest

import (
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
)

// TestTheTableIsTheOneThatTheLedgerWouldMake compares the table of both forms with the driver's own.
func TestTheTableIsTheOneThatTheLedgerWouldMake(t *testing.T) {
	t.Parallel()
	want := dynamodb.Schema("ringonce-calls")
	schema := func(elements []types.KeySchemaElement) []any {
		var list []any
		for _, e := range elements {
			list = append(list, map[string]any{"AttributeName": aws.ToString(e.AttributeName), "KeyType": string(e.KeyType)})
		}
		return list
	}
	attributes := map[string]string{}
	for _, a := range want.AttributeDefinitions {
		attributes[aws.ToString(a.AttributeName)] = string(a.AttributeType)
	}
	indexes := map[string]any{}
	for _, g := range want.GlobalSecondaryIndexes {
		var others []any
		for _, name := range g.Projection.NonKeyAttributes {
			others = append(others, name)
		}
		indexes[aws.ToString(g.IndexName)] = plain(map[string]any{
			"IndexName": aws.ToString(g.IndexName), "KeySchema": schema(g.KeySchema),
			"Projection": map[string]any{"ProjectionType": string(g.Projection.ProjectionType), "NonKeyAttributes": others},
		})
	}
	sam, terraform := read(t).stacks(t, required)
	for _, stack := range []*Stack{sam, terraform} {
		table := stack.of("AWS::DynamoDB::Table")[0]
		if found := differ("key", table.Properties["KeySchema"], plain(schema(want.KeySchema))); len(found) > 0 || table.text("BillingMode") != string(want.BillingMode) {
			t.Errorf("%q, %s", found, table.text("BillingMode"))
		}
		if got := table.list("GlobalSecondaryIndexes"); len(got) != len(indexes) {
			t.Errorf("%d indexes, not %d", len(got), len(indexes))
		} else {
			for _, member := range got {
				name, _ := walk(member, []string{"IndexName"}).(string)
				for _, difference := range differ(name, member, indexes[name]) {
					t.Error(difference)
				}
			}
		}
		if got := table.list("AttributeDefinitions"); len(got) != len(attributes) {
			t.Errorf("%d attributes, not %d", len(got), len(attributes))
		} else {
			for _, member := range got {
				name, _ := walk(member, []string{"AttributeName"}).(string)
				if walk(member, []string{"AttributeType"}) != attributes[name] {
					t.Errorf("attribute %v, not %s", member, attributes[name])
				}
			}
		}
	}
}
