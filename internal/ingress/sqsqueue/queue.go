package sqsqueue

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/internal/call"
)

// Queue is a queue with the messages that this process holds. It is not safe for concurrent use.
type Queue struct {
	options Options
	client  *sqs.Client

	// ARN is the queue's own; Waiting is about how many messages could be received when the queue was opened.
	ARN     string
	Waiting int
	// MaxReceives is the maxReceiveCount of the queue's own redrive policy: a message that was received more often is moved on. Zero means
	// that the queue has none, as a dead-letter queue should.
	MaxReceives int

	held map[string]holding // by message id
}

// holding is a message that nobody else can see before its time is over.
type holding struct {
	handle string
	since  time.Time
}

// Open looks at the queue's attributes. Its errors are *call.Error.
func Open(ctx context.Context, o Options) (*Queue, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	// Made from its options, without the SDK's configuration loader: neither files nor variables may move the queue.
	options := sqs.Options{Region: o.Region, Credentials: aws.NewCredentialsCache(o.Credentials), HTTPClient: o.HTTPClient}
	if options.HTTPClient == nil {
		options.HTTPClient = &http.Client{Timeout: longPoll + 10*time.Second}
	}
	if o.Endpoint != "" {
		options.BaseEndpoint = aws.String(o.Endpoint)
	}
	q := &Queue{options: o, client: sqs.New(options), held: map[string]holding{}}
	out, err := q.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &o.URL, AttributeNames: []types.QueueAttributeName{
			types.QueueAttributeNameQueueArn, types.QueueAttributeNameApproximateNumberOfMessages, types.QueueAttributeNameRedrivePolicy,
		},
	})
	if err != nil {
		return nil, q.explain(err, "GetQueueAttributes")
	}
	q.ARN = out.Attributes[string(types.QueueAttributeNameQueueArn)]
	if q.ARN == "" {
		return nil, refuse(CodeQueueUnavailable, "Check the permission sqs:GetQueueAttributes.", "SQS did not say the ARN of the queue.")
	}
	q.Waiting, _ = strconv.Atoi(out.Attributes[string(types.QueueAttributeNameApproximateNumberOfMessages)])
	q.MaxReceives = maxReceives(out.Attributes[string(types.QueueAttributeNameRedrivePolicy)])
	return q, nil
}

// maxReceives reads a redrive policy, in which the count is a number or a text.
func maxReceives(policy string) int {
	var read struct {
		Max json.RawMessage `json:"maxReceiveCount"`
	}
	if json.Unmarshal([]byte(policy), &read) != nil {
		return 0
	}
	n, _ := strconv.Atoi(string(slices.DeleteFunc(read.Max, func(b byte) bool { return b == '"' })))
	return n
}

// Held returns how many messages this process holds.
func (q *Queue) Held() int { return len(q.held) }

// Holds reports whether a message is held, so that nobody else can have received it meanwhile.
func (q *Queue) Holds(id string) bool {
	h, ok := q.held[id]
	return ok && q.options.Clock.Now().Sub(h.since) < q.options.Visibility
}

// explain turns an error of the SDK into a refusal that names the request. An answer of SQS holds no message body.
func (q *Queue) explain(err error, request string) error {
	if errors.Is(err, context.Canceled) {
		return err
	}
	fix := "Check the network, the credentials and the permissions sqs:GetQueueAttributes, sqs:ReceiveMessage, sqs:ChangeMessageVisibility and sqs:DeleteMessage."
	if answer, ok := errors.AsType[smithy.APIError](err); ok {
		if code := answer.ErrorCode(); code == "AWS.SimpleQueueService.NonExistentQueue" || code == "QueueDoesNotExist" {
			return refuse(call.CodeConfiguration, "Copy the URL of the queue from the SQS console.", "There is no queue at this URL in %s.", q.options.Region)
		}
		return refuse(CodeQueueUnavailable, fix, "SQS answered %s with %s.", request, answer.ErrorCode())
	}
	return refuse(CodeQueueUnavailable, fix, "SQS did not answer %s.", request)
}
