//go:build integration

package secret_test

import (
	"bytes"
	"crypto/rand"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/aws-sdk-go-v2/service/ssm"
	ssmtypes "github.com/aws/aws-sdk-go-v2/service/ssm/types"

	"github.com/ringonce/ringonce/internal/awstest"
	"github.com/ringonce/ringonce/internal/secret"
)

// TestAgainstTheStores reads what the clients of AWS wrote, from a server that this project did not write.
func TestAgainstTheStores(t *testing.T) {
	t.Parallel()
	endpoint := awstest.StartMoto(t)
	o := options(endpoint)
	manager := secretsmanager.New(secretsmanager.Options{Region: "us-east-1", BaseEndpoint: &endpoint, Credentials: o.Credentials})
	parameters := ssm.New(ssm.Options{Region: "us-east-1", BaseEndpoint: &endpoint, Credentials: o.Credentials})
	key := make([]byte, 48)
	if _, err := rand.Read(key); err != nil {
		t.Fatal(err)
	}
	text, err := manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: aws.String("ringonce/text"), SecretString: aws.String(value + "\n")})
	if err != nil {
		t.Fatal(err)
	}
	binary, err := manager.CreateSecret(t.Context(), &secretsmanager.CreateSecretInput{Name: aws.String("ringonce/binary"), SecretBinary: key})
	if err != nil {
		t.Fatal(err)
	}
	put := func(name string, kind ssmtypes.ParameterType) string {
		if _, err := parameters.PutParameter(t.Context(), &ssm.PutParameterInput{Name: &name, Value: aws.String(value), Type: kind}); err != nil {
			t.Fatal(err)
		}
		out, err := parameters.GetParameter(t.Context(), &ssm.GetParameterInput{Name: &name})
		if err != nil {
			t.Fatal(err)
		}
		return *out.Parameter.ARN
	}
	secure, open := put("/ringonce/identity", ssmtypes.ParameterTypeSecureString), put("/ringonce/open", ssmtypes.ParameterTypeString)
	for arn, want := range map[string][]byte{*text.ARN: []byte(value), *binary.ARN: bytes.TrimSuffix(key, []byte("\n")), secure: []byte(value)} {
		s, err := secret.Fetch(t.Context(), o, arn)
		if err != nil || !bytes.Equal(s.Reveal(), want) {
			t.Errorf("%s: %d bytes instead of %d, %v", arn, s.Len(), len(want), err)
		}
	}
	for arn, says := range map[string]string{
		open: "SecureString", strings.TrimSuffix(secure, "identity") + "gone": "names nothing that exists",
		"arn:aws:secretsmanager:us-east-1:123456789012:secret:gone-AbCdEf": "names nothing that exists",
	} {
		if _, err := secret.Fetch(t.Context(), o, arn); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", arn, err)
		}
	}
	// After a rotation the new value is read: whoever holds the old one is found out by the ledger.
	if _, err := manager.PutSecretValue(t.Context(), &secretsmanager.PutSecretValueInput{SecretId: text.ARN, SecretString: aws.String("another " + value)}); err != nil {
		t.Fatal(err)
	}
	if s, err := secret.Fetch(t.Context(), o, *text.ARN); err != nil || string(s.Reveal()) != "another "+value {
		t.Errorf("after a rotation: %d bytes, %v", s.Len(), err)
	}
}
