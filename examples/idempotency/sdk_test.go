package idempotency_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/ssm"

	"github.com/ringonce/ringonce/clienttoken"
)

var errOffline = errors.New("nothing leaves this test")

// offline is an HTTP client that reaches nobody.
type offline struct{}

func (offline) Do(*http.Request) (*http.Response, error) { return nil, errOffline }

// clients are those of the services that this module knows, each with one provider for everything, which outside of this test is a mistake.
func clients(provider clienttoken.Provider) map[string]any {
	cfg := aws.Config{
		Region: "us-east-1", HTTPClient: offline{}, Retryer: func() aws.Retryer { return aws.NopRetryer{} },
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
		}),
	}
	return map[string]any{
		"cloudformation": cloudformation.NewFromConfig(cfg, func(o *cloudformation.Options) { o.IdempotencyTokenProvider = provider }),
		"connect":        connect.NewFromConfig(cfg, func(o *connect.Options) { o.IdempotencyTokenProvider = provider }),
		"dynamodb":       dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.IdempotencyTokenProvider = provider }),
		"ec2":            ec2.NewFromConfig(cfg, func(o *ec2.Options) { o.IdempotencyTokenProvider = provider }),
		"ecs":            ecs.NewFromConfig(cfg, func(o *ecs.Options) { o.IdempotencyTokenProvider = provider }),
		"secretsmanager": secretsmanager.NewFromConfig(cfg, func(o *secretsmanager.Options) { o.IdempotencyTokenProvider = provider }),
		"stepfunctions":  sfn.NewFromConfig(cfg, func(o *sfn.Options) { o.IdempotencyTokenProvider = provider }),
		"ssm":            ssm.NewFromConfig(cfg, func(o *ssm.Options) { o.IdempotencyTokenProvider = provider }),
	}
}

// usable returns the rules of the services that this module knows.
func usable(t *testing.T, known map[string]any) []clienttoken.Rule {
	t.Helper()
	var rules []clienttoken.Rule
	for _, r := range clienttoken.Rules() {
		if known[r.Service] != nil && r.Usable() {
			rules = append(rules, r)
		}
	}
	if len(rules) < 60 {
		t.Fatalf("%d rules: the services are named otherwise", len(rules))
	}
	return rules
}

// input returns a new input of an operation of a client, a pointer to a structure, and the operation.
func input(t *testing.T, client any, operation string) (in, call reflect.Value) {
	t.Helper()
	call = reflect.ValueOf(client).MethodByName(operation)
	if !call.IsValid() {
		t.Fatalf("%T has no %s", client, operation)
	}
	return reflect.New(call.Type().In(1).Elem()), call
}

// token returns the value of the rule's parameter.
func token(r clienttoken.Rule, in reflect.Value) string {
	field := in.Elem().FieldByName(strings.ToUpper(r.Parameter[:1]) + r.Parameter[1:])
	if field.IsNil() {
		return ""
	}
	return field.Elem().String()
}

func TestFillFitsTheInputOfEveryOperation(t *testing.T) {
	t.Parallel()
	known := clients("token-1")
	for _, r := range usable(t, known) {
		want, err := r.Token("base")
		if err != nil {
			t.Errorf("%s %s: %v", r.Service, r.Operation, err)
			continue
		}
		in, _ := input(t, known[r.Service], r.Operation)
		if err := r.Fill(in.Interface(), want); err != nil || token(r, in) != want {
			t.Errorf("%s %s: %q, %v", r.Service, r.Operation, token(r, in), err)
		}
	}
}

// TestTheSDKAsksTheProviderExactlyWhereTheRuleSaysSo calls every operation of the rules with an empty input.
func TestTheSDKAsksTheProviderExactlyWhereTheRuleSaysSo(t *testing.T) {
	t.Parallel()
	known := clients("token-1")
	for _, r := range usable(t, known) {
		if wrong := disagrees(t, known[r.Service], r); wrong != "" {
			t.Errorf("%s %s: %s", r.Service, r.Operation, wrong)
		}
		r.AutoFilled = !r.AutoFilled
		if disagrees(t, known[r.Service], r) == "" {
			t.Errorf("%s %s: a planted fault was not seen", r.Service, r.Operation)
		}
	}
}

// disagrees says how the SDK and a rule differ.
func disagrees(t *testing.T, client any, r clienttoken.Rule) string {
	t.Helper()
	in, call := input(t, client, r.Operation)
	results := call.Call([]reflect.Value{reflect.ValueOf(t.Context()), in})
	switch asked := token(r, in) == "token-1"; {
	case results[1].IsNil():
		return "it was answered by nobody"
	case asked && !r.AutoFilled:
		return "the SDK fills the token and the rule says that it does not"
	case !asked && r.AutoFilled:
		return "the SDK does not fill the token and the rule says that it does"
	}
	return ""
}
