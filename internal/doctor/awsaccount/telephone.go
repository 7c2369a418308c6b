package awsaccount

import (
	"context"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"github.com/aws/aws-sdk-go-v2/service/connect/types"

	"github.com/ringonce/ringonce/internal/doctor"
)

func (a *Account) instanceARN(id string) string {
	return "arn:aws:connect:" + a.region + ":*:instance/" + id
}

// Instance reads an instance (DescribeInstance).
func (a *Account) Instance(ctx context.Context, id string) (doctor.Instance, error) {
	resource := a.instanceARN(id)
	out, err := look(ctx, a, readInstance, resource, &connect.DescribeInstanceInput{InstanceId: &id}, a.connect.DescribeInstance)
	switch {
	case err != nil:
		return doctor.Instance{}, err
	case out.Instance == nil:
		return doctor.Instance{}, missing(readInstance, resource, "Instance")
	}
	i := out.Instance
	return doctor.Instance{
		ID: aws.ToString(i.Id), ARN: aws.ToString(i.Arn), Alias: aws.ToString(i.InstanceAlias), Status: string(i.InstanceStatus),
		Outbound: aws.ToBool(i.OutboundCallsEnabled),
	}, nil
}

// Flow reads a flow (DescribeContactFlow, without the alias $SAVED: what calls would use).
func (a *Account) Flow(ctx context.Context, instance, flow string) (doctor.Flow, error) {
	resource := a.instanceARN(instance) + "/contact-flow/" + flow
	in := &connect.DescribeContactFlowInput{InstanceId: &instance, ContactFlowId: &flow}
	out, err := look(ctx, a, readFlow, resource, in, a.connect.DescribeContactFlow)
	switch {
	case err != nil:
		return doctor.Flow{}, err
	case out.ContactFlow == nil:
		return doctor.Flow{}, missing(readFlow, resource, "ContactFlow")
	}
	f := out.ContactFlow
	return doctor.Flow{ID: aws.ToString(f.Id), Name: aws.ToString(f.Name), State: string(f.State), Status: string(f.Status)}, nil
}

// CallQueue reads a queue of an instance (DescribeQueue).
func (a *Account) CallQueue(ctx context.Context, instance, queue string) (doctor.CallQueue, error) {
	resource := a.instanceARN(instance) + "/queue/" + queue
	in := &connect.DescribeQueueInput{InstanceId: &instance, QueueId: &queue}
	out, err := look(ctx, a, readQueue, resource, in, a.connect.DescribeQueue)
	switch {
	case err != nil:
		return doctor.CallQueue{}, err
	case out.Queue == nil:
		return doctor.CallQueue{}, missing(readQueue, resource, "Queue")
	}
	q := out.Queue
	return doctor.CallQueue{
		ID: aws.ToString(q.QueueId), Name: aws.ToString(q.Name), Status: string(q.Status),
		CallerID: q.OutboundCallerConfig != nil && aws.ToString(q.OutboundCallerConfig.OutboundCallerIdNumberId) != "",
	}, nil
}

// Claimed reports whether the instance has claimed a number (ListPhoneNumbersV2 with the number as the prefix).
func (a *Account) Claimed(ctx context.Context, instance, number string) (bool, error) {
	in := &connect.ListPhoneNumbersV2Input{InstanceId: &instance, PhoneNumberPrefix: &number, MaxResults: aws.Int32(100)}
	for {
		out, err := look(ctx, a, readNumbers, "arn:aws:connect:"+a.region+":*:phone-number/*", in, a.connect.ListPhoneNumbersV2)
		if err != nil {
			return false, err
		}
		found := slices.ContainsFunc(out.ListPhoneNumbersSummaryList, func(n types.ListPhoneNumbersSummary) bool { return aws.ToString(n.PhoneNumber) == number })
		if found || aws.ToString(out.NextToken) == "" {
			return found, nil
		}
		in.NextToken = out.NextToken
	}
}
