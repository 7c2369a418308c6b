package sqspoll

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"

	"github.com/ringonce/ringonce/internal/ingress/sqsevent"
)

// answerTime is how long SQS may take beyond a long poll.
const answerTime = 10 * time.Second

// ClientOptions say where a queue is.
type ClientOptions struct {
	URL         string // of the queue, as the console shows it
	Region      string
	Credentials aws.CredentialsProvider
	Endpoint    string // replaces the address of SQS, for an emulator; empty in production
	HTTPClient  sqs.HTTPClient
}

// Client is a [Queue] behind the API of SQS. It sends nothing before the first receive, so that a process starts while SQS does not answer.
type Client struct {
	o      ClientOptions
	client *sqs.Client

	mu  sync.Mutex
	arn string
}

// NewClient returns the client of a queue. It is made from its options, without the SDK's configuration loader: neither files nor variables
// may move the queue.
func NewClient(o ClientOptions) (*Client, error) {
	if o.URL == "" || o.Region == "" || o.Credentials == nil {
		return nil, refuse("Set serve.queues[].url to the URL of a queue, and AWS_REGION where it names none.", "The queue's URL, Region or credentials are not known.")
	}
	options := sqs.Options{Region: o.Region, Credentials: aws.NewCredentialsCache(o.Credentials), HTTPClient: o.HTTPClient}
	if options.HTTPClient == nil {
		options.HTTPClient = &http.Client{Timeout: longPoll + answerTime}
	}
	if o.Endpoint != "" {
		options.BaseEndpoint = aws.String(o.Endpoint)
	}
	return &Client{o: o, client: sqs.New(options)}, nil
}

// ARN asks for the queue's own name, once: mappings and key spaces are chosen by it.
func (c *Client) ARN(ctx context.Context) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.arn != "" {
		return c.arn, nil
	}
	out, err := c.client.GetQueueAttributes(ctx, &sqs.GetQueueAttributesInput{
		QueueUrl: &c.o.URL, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameQueueArn},
	})
	if err != nil {
		return "", explain(err, "GetQueueAttributes")
	}
	if c.arn = out.Attributes[string(types.QueueAttributeNameQueueArn)]; c.arn == "" {
		return "", errors.New("SQS did not say the ARN of the queue")
	}
	return c.arn, nil
}

// Receive implements [Queue].
func (c *Client) Receive(ctx context.Context, n int, wait, visibility time.Duration) ([]Message, error) {
	arn, err := c.ARN(ctx)
	if err != nil {
		return nil, err
	}
	out, err := c.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
		QueueUrl: &c.o.URL, MaxNumberOfMessages: int32(n), //nolint:gosec // at most 10
		WaitTimeSeconds: seconds(wait), VisibilityTimeout: seconds(visibility),
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
		MessageAttributeNames:       []string{"All"},
	}, patient)
	if err != nil {
		return nil, explain(err, "ReceiveMessage")
	}
	messages := make([]Message, 0, len(out.Messages))
	for _, m := range out.Messages {
		document, err := sqsevent.Document(m, arn, c.o.Region)
		if err != nil {
			return messages, err // the rest comes again
		}
		receives, _ := strconv.Atoi(m.Attributes[string(types.MessageSystemAttributeNameApproximateReceiveCount)])
		messages = append(messages, Message{
			ID: aws.ToString(m.MessageId), Handle: aws.ToString(m.ReceiptHandle), Receives: receives, Document: document,
			Group: m.Attributes[string(types.MessageSystemAttributeNameMessageGroupId)],
		})
	}
	return messages, nil
}

// patient leaves the tries to the poller: a receive that is sent again by the SDK would hide what failed.
func patient(o *sqs.Options) { o.RetryMaxAttempts = 1 }

// Delete implements [Queue].
func (c *Client) Delete(ctx context.Context, handles []string) (Failed, error) {
	entries := make([]types.DeleteMessageBatchRequestEntry, len(handles))
	for i, handle := range handles {
		entries[i] = types.DeleteMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), ReceiptHandle: aws.String(handle)}
	}
	out, err := c.client.DeleteMessageBatch(ctx, &sqs.DeleteMessageBatchInput{QueueUrl: &c.o.URL, Entries: entries}, patient)
	if err != nil {
		return nil, explain(err, "DeleteMessageBatch")
	}
	return failed(out.Failed), nil
}

// Change implements [Queue].
func (c *Client) Change(ctx context.Context, changes []Change) (Failed, error) {
	entries := make([]types.ChangeMessageVisibilityBatchRequestEntry, len(changes))
	for i, change := range changes {
		entries[i] = types.ChangeMessageVisibilityBatchRequestEntry{
			Id: aws.String(strconv.Itoa(i)), ReceiptHandle: aws.String(change.Handle), VisibilityTimeout: seconds(change.For),
		}
	}
	out, err := c.client.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &c.o.URL, Entries: entries}, patient)
	if err != nil {
		return nil, explain(err, "ChangeMessageVisibilityBatch")
	}
	return failed(out.Failed), nil
}

func seconds(d time.Duration) int32 {
	return int32(d / time.Second) //nolint:gosec // hours at most
}

// failed reads the entries that SQS refused.
func failed(entries []types.BatchResultErrorEntry) Failed {
	f := Failed{}
	for _, e := range entries {
		if i, err := strconv.Atoi(aws.ToString(e.Id)); err == nil {
			f[i] = struct{ Final bool }{e.SenderFault}
		}
	}
	return f
}

// explain says what SQS answered. An answer of SQS holds no message body.
func explain(err error, request string) error {
	if answer, ok := errors.AsType[smithy.APIError](err); ok {
		return fmt.Errorf("SQS answered %s with %s", request, answer.ErrorCode())
	}
	return fmt.Errorf("SQS did not answer %s: %w", request, err)
}
