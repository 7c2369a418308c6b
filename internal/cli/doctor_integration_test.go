//go:build integration

package cli

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/stores"
	"github.com/ringonce/ringonce/internal/awstest"
)

const deployedConfig = `
production: false
connect: {endpoint: %q}
ledger: {driver: dynamodb, table: ringonce-calls, region: us-east-1, endpoint: %q, create_table: true}
profiles:
  alert:
    region: us-east-1
    instance_id: 11111111-2222-4333-8444-555555555555
    contact_flow_id: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee
    source_phone: "+12025550100"
`

// TestTheFlagsReachTheirParts runs the command on a table and a queue of moto: a part that is sound, one that is not, and some that do not
// exist.
func TestTheFlagsReachTheirParts(t *testing.T) {
	t.Parallel()
	emulator, err := connectemu.New(connectemu.Config{})
	if err != nil {
		t.Fatal(err)
	}
	phones := httptest.NewServer(emulator)
	t.Cleanup(phones.Close)
	moto := awstest.StartMoto(t)
	dir := t.TempDir()
	config, event := filepath.Join(dir, "ringonce.yaml"), filepath.Join(dir, "request.json")
	for file, text := range map[string]string{
		config: fmt.Sprintf(deployedConfig, phones.URL, moto),
		event:  `{"notificationId":"notification-1","recipientId":"user-1","destinationPhoneNumber":"+819000000001"}`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	client := sqs.New(sqs.Options{Region: "us-east-1", BaseEndpoint: &moto, Credentials: aws.CredentialsProviderFunc(testCredentials)})
	queue, err := client.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: aws.String("requests")})
	if err != nil {
		t.Fatal(err)
	}
	run := func(arguments ...string) (int, string) {
		var out, errs bytes.Buffer
		code := Process{
			Args: append([]string{"--config", config}, arguments...), Stdout: &out, Stderr: &errs, LookupEnv: app.LookupNothing, Clock: app.SystemClock{},
			Random: rand.Reader, Stores: stores.All(),
		}.Run(context.Background())
		return code, out.String() + errs.String()
	}
	if code, said := run("doctor"); code != ExitRefused || !strings.Contains(said, "fault    table ") {
		t.Errorf("before there is a table: %d, %s", code, said)
	}
	if code, said := run("lambda-invoke", event); code != ExitOK {
		t.Fatalf("lambda-invoke: %d, %s", code, said)
	}
	code, said := run("doctor", "--endpoint", moto, "--queue-url", *queue.QueueUrl, "--function", "nobody", "--schedule", "never", "--rule", "none")
	if code != ExitRefused {
		t.Errorf("ended with %d", code)
	}
	for _, want := range []string{
		"ok       credentials ", "ok       instance ", "ok       ledger ", "ok       table-key ", "ok       table-ttl ", "warning  table-backup ",
		"fault    receives ", "unknown  function ", "unknown  sweep-schedule ", "unknown  contact-rule ", "ok       clock ",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("nothing says %q in:\n%s", want, said)
		}
	}
}

func testCredentials(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}, nil
}
