// Command dynamodb-transact-write-items adds to an account once for one key, however often it is run:
//
//	go run ./dynamodb-transact-write-items -table accounts -account 1 -amount 5 -notification notification-12345 -recipient user-67890
//
// DynamoDB remembers the token for 10 minutes after the request, far less than a queue redelivers. So a marker with the token goes into the
// same transaction: after the 10 minutes its condition fails, and that is the answer that it was done. The table has the key "pk", a string.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/clienttoken"
)

// credit is what is asked for.
type credit struct{ table, account, amount string }

func main() {
	var key clienttoken.Input
	var of credit
	flag.StringVar(&key.NotificationID, "notification", "", "what it is about")
	flag.StringVar(&key.RecipientID, "recipient", "", "whom it is about")
	flag.StringVar(&of.table, "table", "accounts", "name of the table")
	flag.StringVar(&of.account, "account", "", "key of the account")
	flag.StringVar(&of.amount, "amount", "1", "what is added")
	flag.Parse()
	if err := run(context.Background(), key, of); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, key clienttoken.Input, of credit) error {
	cfg, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	client := dynamodb.NewFromConfig(cfg)
	for range 2 { // the repeat has no effect
		if err := addOnce(ctx, client, key, of); err != nil {
			return err
		}
	}
	fmt.Println("added once")
	return nil
}

// addOnce adds the amount if that was not done for the key before, however long ago.
func addOnce(ctx context.Context, client *dynamodb.Client, key clienttoken.Input, of credit) error {
	token, err := tokenOf(key)
	if err != nil {
		return err
	}
	return addMarked(ctx, client, token, token, of)
}

// addMarked sends the transaction with its marker. The mark is of the key and stays; the token may have ended.
func addMarked(ctx context.Context, client *dynamodb.Client, mark, token string, of credit) error {
	marker := types.TransactWriteItem{Put: &types.Put{
		TableName: &of.table, ConditionExpression: aws.String("attribute_not_exists(pk)"),
		Item: map[string]types.AttributeValue{"pk": text("done-" + mark), "amount": text(of.amount)},
	}}
	err := transact(ctx, client, token, add(of), marker)
	if canceled, ok := errors.AsType[*types.TransactionCanceledException](err); ok && done(canceled) {
		return same(ctx, client, mark, of)
	}
	return err
}

// done reports whether a transaction was canceled because its marker exists.
func done(canceled *types.TransactionCanceledException) bool {
	const afterAdd = 1 // the place of the marker in the transaction
	reasons := canceled.CancellationReasons
	return len(reasons) > afterAdd && reasons[afterAdd].Code != nil && *reasons[afterAdd].Code == "ConditionalCheckFailed"
}

// same compares the marker with what is asked for now: after 10 minutes DynamoDB does not.
func same(ctx context.Context, client *dynamodb.Client, mark string, of credit) error {
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &of.table, Key: map[string]types.AttributeValue{"pk": text("done-" + mark)}, ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		return err
	}
	if amount, ok := out.Item["amount"].(*types.AttributeValueMemberS); !ok || amount.Value != of.amount {
		return errors.New("another amount was added for this key")
	}
	return nil
}

// tokenOf derives the token of a key.
func tokenOf(key clienttoken.Input) (string, error) {
	maker, err := clienttoken.New(clienttoken.Options{})
	if err != nil {
		return "", err
	}
	return maker.For("dynamodb", "TransactWriteItems", key)
}

// add is the effect: it would count twice if it were repeated.
func add(of credit) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &of.table, Key: map[string]types.AttributeValue{"pk": text(of.account)}, UpdateExpression: aws.String("ADD balance :amount"),
		ExpressionAttributeValues: map[string]types.AttributeValue{":amount": &types.AttributeValueMemberN{Value: of.amount}},
	}}
}

// transact sends one transaction under a token.
func transact(ctx context.Context, client *dynamodb.Client, token string, items ...types.TransactWriteItem) error {
	_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: items}, func(o *dynamodb.Options) {
		o.IdempotencyTokenProvider = clienttoken.Provider(token) // for this one request
	})
	return err
}

func text(value string) types.AttributeValue { return &types.AttributeValueMemberS{Value: value} }
