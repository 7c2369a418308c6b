//go:build integration

package e2etest

import (
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"runtime"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/app/awswake"
	"github.com/ringonce/ringonce/internal/awstest"
)

// role is a name: the server evaluates no permissions.
const role = "arn:aws:iam::" + awstest.MinistackAccount + ":role/ringonce"

// deployment is one function with its queue, its table and its telephone network.
type deployment struct {
	*cloud
	setting   setting
	telephone *connectemu.Server
	wire      *ledgerWire // between the function and its table
	read      *app.App    // the same table, read; nil without a ledger
	table     string
	address   string // of the telephone
	function  string // ARN
	mapping   string // id of the event source mapping of queue
	queue     queue
	dead      queue
}

// deploy makes a deployment and waits until the function can be invoked.
func deploy(t *testing.T, c *cloud, s setting) *deployment {
	t.Helper()
	s = s.withDefaults()
	d := &deployment{cloud: c, setting: s}
	var err error
	if d.telephone, err = connectemu.New(s.Telephone); err != nil {
		t.Fatal(err)
	}
	served := httptest.NewServer(d.telephone)
	t.Cleanup(func() { d.telephone.Close(); served.Close() })
	d.wire = startLedgerWire(t, c.server.URL, d.telephone)
	d.table, d.address = c.name("calls"), served.URL
	if !s.NoLedger {
		d.read = openTable(t, c.server.URL, s.Config, d.table)
	}
	d.function = createFunction(t, c, s, s.config(d.address, d.wire.URL, d.table))
	d.dead = makeQueue(t, c, "dead", nil)
	d.queue = makeQueue(t, c, "requests", d.attributes())
	d.mapping = d.mapQueue(t, d.queue)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("log of the server about %s:\n%s", d.function, tail(c.server.Log(nameOf(d.function))))
		}
	})
	if s.Swept {
		d.sweep(t)
	}
	return d
}

// openTable makes the table and opens it for reading, through the wiring of the commands.
func openTable(t *testing.T, endpoint, extra, table string) *app.App {
	t.Helper()
	ledger := fmt.Sprintf("ledger: {driver: dynamodb, table: %s, region: us-east-1, endpoint: %q, create_table: true}\n", table, endpoint)
	config, err := app.Parse("e2e.yaml", []byte("production: false\nconnect: {endpoint: http://127.0.0.1:9}\n"+ledger+extra+"\n"+profile))
	if err != nil {
		t.Fatal(err)
	}
	a, err := app.New(t.Context(), config, app.Options{Stores: map[string]app.OpenStore{"dynamodb": openForReading}, Waker: awswake.Open, Random: rand.Reader, LookupEnv: app.LookupNothing, Credentials: callers()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	return a
}

var architectures = map[string]types.Architecture{"amd64": types.ArchitectureX8664, "arm64": types.ArchitectureArm64}

func createFunction(t *testing.T, c *cloud, s setting, config string) string {
	t.Helper()
	name := c.name("ringonce")
	created, err := c.lambda.CreateFunction(t.Context(), &lambda.CreateFunctionInput{
		FunctionName: &name, Role: aws.String(role), Runtime: types.RuntimeProvidedal2023, Handler: aws.String("bootstrap"),
		Architectures: []types.Architecture{architectures[runtime.GOARCH]}, Code: &types.FunctionCode{ZipFile: c.zip},
		Timeout: aws.Int32(seconds(s.Timeout)), MemorySize: aws.Int32(256),
		Environment: &types.Environment{Variables: map[string]string{app.ConfigVariable: config}},
	})
	if err != nil {
		t.Fatalf("create the function: %v", err)
	}
	active := lambda.NewFunctionActiveV2Waiter(c.lambda, func(o *lambda.FunctionActiveV2WaiterOptions) {
		o.MinDelay, o.MaxDelay = 100*time.Millisecond, time.Second
	})
	if err := active.Wait(t.Context(), &lambda.GetFunctionInput{FunctionName: &name}, time.Minute); err != nil {
		t.Fatalf("wait for the function: %v", err)
	}
	return *created.FunctionArn
}

// reconfigure updates the configuration of the function.
func (d *deployment) reconfigure(t *testing.T, config string) {
	t.Helper()
	d.setting.Config = config
	_, err := d.lambda.UpdateFunctionConfiguration(t.Context(), &lambda.UpdateFunctionConfigurationInput{
		FunctionName: &d.function,
		Environment:  &types.Environment{Variables: map[string]string{app.ConfigVariable: d.setting.config(d.address, d.wire.URL, d.table)}},
	})
	if err != nil {
		t.Fatalf("update the function: %v", err)
	}
	updated := lambda.NewFunctionUpdatedV2Waiter(d.lambda, func(o *lambda.FunctionUpdatedV2WaiterOptions) {
		o.MinDelay, o.MaxDelay = 100*time.Millisecond, time.Second
	})
	if err := updated.Wait(t.Context(), &lambda.GetFunctionInput{FunctionName: &d.function}, time.Minute); err != nil {
		t.Fatalf("wait for the function: %v", err)
	}
}

// mapQueue lets the function take a queue's messages, as deploy/sam does: partial batch responses, a bounded concurrency.
func (d *deployment) mapQueue(t *testing.T, q queue) string {
	t.Helper()
	in := &lambda.CreateEventSourceMappingInput{
		FunctionName: &d.function, EventSourceArn: &q.arn, BatchSize: aws.Int32(10),
		ScalingConfig: &types.ScalingConfig{MaximumConcurrency: aws.Int32(2)},
	}
	if !d.setting.WholeBatch {
		in.FunctionResponseTypes = []types.FunctionResponseType{types.FunctionResponseTypeReportBatchItemFailures}
	}
	mapping, err := d.lambda.CreateEventSourceMapping(t.Context(), in)
	if err != nil {
		t.Fatalf("map the queue: %v", err)
	}
	return *mapping.UUID
}

func seconds(d time.Duration) int32 { return int32(d / time.Second) }

// nameOf returns the name of a function's ARN.
func nameOf(arn string) string {
	for i := len(arn) - 1; i >= 0; i-- {
		if arn[i] == ':' {
			return arn[i+1:]
		}
	}
	return arn
}

func tail(text string) string { return text[max(0, len(text)-20_000):] }
