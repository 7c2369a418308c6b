package awsaccount

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ringonce/ringonce/internal/doctor"
)

// Queue reads a queue by its URL or its ARN (GetQueueAttributes, after GetQueueUrl for an ARN).
func (a *Account) Queue(ctx context.Context, name string) (doctor.Queue, error) {
	url := name
	if parts := strings.Split(name, ":"); len(parts) == 6 && parts[0] == "arn" {
		out, err := look(ctx, a, readQueueURL, name, &sqs.GetQueueUrlInput{QueueName: &parts[5], QueueOwnerAWSAccountId: &parts[4]}, a.sqs.GetQueueUrl)
		if err != nil {
			return doctor.Queue{}, err
		}
		url = aws.ToString(out.QueueUrl)
	}
	in := &sqs.GetQueueAttributesInput{QueueUrl: &url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}}
	out, err := look(ctx, a, readAttributes, name, in, a.sqs.GetQueueAttributes)
	if err != nil {
		return doctor.Queue{}, err
	}
	at := attributes(out.Attributes)
	q := doctor.Queue{
		ARN: at.text(types.QueueAttributeNameQueueArn), FIFO: at.text(types.QueueAttributeNameFifoQueue) == "true",
		Visibility: at.seconds(types.QueueAttributeNameVisibilityTimeout), Retention: at.seconds(types.QueueAttributeNameMessageRetentionPeriod),
		Encrypted: at.text(types.QueueAttributeNameSqsManagedSseEnabled) == "true" || at.text(types.QueueAttributeNameKmsMasterKeyId) != "",
		Waiting:   at.number(types.QueueAttributeNameApproximateNumberOfMessages),
	}
	q.Name = lastPart(q.ARN)
	q.DeadLetterARN, q.MaxReceive = redrive(at.text(types.QueueAttributeNameRedrivePolicy))
	q.DeadLetter = lastPart(q.DeadLetterARN)
	if q.ARN == "" {
		return q, missing(readAttributes, name, "QueueArn")
	}
	return q, nil
}

func lastPart(arn string) string { return arn[strings.LastIndexByte(arn, ':')+1:] }

// redrive reads a redrive policy, whose count is a number or a text (SQS API reference, SetQueueAttributes).
func redrive(policy string) (deadLetter string, receives int) {
	var p struct {
		DeadLetter string `json:"deadLetterTargetArn"`
		Receives   any    `json:"maxReceiveCount"`
	}
	if json.Unmarshal([]byte(policy), &p) != nil {
		return "", 0
	}
	switch n := p.Receives.(type) {
	case float64:
		receives = int(n)
	case string:
		receives, _ = strconv.Atoi(n) // no number is no count
	}
	return p.DeadLetter, receives
}

type attributes map[string]string

func (a attributes) text(name types.QueueAttributeName) string { return a[string(name)] }

func (a attributes) number(name types.QueueAttributeName) int {
	n, err := strconv.Atoi(a[string(name)])
	if err != nil {
		return 0
	}
	return n
}

func (a attributes) seconds(name types.QueueAttributeName) time.Duration {
	return time.Duration(a.number(name)) * time.Second
}
