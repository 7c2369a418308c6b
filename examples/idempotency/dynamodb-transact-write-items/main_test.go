//go:build integration

package main

import (
	"errors"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/clienttoken"
	"github.com/ringonce/ringonce/examples/idempotency/internal/local"
	"github.com/ringonce/ringonce/internal/awstest"
)

var key = clienttoken.Input{NotificationID: "notification-12345", RecipientID: "user-67890"}

// bank is a table on an emulator. The tests use an account and a key each.
type bank struct {
	client *dynamodb.Client
	cfg    aws.Config
}

func open(t *testing.T, url string) bank {
	t.Helper()
	b := bank{cfg: local.Config(url)}
	b.client = dynamodb.NewFromConfig(b.cfg)
	_, err := b.client.CreateTable(t.Context(), &dynamodb.CreateTableInput{
		TableName: aws.String("accounts"), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{{AttributeName: aws.String("pk"), AttributeType: types.ScalarAttributeTypeS}},
		KeySchema:            []types.KeySchemaElement{{AttributeName: aws.String("pk"), KeyType: types.KeyTypeHash}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// of is a credit of 5 to the account of a test, and its key.
func of(t *testing.T) (clienttoken.Input, credit) {
	t.Helper()
	mine := key
	mine.NotificationID = t.Name()
	return mine, credit{table: "accounts", account: t.Name(), amount: "5"}
}

func (b bank) balance(t *testing.T, account string) string {
	t.Helper()
	out, err := b.client.GetItem(t.Context(), &dynamodb.GetItemInput{
		TableName: aws.String("accounts"), Key: map[string]types.AttributeValue{"pk": text(account)}, ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	if n, ok := out.Item["balance"].(*types.AttributeValueMemberN); ok {
		return n.Value
	}
	return "0"
}

// TestTransactions runs on ministack, which honors the token.
func TestTransactions(t *testing.T) {
	t.Parallel()
	b := open(t, awstest.StartMinistack(t).URL)
	for name, test := range map[string]func(*testing.T, bank){
		"a repeat adds nothing":                                  aRepeatAddsNothing,
		"the token alone keeps a repeat from adding":             theTokenAlone,
		"the random token of the SDK adds twice":                 theRandomToken,
		"other parameters under the token are refused":           otherParameters,
		"the marker answers after the token has ended":           afterTheEnd,
		"a provider for a whole client refuses the second key":   aWholeClient,
		"another amount after the token has ended is a mismatch": anotherAmountLater,
	} {
		t.Run(name, func(t *testing.T) { test(t, b) })
	}
}

func aRepeatAddsNothing(t *testing.T, b bank) {
	key, of := of(t)
	for range 2 {
		if err := addOnce(t.Context(), b.client, key, of); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.balance(t, of.account); got != "5" {
		t.Errorf("balance %s, want 5", got)
	}
}

func theTokenAlone(t *testing.T, b bank) {
	key, of := of(t)
	for range 2 {
		if err := transact(t.Context(), b.client, tokenFor(t, key), add(of)); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.balance(t, of.account); got != "5" {
		t.Errorf("balance %s, want 5", got)
	}
}

func theRandomToken(t *testing.T, b bank) {
	_, of := of(t)
	for range 2 {
		in := dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{add(of)}}
		if _, err := b.client.TransactWriteItems(t.Context(), &in); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.balance(t, of.account); got != "10" {
		t.Errorf("balance %s, want 10: two effects", got)
	}
}

func otherParameters(t *testing.T, b bank) {
	key, of := of(t)
	if err := addOnce(t.Context(), b.client, key, of); err != nil {
		t.Fatal(err)
	}
	of.amount = "7"
	err := addOnce(t.Context(), b.client, key, of)
	if _, ok := errors.AsType[*types.IdempotentParameterMismatchException](err); !ok || b.balance(t, of.account) != "5" {
		t.Errorf("balance %s, %v", b.balance(t, of.account), err)
	}
}

// ended repeats a request whose token has ended. DynamoDB takes such a token for a new one; the emulator's clock cannot be moved, so a new
// token stands for that.
func ended(t *testing.T, b bank, key clienttoken.Input, of credit) error {
	t.Helper()
	return addMarked(t.Context(), b.client, tokenFor(t, key), "new-"+tokenFor(t, key)[:32], of)
}

func afterTheEnd(t *testing.T, b bank) {
	key, of := of(t)
	if err := addOnce(t.Context(), b.client, key, of); err != nil {
		t.Fatal(err)
	}
	if err := ended(t, b, key, of); err != nil || b.balance(t, of.account) != "5" {
		t.Errorf("balance %s, %v", b.balance(t, of.account), err)
	}
}

func anotherAmountLater(t *testing.T, b bank) {
	key, of := of(t)
	if err := addOnce(t.Context(), b.client, key, of); err != nil {
		t.Fatal(err)
	}
	of.amount = "7"
	if err := ended(t, b, key, of); err == nil || b.balance(t, of.account) != "5" {
		t.Errorf("balance %s, %v", b.balance(t, of.account), err)
	}
}

func aWholeClient(t *testing.T, b bank) {
	key, of := of(t)
	wrong := dynamodb.NewFromConfig(b.cfg, func(o *dynamodb.Options) { o.IdempotencyTokenProvider = clienttoken.Provider(tokenFor(t, key)) })
	send := func(of credit) error {
		_, err := wrong.TransactWriteItems(t.Context(), &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{add(of)}})
		return err
	}
	if err := send(of); err != nil {
		t.Fatal(err)
	}
	other := of
	other.account += " of another key"
	err := send(other)
	if _, ok := errors.AsType[*types.IdempotentParameterMismatchException](err); !ok || b.balance(t, other.account) != "0" {
		t.Errorf("balance %s, %v", b.balance(t, other.account), err)
	}
}

func tokenFor(t *testing.T, key clienttoken.Input) string {
	t.Helper()
	token, err := tokenOf(key)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// TestMotoDoesNotHonorTheToken holds the reason why these tests run on ministack alone.
func TestMotoDoesNotHonorTheToken(t *testing.T) {
	t.Parallel()
	b := open(t, awstest.StartMoto(t))
	key, of := of(t)
	for range 2 {
		if err := transact(t.Context(), b.client, tokenFor(t, key), add(of)); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.balance(t, of.account); got != "10" {
		t.Errorf("balance %s: moto added twice when this was written", got)
	}
}
