package app_test

import (
	"context"
	"errors"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

const queueProfiles = `
profiles:
  alert: {region: us-east-1, instance_id: 11111111-2222-4333-8444-555555555555, contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee, source_phone: "+12025550100"}
`

func TestAQueueOfAnEmulatorIsReachedOnlyOutsideOfProduction(t *testing.T) {
	t.Parallel()
	for text, field := range map[string]string{
		"sqs: {endpoint: 'http://127.0.0.1:1'}":                        "sqs.endpoint",
		"production: false\nsqs: {endpoint: 'http://203.0.113.1'}":     "sqs.endpoint",
		"production: false\nsqs: {endpoint: 'http://127.0.0.1:1'}":     "",
		"production: false\nsqs: {endpoint: 'ftp://127.0.0.1/queues'}": "sqs.endpoint",
	} {
		_, err := app.Parse("ringonce.yaml", []byte(text+queueProfiles))
		var refusal *call.Error
		if errors.As(err, &refusal); (refusal == nil) != (field == "") || (refusal != nil && refusal.Field != field) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestTestCredentialsReachAnEmulatorsQueueOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{"production: true": false, "production: false\nsqs: {endpoint: 'http://127.0.0.1:1'}": true} {
		config, err := app.Parse("ringonce.yaml", []byte(text+queueProfiles))
		if err != nil {
			t.Fatal(err)
		}
		access := config.QueueAccess(app.Options{LookupEnv: app.LookupNothing})
		if _, err := access.Credentials.Retrieve(context.Background()); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAQueueWhoseURLNamesNoRegionIsWhereTheTableIs(t *testing.T) {
	t.Parallel()
	const local = "production: false\nsqs: {endpoint: 'http://127.0.0.1:1'}\n"
	environment := func(name string) (string, bool) { return "eu-west-1", name == "AWS_REGION" }
	for _, c := range []struct {
		ledger, want string
		lookup       func(string) (string, bool)
	}{
		{"ledger: {driver: dynamodb, table: calls, region: ap-northeast-1, endpoint: 'http://127.0.0.1:2'}", "ap-northeast-1", app.LookupNothing},
		{"ledger: {driver: dynamodb, table: calls, region: ap-northeast-1, endpoint: 'http://127.0.0.1:2'}", "eu-west-1", environment},
		{"", "eu-west-1", environment},
		{"", "", app.LookupNothing},
	} {
		config, err := app.Parse("ringonce.yaml", []byte(local+c.ledger+queueProfiles))
		if err != nil {
			t.Fatal(err)
		}
		if got := config.QueueAccess(app.Options{LookupEnv: c.lookup}).Region; got != c.want {
			t.Errorf("%s: %q, want %q", c.ledger, got, c.want)
		}
	}
}

func TestAQueueWithoutAKeySpaceIsNoticedWhereOthersHaveOne(t *testing.T) {
	t.Parallel()
	const dlq = "arn:aws:sqs:us-east-1:111122223333:dlq"
	for text, want := range map[string]bool{
		"production: true": false,
		"producers: [{arn: 'arn:aws:sqs:us-east-1:111122223333:a'}]":                    false,
		"producers: [{arn: 'arn:aws:sqs:us-east-1:111122223333:a', key_space: a}]":      true,
		"producers: [{arn: 'arn:a', key_space: a}, {arn: '" + dlq + "', key_space: a}]": false,
	} {
		config, err := app.Parse("ringonce.yaml", []byte(text+queueProfiles))
		if err != nil {
			t.Fatal(err)
		}
		if got := config.KeySpaceMissing(dlq); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}
