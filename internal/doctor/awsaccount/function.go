package awsaccount

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/ringonce/ringonce/internal/doctor"
)

// Function reads a function (GetFunctionConfiguration). OnFailure is true for a dead-letter queue of its own; what else may keep failed
// invocations is the answer of [Account.OnFailure].
func (a *Account) Function(ctx context.Context, name string) (doctor.Function, error) {
	out, err := look(ctx, a, readFunction, name, &lambda.GetFunctionConfigurationInput{FunctionName: &name}, a.lambda.GetFunctionConfiguration)
	if err != nil {
		return doctor.Function{}, err
	}
	f := doctor.Function{
		Name: aws.ToString(out.FunctionName), ARN: aws.ToString(out.FunctionArn), Timeout: time.Duration(aws.ToInt32(out.Timeout)) * time.Second,
		OnFailure: out.DeadLetterConfig != nil && aws.ToString(out.DeadLetterConfig.TargetArn) != "", State: string(out.State),
	}
	if f.State == "" { // functions that were made before there were states have none
		f.State = string(types.StateActive)
	}
	if len(out.Architectures) > 0 {
		f.Architecture = string(out.Architectures[0])
	}
	return f, nil
}

// OnFailure reports whether asynchronous invocations that fail for good have a destination (GetFunctionEventInvokeConfig). A function that
// was never configured has none.
func (a *Account) OnFailure(ctx context.Context, name string) (bool, error) {
	out, err := look(ctx, a, readInvokeConfig, name, &lambda.GetFunctionEventInvokeConfigInput{FunctionName: &name}, a.lambda.GetFunctionEventInvokeConfig)
	if doctor.IsAbsent(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	d := out.DestinationConfig
	return d != nil && d.OnFailure != nil && aws.ToString(d.OnFailure.Destination) != "", nil
}

// Trigger reads the event source mapping from a queue to a function (ListEventSourceMappings). Without one its State is empty.
func (a *Account) Trigger(ctx context.Context, function, queueARN string) (doctor.Trigger, error) {
	in := &lambda.ListEventSourceMappingsInput{FunctionName: &function, EventSourceArn: &queueARN}
	out, err := look(ctx, a, readMappings, function, in, a.lambda.ListEventSourceMappings)
	if err != nil {
		return doctor.Trigger{}, err
	}
	for _, m := range out.EventSourceMappings {
		if aws.ToString(m.EventSourceArn) != queueARN {
			continue
		}
		t := doctor.Trigger{
			BatchSize: int(aws.ToInt32(m.BatchSize)), BatchingWindow: time.Duration(aws.ToInt32(m.MaximumBatchingWindowInSeconds)) * time.Second,
			State: aws.ToString(m.State),
		}
		for _, kind := range m.FunctionResponseTypes {
			t.PartialResponses = t.PartialResponses || kind == types.FunctionResponseTypeReportBatchItemFailures
		}
		if m.ScalingConfig != nil {
			t.Concurrency = int(aws.ToInt32(m.ScalingConfig.MaximumConcurrency))
		}
		return t, nil
	}
	return doctor.Trigger{}, nil
}
