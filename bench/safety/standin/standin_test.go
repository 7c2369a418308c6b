package standin_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/ringonce/ringonce/bench/safety/standin"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
	"github.com/ringonce/ringonce/internal/ledger/ledgertest"
)

type still struct{}

func (still) Now() time.Time { return time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC) }

func (still) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

var credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
})

type store struct{ options dynamodb.Options }

func (s *store) Open(ctx context.Context) (ledgertest.Ledger, error) {
	return dynamodb.Open(ctx, s.options)
}

func (s *store) Kill(l ledgertest.Ledger) { _ = l.Close() }

// rereading asks for a read once more whose answer broke off: now and then, on a busy machine, a connection to the stand-in is closed while its answer is read, of
// which the exam knows nothing. Writes are not asked for again.
type rereading struct {
	http.Client

	logf func(string, ...any)
}

func (r *rereading) Do(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	_, operation, _ := strings.Cut(req.Header.Get("X-Amz-Target"), ".")
	for try := 0; ; try++ {
		req.Body = io.NopCloser(bytes.NewReader(body))
		response, err := r.Client.Do(req)
		if err != nil {
			return nil, err
		}
		answer, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		response.Body = io.NopCloser(bytes.NewReader(answer))
		if err == nil {
			return response, nil
		}
		r.logf("%s, try %d: %v", operation, try, err)
		if try > 0 || !slices.Contains([]string{"Query", "GetItem", "BatchGetItem"}, operation) {
			return nil, err
		}
	}
}

// TestTheLedgerSitsItsExamOnTheStandIn shows that the stand-in answers what the ledger needs of DynamoDB.
func TestTheLedgerSitsItsExamOnTheStandIn(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func() ledgertest.Store {
		server := httptest.NewServer(standin.New())
		t.Cleanup(server.Close)
		return &store{dynamodb.Options{
			Table: "calls", Region: "us-east-1", Endpoint: server.URL, CreateTable: true, RandomID: func() string { return "exam" }, Clock: still{},
			Credentials: credentials, Suppressions: "first-20", UniqueTokens: true, Timeout: time.Minute, // on a busy machine
			HTTPClient: &rereading{http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}, t.Logf},
		}}
	}, ledgertest.Lacks{Counts: true, ForeignOps: true, Recovery: true, NoteOrder: true})
}

func client(t *testing.T) (*standin.Server, *awsdynamodb.Client) {
	t.Helper()
	tables := standin.New()
	server := httptest.NewServer(tables)
	t.Cleanup(server.Close)
	tables.Create("things", "id")
	return tables, awsdynamodb.New(awsdynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials, RetryMaxAttempts: 1,
	})
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }

func put(id string) *awsdynamodb.PutItemInput {
	return &awsdynamodb.PutItemInput{
		TableName: aws.String("things"), Item: map[string]types.AttributeValue{"id": text(id), "state": text("new")},
		ConditionExpression: aws.String("attribute_not_exists(#i)"), ExpressionAttributeNames: map[string]string{"#i": "id"},
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
}

func stateOf(t *testing.T, c *awsdynamodb.Client, id string) string {
	t.Helper()
	out, err := c.GetItem(t.Context(), &awsdynamodb.GetItemInput{TableName: aws.String("things"), Key: map[string]types.AttributeValue{"id": text(id)}})
	if err != nil {
		t.Fatal(err)
	}
	state, _ := out.Item["state"].(*types.AttributeValueMemberS)
	if state == nil {
		return ""
	}
	return state.Value
}

func TestAFailedConditionBringsTheOldItem(t *testing.T) {
	t.Parallel()
	_, c := client(t)
	if _, err := c.PutItem(t.Context(), put("a")); err != nil {
		t.Fatal(err)
	}
	_, err := c.PutItem(t.Context(), put("a"))
	refused, ok := errors.AsType[*types.ConditionalCheckFailedException](err)
	if !ok || refused.Item["state"] == nil {
		t.Errorf("got %v", err)
	}
}

func TestAnUpdateThatIsTooLargeLeavesNoPart(t *testing.T) {
	t.Parallel()
	_, c := client(t)
	if _, err := c.PutItem(t.Context(), put("a")); err != nil {
		t.Fatal(err)
	}
	update := &awsdynamodb.UpdateItemInput{
		TableName: aws.String("things"), Key: map[string]types.AttributeValue{"id": text("a")},
		UpdateExpression: aws.String("SET #s = :done, #d = :data"), ExpressionAttributeNames: map[string]string{"#s": "state", "#d": "data"},
		ExpressionAttributeValues: map[string]types.AttributeValue{":done": text("done"), ":data": text(strings.Repeat("x", 400<<10))},
	}
	if _, err := c.UpdateItem(t.Context(), update); err == nil || !strings.Contains(err.Error(), "ValidationException") {
		t.Errorf("got %v", err)
	}
	if got := stateOf(t, c, "a"); got != "new" {
		t.Errorf("the refused update left state %q", got)
	}
	update.ExpressionAttributeValues[":data"] = text("small")
	if _, err := c.UpdateItem(t.Context(), update); err != nil || stateOf(t, c, "a") != "done" {
		t.Errorf("a small update: %v", err)
	}
}

func TestAThrottledWriteIsNotAppliedAndALostOneIs(t *testing.T) {
	t.Parallel()
	tables, c := client(t)
	if err := tables.SetFault("things", standin.ThrottleWrites); err != nil {
		t.Fatal(err)
	}
	_, err := c.PutItem(t.Context(), put("a"))
	if _, ok := errors.AsType[*types.ProvisionedThroughputExceededException](err); !ok || stateOf(t, c, "a") != "" {
		t.Errorf("throttled: %v", err)
	}
	if err := tables.SetFault("things", standin.LoseNextPut); err != nil {
		t.Fatal(err)
	}
	if _, err := c.PutItem(t.Context(), put("a")); err == nil || stateOf(t, c, "a") != "new" {
		t.Errorf("lost: %v", err)
	}
	if _, err := c.PutItem(t.Context(), put("b")); err != nil {
		t.Errorf("only one answer is lost: %v", err)
	}
}

func TestAnExpressionThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	_, c := client(t)
	for _, condition := range []string{"attribute_not_exists(", "id = ", "id ? :x", "#unknown = id", "id = id id", "NOT", ":missing = id", "size(id"} {
		in := put("a")
		in.ConditionExpression = &condition
		if _, err := c.PutItem(t.Context(), in); err == nil || !strings.Contains(err.Error(), "ValidationException") {
			t.Errorf("%q: %v", condition, err)
		}
	}
}
