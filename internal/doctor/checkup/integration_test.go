//go:build integration

package checkup_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	tabletypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	eventtypes "github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	scheduletypes "github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/awstest"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/doctor"
	"github.com/ringonce/ringonce/internal/doctor/awsaccount"
	"github.com/ringonce/ringonce/internal/doctor/checkup"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb"
)

// gaps of moto 5.2.5: it has no ListServiceQuotas, and of quotas only those of VPC, so pacing cannot be looked at there. What it has and
// does otherwise: UpdateTable ignores SSESpecification, so that the encryption of a table can only be set when it is made.
var gaps = map[string]doctor.Level{"pacing": doctor.Unknown}

// deployed is a set-up on a server that answers for AWS, beside the emulator of Amazon Connect.
type deployed struct {
	t         *testing.T
	moto      string
	connect   string
	telephone *connectemu.Server
	names     checkup.Names
	queueARN  string
	mapping   string

	sqs       *sqs.Client
	lambda    *lambda.Client
	events    *eventbridge.Client
	schedules *scheduler.Client
	tables    *awsdynamodb.Client
}

func (d *deployed) must(what string, err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatalf("%s: %v", what, err)
	}
}

func deploy(t *testing.T) *deployed {
	t.Helper()
	emulator, err := connectemu.New(connectemu.Config{
		LookupRate: connectemu.Unlimited, Flows: []string{flow}, Queues: []string{callers}, SourceNumbers: []string{"+12025550100"},
	})
	if err != nil {
		t.Fatal(err)
	}
	phones := httptest.NewServer(emulator)
	t.Cleanup(phones.Close)
	d := &deployed{t: t, moto: awstest.StartMoto(t), connect: phones.URL, telephone: emulator}
	config := aws.Config{Region: "us-east-1", Credentials: credentials{}, BaseEndpoint: &d.moto}
	d.sqs, d.lambda, d.events = sqs.NewFromConfig(config), lambda.NewFromConfig(config), eventbridge.NewFromConfig(config)
	d.schedules, d.tables = scheduler.NewFromConfig(config), awsdynamodb.NewFromConfig(config)
	d.queues()
	d.function(iam.NewFromConfig(config))
	d.started()
	d.table()
	return d
}

func (d *deployed) queues() {
	ctx := d.t.Context()
	dead, err := d.sqs.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("requests-dlq"), Attributes: map[string]string{
		"MessageRetentionPeriod": "1209600", "SqsManagedSseEnabled": "true",
	}})
	d.must("make the dead-letter queue", err)
	arn, err := d.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: dead.QueueUrl, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameQueueArn}})
	d.must("read its ARN", err)
	queue, err := d.sqs.CreateQueue(ctx, &sqs.CreateQueueInput{QueueName: aws.String("requests"), Attributes: map[string]string{
		"VisibilityTimeout": "360", "MessageRetentionPeriod": "345600", "SqsManagedSseEnabled": "true",
		"RedrivePolicy": fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":5}`, arn.Attributes["QueueArn"]),
	}})
	d.must("make the queue", err)
	own, err := d.sqs.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{QueueUrl: queue.QueueUrl, AttributeNames: []sqstypes.QueueAttributeName{sqstypes.QueueAttributeNameQueueArn}})
	d.must("read its ARN", err)
	d.names.Queue, d.queueARN = *queue.QueueUrl, own.Attributes["QueueArn"]
}

func (d *deployed) function(roles *iam.Client) {
	ctx := d.t.Context()
	role, err := roles.CreateRole(ctx, &iam.CreateRoleInput{RoleName: aws.String("ringonce"), AssumeRolePolicyDocument: aws.String(`{"Version":"2012-10-17","Statement":[]}`)})
	d.must("make the role", err)
	var code bytes.Buffer
	archive := zip.NewWriter(&code)
	_, err = archive.Create("bootstrap")
	d.must("make the code", err)
	d.must("make the code", archive.Close())
	_, err = d.lambda.CreateFunction(ctx, &lambda.CreateFunctionInput{
		FunctionName: aws.String("ringonce"), Runtime: lambdatypes.RuntimeProvidedal2023, Handler: aws.String("bootstrap"), Role: role.Role.Arn,
		Timeout: aws.Int32(60), Architectures: []lambdatypes.Architecture{lambdatypes.ArchitectureArm64}, Code: &lambdatypes.FunctionCode{ZipFile: code.Bytes()},
	})
	d.must("make the function", err)
	mapping, err := d.lambda.CreateEventSourceMapping(ctx, &lambda.CreateEventSourceMappingInput{
		FunctionName: aws.String("ringonce"), EventSourceArn: &d.queueARN, BatchSize: aws.Int32(10), Enabled: aws.Bool(true),
		FunctionResponseTypes: []lambdatypes.FunctionResponseType{lambdatypes.FunctionResponseTypeReportBatchItemFailures},
		ScalingConfig:         &lambdatypes.ScalingConfig{MaximumConcurrency: aws.Int32(2)},
	})
	d.must("make the mapping", err)
	d.mapping = *mapping.UUID
	d.onFailure()
	d.names.Function = "ringonce"
}

func (d *deployed) onFailure() {
	_, err := d.lambda.PutFunctionEventInvokeConfig(d.t.Context(), &lambda.PutFunctionEventInvokeConfigInput{
		FunctionName:      aws.String("ringonce"),
		DestinationConfig: &lambdatypes.DestinationConfig{OnFailure: &lambdatypes.OnFailure{Destination: aws.String(d.queueARN + "-dlq")}},
	})
	d.must("set the on-failure destination", err)
}

func (d *deployed) started() {
	ctx := d.t.Context()
	d.rule(strings.ReplaceAll(pattern, "111122223333", connectemu.DefaultAccount), eventtypes.RuleStateEnabled)
	_, err := d.events.PutTargets(ctx, &eventbridge.PutTargetsInput{Rule: aws.String("contacts"), Targets: []eventtypes.Target{{Id: aws.String("1"), Arn: &d.queueARN}}})
	d.must("set the target", err)
	_, err = d.schedules.CreateSchedule(ctx, &scheduler.CreateScheduleInput{
		Name: aws.String("sweep"), ScheduleExpression: aws.String("rate(1 minute)"), State: scheduletypes.ScheduleStateEnabled,
		FlexibleTimeWindow: &scheduletypes.FlexibleTimeWindow{Mode: scheduletypes.FlexibleTimeWindowModeOff}, Target: d.sweepTarget(),
	})
	d.must("make the schedule", err)
	d.names.Rule, d.names.Bus, d.names.Schedule, d.names.ScheduleGroup = "contacts", "default", "sweep", "default"
}

func (d *deployed) sweepTarget() *scheduletypes.Target {
	account := strings.Split(d.queueARN, ":")[4]
	return &scheduletypes.Target{
		Arn: aws.String("arn:aws:lambda:us-east-1:" + account + ":function:ringonce"), RoleArn: aws.String("arn:aws:iam::" + account + ":role/ringonce"),
		Input: aws.String("{}"),
	}
}

func (d *deployed) rule(pattern string, state eventtypes.RuleState) {
	_, err := d.events.PutRule(d.t.Context(), &eventbridge.PutRuleInput{Name: aws.String("contacts"), EventPattern: &pattern, State: state})
	d.must("make the rule", err)
}

func (d *deployed) open(ctx context.Context) (*dynamodb.Ledger, error) {
	return dynamodb.Open(ctx, dynamodb.Options{
		Table: "calls", Region: "us-east-1", Endpoint: d.moto, Credentials: credentials{}, Clock: machine{},
		RandomID: func() string { return "ledger-1" },
	})
}

func (d *deployed) table() {
	ctx := d.t.Context()
	schema := dynamodb.Schema("calls")
	schema.DeletionProtectionEnabled = aws.Bool(true)
	schema.SSESpecification = &tabletypes.SSESpecification{Enabled: aws.Bool(true), SSEType: tabletypes.SSETypeKms}
	_, err := d.tables.CreateTable(ctx, schema)
	d.must("make the table", err)
	ledger, err := d.open(ctx)
	d.must("make the ledger", err)
	d.must("beat", ledger.Beat(ctx, time.Now()))
	d.backups(true)
	d.names.Table = "calls"
}

func (d *deployed) backups(on bool) {
	_, err := d.tables.UpdateContinuousBackups(d.t.Context(), &awsdynamodb.UpdateContinuousBackupsInput{
		TableName:                        aws.String("calls"),
		PointInTimeRecoverySpecification: &tabletypes.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(on)},
	})
	d.must("set point-in-time recovery", err)
}

// look is one run of the doctor.
func (d *deployed) look() []doctor.Finding {
	account := awsaccount.New(awsaccount.Options{
		Region: "us-east-1", Credentials: credentials{}, Clock: machine{}, Endpoint: d.moto, ConnectEndpoint: d.connect, TableEndpoint: d.moto,
	})
	clocks := &checkup.Clocks{}
	clocks.Add(account)
	return checkup.Run(d.t.Context(), checkup.Subject{
		Production: true, Driver: "dynamodb", PerSecond: 2, SharedPace: true, Reserve: 15 * time.Second, HasQuotas: true, Names: d.names, Now: time.Now(), Clocks: clocks,
		Profiles: []call.Profile{{
			Name: "alert", Region: "us-east-1", InstanceID: instance, ContactFlowID: flow, QueueID: callers, SourcePhone: "+12025550100", Resend: call.ResendNever,
		}},
		Numbering: doctor.Numbering{Source: "phonenumbers", Version: "v1.8.1", Released: time.Now().AddDate(0, -5, 0), Prefixes: 2000, Zones: "tz database 2026f"},
		Caller:    account, Functions: account, Events: account, Tables: account, Telephone: func(string) checkup.Telephone { return account },
		LedgerName: "calls", OpenLedger: func(ctx context.Context) (*checkup.Books, error) {
			ledger, err := d.open(ctx)
			if err != nil {
				return nil, err
			}
			return &checkup.Books{
				Name: "calls", Naming: call.Naming{Mode: call.IdentityPlain}, Ledger: ledger, Index: ledger, Journal: ledger, WentBack: ledger.WentBack, Close: ledger.Close,
			}, nil
		},
	})
}

func (d *deployed) found() []string {
	var checks []string
	for _, f := range d.look() {
		if f.Level != doctor.OK && gaps[f.Check] != f.Level {
			checks = append(checks, f.Check)
			d.t.Logf("%s %s: %s", f.Level, f.Check, f.What)
		}
	}
	slices.Sort(checks)
	return slices.Compact(checks)
}

// TestALiveSetUpIsLookedAt deploys a sound set-up, and then spoils one part after the other and mends it.
func TestALiveSetUpIsLookedAt(t *testing.T) {
	t.Parallel()
	d := deploy(t)
	if found := d.found(); len(found) > 0 {
		t.Fatalf("a sound set-up has %q", found)
	}
	for _, f := range d.look() {
		if gaps[f.Check] != "" && gaps[f.Check] != f.Level {
			t.Errorf("the gap is closed: %+v", f)
		}
	}
	for _, defect := range append(d.defects(), d.tableDefects()...) {
		defect.spoil(true)
		if found := d.found(); !slices.Equal(found, defect.found) {
			t.Errorf("%q: found %q", defect.found, found)
		}
		defect.spoil(false)
	}
	if found := d.found(); len(found) > 0 {
		t.Errorf("the mended set-up has %q", found)
	}
}

// defect spoils the set-up, or mends it.
type defect struct {
	found []string
	spoil func(bad bool)
}

func (d *deployed) defects() []defect {
	ctx := d.t.Context()
	queue := func(name, good, bad string) func(bool) {
		return func(spoil bool) {
			value := map[bool]string{true: bad, false: good}[spoil]
			_, err := d.sqs.SetQueueAttributes(ctx, &sqs.SetQueueAttributesInput{QueueUrl: &d.names.Queue, Attributes: map[string]string{name: value}})
			d.must("set "+name, err)
		}
	}
	return []defect{
		{[]string{"visibility"}, queue("VisibilityTimeout", "360", "300")},
		{[]string{"retention"}, queue("MessageRetentionPeriod", "345600", "1209600")},
		{[]string{"receives"}, queue("RedrivePolicy", fmt.Sprintf(`{"deadLetterTargetArn":"%s-dlq","maxReceiveCount":5}`, d.queueARN),
			fmt.Sprintf(`{"deadLetterTargetArn":"%s-dlq","maxReceiveCount":2}`, d.queueARN))},
		{[]string{"function-timeout"}, func(bad bool) {
			_, err := d.lambda.UpdateFunctionConfiguration(ctx, &lambda.UpdateFunctionConfigurationInput{
				FunctionName: aws.String("ringonce"), Timeout: aws.Int32(map[bool]int32{true: 16, false: 60}[bad]),
			})
			d.must("set the time-out", err)
		}},
		{[]string{"contact-rule"}, func(bad bool) {
			d.rule(pattern, map[bool]eventtypes.RuleState{true: eventtypes.RuleStateDisabled, false: eventtypes.RuleStateEnabled}[bad])
		}},
		{[]string{"contact-rule"}, func(bad bool) {
			p := pattern
			if bad {
				p = strings.ReplaceAll(p, instance, callers)
			}
			d.rule(p, eventtypes.RuleStateEnabled)
		}},
		{[]string{"sweep-schedule"}, func(bad bool) {
			_, err := d.schedules.UpdateSchedule(ctx, &scheduler.UpdateScheduleInput{
				Name: aws.String("sweep"), ScheduleExpression: aws.String(map[bool]string{true: "rate(1 hour)", false: "rate(1 minute)"}[bad]),
				State: scheduletypes.ScheduleStateEnabled, FlexibleTimeWindow: &scheduletypes.FlexibleTimeWindow{Mode: scheduletypes.FlexibleTimeWindowModeOff},
				Target: d.sweepTarget(),
			})
			d.must("set the schedule", err)
		}},
		{[]string{"flow", "outbound-calls"}, func(bad bool) {
			d.must("change the instance", d.telephone.Update(func(c *connectemu.Config) {
				c.Archived, c.OutboundOff = nil, nil
				if bad {
					c.Archived, c.OutboundOff = []string{flow}, []string{instance}
				}
			}))
		}},
		{[]string{"on-failure"}, func(bad bool) {
			if !bad {
				d.onFailure()
				return
			}
			_, err := d.lambda.DeleteFunctionEventInvokeConfig(ctx, &lambda.DeleteFunctionEventInvokeConfigInput{FunctionName: aws.String("ringonce")})
			d.must("remove the on-failure destination", err)
		}},
		{[]string{"trigger"}, func(bad bool) {
			_, err := d.lambda.UpdateEventSourceMapping(ctx, &lambda.UpdateEventSourceMappingInput{UUID: &d.mapping, Enabled: aws.Bool(!bad)})
			d.must("switch the mapping", err)
		}},
	}
}

func (d *deployed) tableDefects() []defect {
	ctx := d.t.Context()
	return []defect{
		{[]string{"table-backup"}, func(bad bool) { d.backups(!bad) }},
		{[]string{"memory", "table-ttl"}, func(bad bool) {
			_, err := d.tables.UpdateTimeToLive(ctx, &awsdynamodb.UpdateTimeToLiveInput{
				TableName: aws.String("calls"), TimeToLiveSpecification: &tabletypes.TimeToLiveSpecification{AttributeName: aws.String("x"), Enabled: &bad},
			})
			d.must("set time to live", err)
		}},
		{[]string{"table-protection"}, func(bad bool) {
			_, err := d.tables.UpdateTable(ctx, &awsdynamodb.UpdateTableInput{TableName: aws.String("calls"), DeletionProtectionEnabled: aws.Bool(!bad)})
			d.must("set deletion protection", err)
		}},
	}
}
