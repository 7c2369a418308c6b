package dynamodb

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/internal/call"
)

const attrOwner = "o"

var ifOwned = "attribute_not_exists(pk) OR o = :o"

// tokenKey hides the token: a template may hold ids.
func tokenKey(token string) string {
	digest := sha256.Sum256([]byte(token))
	return "#t#" + base64.RawURLEncoding.EncodeToString(digest[:])
}

// claimToken makes the row the owner of its token, before the write that uses it. A row may claim its token again and again. A claim whose
// row never came to be is harmless: tokens are derived from keys, so only the same key would ask for it.
func (l *Ledger) claimToken(ctx context.Context, row call.Call) error {
	if !l.options.UniqueTokens || row.Token == "" {
		return nil
	}
	in := &awsdynamodb.PutItemInput{
		TableName: &l.options.Table, Item: item{attrKey: text(tokenKey(row.Token)), attrOwner: text(row.ID)},
		ConditionExpression: &ifOwned, ExpressionAttributeValues: item{":o": text(row.ID)},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureNone,
	}
	_, err := ask(ctx, l, "claim a token", in, l.client.PutItem)
	if _, taken := lost(err); taken {
		return fmt.Errorf("row %s: %w", row.ID, call.ErrTokenTaken)
	}
	return err
}
