//go:build integration

package awsstores_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	awskms "github.com/aws/aws-sdk-go-v2/service/kms"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/awstest"
	"github.com/ringonce/ringonce/internal/call"
)

// TestTheWiredProgramEncryptsWithItsKMSKey runs the wiring with ledger.kms_key on a server that answers for DynamoDB and KMS: calls ring once,
// in a second process too, and the table shows no number.
func TestTheWiredProgramEncryptsWithItsKMSKey(t *testing.T) {
	t.Parallel()
	emulator, err := connectemu.New(connectemu.Config{})
	if err != nil {
		t.Fatal(err)
	}
	phones := httptest.NewServer(emulator)
	t.Cleanup(phones.Close)
	moto := awstest.StartMoto(t)
	credentials := aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
	})
	kms := awskms.New(awskms.Options{Region: "us-east-1", BaseEndpoint: &moto, Credentials: credentials})
	made, err := kms.CreateKey(t.Context(), &awskms.CreateKeyInput{})
	if err != nil {
		t.Fatal(err)
	}
	encrypted := strings.Replace(config, "create_table: true", "create_table: true, kms_key: '"+aws.ToString(made.KeyMetadata.Arn)+"'", 1)
	for process := range 2 {
		a := startWith(t, encrypted, phones.URL, moto)
		for n := range 3 {
			out := a.Engine.Place(t.Context(), delivery(t, n))
			if out.Met != call.MetPlaced || out.Replayed != (process > 0) {
				t.Fatalf("process %d, call %d: %s, replayed %t: %s", process, n, out.Met, out.Replayed, out.Message)
			}
		}
	}
	if rings := emulator.RingCount(); rings != 3 {
		t.Errorf("%d rings of 3 calls", rings)
	}
	table := awsdynamodb.New(awsdynamodb.Options{Region: "us-east-1", BaseEndpoint: &moto, Credentials: credentials})
	all, err := table.Scan(t.Context(), &awsdynamodb.ScanInput{TableName: aws.String("ringonce-calls")})
	if err != nil {
		t.Fatal(err)
	}
	keys := 0
	for _, it := range all.Items {
		raw, err := json.Marshal(it)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(raw), "2025550") {
			t.Errorf("the table shows a number: %s", raw)
		}
		if data, ok := it["d"].(*types.AttributeValueMemberB); ok && data.Value[0] != 2 {
			t.Errorf("a blob has format %d, want 2, the encrypted one", data.Value[0])
		}
		if strings.Contains(string(raw), "#k#") {
			keys++
		}
	}
	if keys != 1 {
		t.Errorf("%d data keys of two processes", keys)
	}
}
