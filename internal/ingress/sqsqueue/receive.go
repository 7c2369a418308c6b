package sqsqueue

import (
	"context"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/ringonce/ringonce/internal/ingress/sqsevent"
)

const (
	batch    = 10              // most entries of one request (SQS API reference)
	longPoll = 2 * time.Second // long enough that every server of the queue is asked
)

// Message is one message as a document.
type Message struct {
	ID       string
	Document []byte // the event that Lambda would be invoked with
}

// Receive receives until the queue shows nothing more or most messages are held, and hands each message over once. A FIFO queue shows no
// further message of a group while messages of it are held. Every message that was received is held, also beside an error.
func (q *Queue) Receive(ctx context.Context, most int, visit func(Message) error) error {
	for q.Held() < most {
		began := q.options.Clock.Now()
		out, err := q.client.ReceiveMessage(ctx, &sqs.ReceiveMessageInput{
			QueueUrl: &q.options.URL, MaxNumberOfMessages: int32(min(batch, most-q.Held())), //nolint:gosec // at most 10
			VisibilityTimeout: int32(q.options.Visibility / time.Second), WaitTimeSeconds: int32(longPoll / time.Second), //nolint:gosec // hours at most
			MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
			MessageAttributeNames:       []string{"All"},
		})
		if err != nil {
			return q.explain(err, "ReceiveMessage")
		}
		if len(out.Messages) == 0 {
			return nil
		}
		var fresh []Message
		for _, m := range out.Messages {
			id := aws.ToString(m.MessageId)
			_, again := q.held[id] // the newest handle is the one that works
			q.held[id] = holding{handle: aws.ToString(m.ReceiptHandle), since: began}
			if again {
				continue
			}
			document, err := sqsevent.Document(m, q.ARN, q.options.Region)
			if err != nil {
				return err
			}
			fresh = append(fresh, Message{ID: id, Document: document})
		}
		for _, m := range fresh {
			if err := visit(m); err != nil {
				return err
			}
		}
		if err := q.Renew(ctx); err != nil {
			return err
		}
	}
	return nil
}
