package dynamodb

import (
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// change is an UpdateItem of a notes item in the making.
type change struct {
	set, add, condition string
	values              item
	names               map[string]string // of attributes that are reserved words
}

func (c change) input(table, pk string) *awsdynamodb.UpdateItemInput {
	in := &awsdynamodb.UpdateItemInput{TableName: &table, Key: key(pk), ExpressionAttributeValues: c.values, ExpressionAttributeNames: c.names}
	update := ""
	if c.set != "" {
		update = "SET " + c.set
	}
	if c.add != "" {
		update += " ADD " + c.add
	}
	in.UpdateExpression = &update
	if c.condition != "" {
		in.ConditionExpression = &c.condition
	}
	return in
}

func appending(note types.AttributeValue) change {
	return change{
		set: "texts = list_append(if_not_exists(texts, :none), :note)", condition: "(attribute_not_exists(texts) OR size(texts) < :most)",
		values: item{
			":none": &types.AttributeValueMemberL{Value: []types.AttributeValue{}},
			":note": &types.AttributeValueMemberL{Value: []types.AttributeValue{note}}, ":most": number(mostTexts),
		},
	}
}
