package dynamodb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The indexes. Only due is required: the sweep lives on it.
const (
	indexDue       = "due"       // q, t: rows that the sweep must look at
	indexContact   = "contact"   // k, c: rows with a contact id
	indexRecipient = "recipient" // r, c: every row
	indexList      = "list"      // g, c, with l: every row
)

// indexShape is what an index must be.
type indexShape struct {
	name, hash, sort string
	includes         []string // beside the keys; none means KEYS_ONLY
}

func shapes() []indexShape {
	return []indexShape{
		{name: indexDue, hash: attrShard, sort: attrDue},
		{name: indexContact, hash: attrContact, sort: attrCreated},
		{name: indexRecipient, hash: attrRecipient, sort: attrCreated},
		{name: indexList, hash: attrGroup, sort: attrCreated, includes: []string{attrState}},
	}
}

// tableState is what DescribeTable told at the start.
type tableState struct {
	id       string
	indexes  []string
	restored time.Time // the time of the backup that the table was restored from; zero when it was not restored
}

// has refuses a question to an index that the table does not have.
func (s tableState) has(index string) error {
	if slices.Contains(s.indexes, index) {
		return nil
	}
	return misconfigured("ledger.table", "Add the index "+index+" to the table; rows that exist are indexed too.", "The table has no index %s.", index)
}

// Schema returns the request that makes a table of this name with every index, billed by request.
func Schema(table string) *awsdynamodb.CreateTableInput {
	in := &awsdynamodb.CreateTableInput{
		TableName: &table, BillingMode: types.BillingModePayPerRequest,
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String(attrKey), KeyType: types.KeyTypeHash}},
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String(attrKey), AttributeType: types.ScalarAttributeTypeS}},
	}
	defined := map[string]bool{}
	define := func(name string, kind types.ScalarAttributeType) {
		if !defined[name] {
			in.AttributeDefinitions = append(in.AttributeDefinitions, types.AttributeDefinition{AttributeName: &name, AttributeType: kind})
		}
		defined[name] = true
	}
	for _, shape := range shapes() {
		define(shape.hash, types.ScalarAttributeTypeS)
		define(shape.sort, types.ScalarAttributeTypeN)
		projection := &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly}
		if len(shape.includes) > 0 {
			projection = &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: shape.includes}
		}
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(shape.name), KeySchema: schemaOf(shape.hash, shape.sort), Projection: projection,
		})
	}
	return in
}

func schemaOf(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{{AttributeName: &hash, KeyType: types.KeyTypeHash}, {AttributeName: &sort, KeyType: types.KeyTypeRange}}
}

// createTable makes the table if it is absent and waits until it can be used.
func (l *Ledger) createTable(ctx context.Context) error {
	_, err := ask(ctx, l, "create the table", Schema(l.options.Table), l.client.CreateTable)
	if _, exists := errors.AsType[*types.ResourceInUseException](err); err != nil && !exists {
		return err
	}
	for range 300 {
		out, err := ask(ctx, l, "describe the table", &awsdynamodb.DescribeTableInput{TableName: &l.options.Table}, l.client.DescribeTable)
		if err == nil && out.Table != nil && out.Table.TableStatus == types.TableStatusActive {
			return nil
		}
		if err := l.options.Clock.Sleep(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	return misconfigured("ledger.table", "Look at the table in the console.", "The table %s was created and did not become active.", l.options.Table)
}

// describe reads the table's shape and refuses one that this driver cannot be safe on.
func (l *Ledger) describe(ctx context.Context) (tableState, error) {
	out, err := ask(ctx, l, "describe the table", &awsdynamodb.DescribeTableInput{TableName: &l.options.Table}, l.client.DescribeTable)
	if err != nil {
		return tableState{}, err
	}
	if out.Table == nil {
		return tableState{}, fmt.Errorf("ledger: describe the table: %w", errDamaged)
	}
	return stateOf(out.Table)
}

func stateOf(t *types.TableDescription) (tableState, error) {
	state := tableState{id: aws.ToString(t.TableId)}
	if keyText(t.KeySchema) != attrKey {
		return state, misconfigured("ledger.table", "Create a table for ringonce; deploy has templates.", "The table's key is %q, not pk alone.", keyText(t.KeySchema))
	}
	if len(t.Replicas) > 0 && t.MultiRegionConsistency != types.MultiRegionConsistencyStrong {
		return state, misconfigured("ledger.table", "Use a table in one Region, or multi-Region strong consistency.",
			"The table is a global table with eventual consistency: two Regions would ring the same phone.")
	}
	for _, shape := range shapes() {
		i := slices.IndexFunc(t.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndexDescription) bool { return aws.ToString(g.IndexName) == shape.name })
		if i < 0 {
			continue
		}
		g := t.GlobalSecondaryIndexes[i]
		if got, want := keyText(g.KeySchema), shape.hash+" "+shape.sort; got != want {
			return state, misconfigured("ledger.table", "Make the index again with these keys.", "The table's index %s has the keys %q, not %q.", shape.name, got, want)
		}
		if g.IndexStatus == types.IndexStatusActive || g.IndexStatus == types.IndexStatusUpdating || g.IndexStatus == "" {
			state.indexes = append(state.indexes, shape.name)
		}
	}
	if r := t.RestoreSummary; r != nil && r.RestoreDateTime != nil {
		state.restored = *r.RestoreDateTime
	}
	return state, state.has(indexDue)
}

// keyText returns the names of a key's attributes, the partition key first.
func keyText(schema []types.KeySchemaElement) string {
	var names []string
	for _, kind := range []types.KeyType{types.KeyTypeHash, types.KeyTypeRange} {
		for _, e := range schema {
			if e.KeyType == kind {
				names = append(names, aws.ToString(e.AttributeName))
			}
		}
	}
	return strings.Join(names, " ")
}
