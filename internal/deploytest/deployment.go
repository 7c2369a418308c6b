package deploytest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/ringonce/ringonce/internal/doctor"
	"github.com/ringonce/ringonce/internal/ingress/lambda"
)

// Deployment returns what doctor judges.
func (s *Stack) Deployment() (doctor.Deployment, error) {
	var d doctor.Deployment
	functions, invokes, tables := s.of("AWS::Lambda::Function"), s.of("AWS::Lambda::EventInvokeConfig"), s.of("AWS::DynamoDB::Table")
	if len(functions) != 1 || len(tables) != 1 {
		return d, fmt.Errorf("%d functions and %d tables, not one of each", len(functions), len(tables))
	}
	function := functions[0]
	d.Function = doctor.Function{
		Name: function.text("FunctionName"), Timeout: seconds(function.number("Timeout")), Reserve: lambda.DefaultReserve,
		Architecture: strings.Join(texts(function.list("Architectures")), ","),
	}
	for _, invoke := range invokes {
		d.Function.OnFailure = invoke.text("DestinationConfig", "OnFailure", "Destination") != ""
		d.Function.MaxEventAge = seconds(invoke.number("MaximumEventAgeInSeconds"))
	}
	d.Source, d.DeadLetter = s.queue("-requests"), s.queue("-dlq")
	for _, mapping := range s.of("AWS::Lambda::EventSourceMapping") {
		if nameOf(mapping.text("EventSourceArn")) == d.Source.Name && mapping.text("Enabled") == "true" {
			d.Trigger = triggerOf(mapping)
		}
	}
	for _, schedule := range s.of("AWS::Scheduler::Schedule") {
		d.Sweep = doctor.Schedule{
			Name: schedule.text("Name"), Every: every(schedule.text("ScheduleExpression")), Enabled: schedule.text("State") == "ENABLED",
		}
	}
	d.Table = tableOf(tables[0], len(s.of("AWS::KMS::Key")) > 0)
	var config struct {
		Ledger struct{ Driver string }  `yaml:"ledger"`
		Lambda struct{ Reserve string } `yaml:"lambda"`
	}
	if err := yaml.Unmarshal([]byte(s.Config()), &config); err != nil {
		return d, err
	}
	d.Ledger = config.Ledger.Driver
	if config.Lambda.Reserve == "" {
		return d, nil
	}
	var err error
	d.Function.Reserve, err = time.ParseDuration(config.Lambda.Reserve)
	return d, err
}

// Config returns the configuration that the function is given.
func (s *Stack) Config() string {
	for _, function := range s.of("AWS::Lambda::Function") {
		return function.text("Environment", "Variables", "RINGONCE_CONFIG")
	}
	return ""
}

func (s *Stack) queue(suffix string) doctor.Queue {
	for _, r := range s.of("AWS::SQS::Queue") {
		if strings.HasSuffix(r.text("QueueName"), suffix) {
			return doctor.Queue{
				Name: r.text("QueueName"), FIFO: r.text("FifoQueue") == "true", Visibility: seconds(r.number("VisibilityTimeout")),
				Retention: seconds(r.number("MessageRetentionPeriod")), MaxReceive: r.number("RedrivePolicy", "maxReceiveCount"),
				DeadLetter: nameOf(r.text("RedrivePolicy", "deadLetterTargetArn")), Encrypted: encrypted(r),
			}
		}
	}
	return doctor.Queue{}
}

func encrypted(queue *Resource) bool {
	return queue.text("KmsMasterKeyId") != "" || queue.text("SqsManagedSseEnabled") == "true"
}

func triggerOf(mapping *Resource) doctor.Trigger {
	return doctor.Trigger{
		PartialResponses: slices.Contains(texts(mapping.list("FunctionResponseTypes")), "ReportBatchItemFailures"),
		BatchSize:        mapping.number("BatchSize"), BatchingWindow: seconds(mapping.number("MaximumBatchingWindowInSeconds")),
		Concurrency: mapping.number("ScalingConfig", "MaximumConcurrency"),
	}
}

func tableOf(r *Resource, hasKey bool) doctor.Table {
	t := doctor.Table{
		Name: r.text("TableName"), PointInTime: r.text("PointInTimeRecoverySpecification", "PointInTimeRecoveryEnabled") == "true",
		TTLAttribute: r.text("TimeToLiveSpecification", "AttributeName"), Protected: r.text("DeletionProtectionEnabled") == "true",
		KMS:             hasKey && r.text("SSESpecification", "SSEEnabled") == "true" && strings.Contains(r.text("SSESpecification", "KMSMasterKeyId"), ":key/"),
		EventualReplica: len(r.list("Replicas")) > 0,
	}
	for _, member := range r.list("KeySchema") {
		switch name, _ := walk(member, []string{"AttributeName"}).(string); walk(member, []string{"KeyType"}) {
		case "HASH":
			t.HashKey = name
		default:
			t.RangeKey = name
		}
	}
	for _, member := range r.list("GlobalSecondaryIndexes") {
		name, _ := walk(member, []string{"IndexName"}).(string)
		t.Indexes = append(t.Indexes, name)
	}
	slices.Sort(t.Indexes)
	return t
}

var rate = regexp.MustCompile(`^rate\(([0-9]+) (minute|hour|day)s?\)$`)

func every(expression string) time.Duration {
	match := rate.FindStringSubmatch(expression)
	if match == nil {
		return 0
	}
	n, err := strconv.Atoi(match[1])
	if err != nil {
		return 0
	}
	unit := map[string]time.Duration{"minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour}[match[2]]
	return time.Duration(n) * unit
}

func seconds(n int) time.Duration { return time.Duration(n) * time.Second }

// nameOf returns the last part of an ARN.
func nameOf(arn string) string { return arn[strings.LastIndex(arn, ":")+1:] }
