//go:build integration

package e2etest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/sns"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ringonce/ringonce/internal/awstest"
)

// cloud is the server with the clients of the AWS SDK, and the deployment package.
type cloud struct {
	server    *awstest.Ministack
	zip       []byte
	lambda    *lambda.Client
	sqs       *sqs.Client
	sns       *sns.Client
	events    *eventbridge.Client
	scheduler *scheduler.Client

	names atomic.Int64
}

func newCloud(t *testing.T) *cloud {
	t.Helper()
	c := &cloud{zip: buildPackage(t), server: awstest.StartMinistack(t)}
	config := aws.Config{Region: awstest.MinistackRegion, BaseEndpoint: aws.String(c.server.URL), Credentials: callers(), HTTPClient: &loopbackClient{}}
	c.lambda, c.sqs, c.sns = lambda.NewFromConfig(config), sqs.NewFromConfig(config), sns.NewFromConfig(config)
	c.events, c.scheduler = eventbridge.NewFromConfig(config), scheduler.NewFromConfig(config)
	return c
}

// callers are the credentials of producers and of the deployment.
func callers() aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{AccessKeyID: awstest.MinistackAccount, SecretAccessKey: awstest.MinistackSecret}, nil
	})
}

// name returns a name that no other resource has.
func (c *cloud) name(kind string) string { return fmt.Sprintf("%s-%d", kind, c.names.Add(1)) }

// buildPackage builds the deployment package as make lambda does, for this machine: the server runs it as a process.
func buildPackage(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "run", "./tools/lambdazip", "-arch", runtime.GOARCH, "-o", dir)
	build.Dir = filepath.Join("..", "..")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the deployment package: %v\n%s", err, output)
	}
	zip, err := os.ReadFile(filepath.Join(dir, "ringonce-lambda-"+runtime.GOARCH+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	return zip
}
