package sqsqueue

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
)

// Renew keeps messages invisible that were held for half of their time. A message whose time could not be renewed is not held any more:
// others may have received it.
func (q *Queue) Renew(ctx context.Context) error {
	now := q.options.Clock.Now()
	var aging []string
	for id, h := range q.held {
		if now.Sub(h.since) >= q.options.Visibility/2 {
			aging = append(aging, id)
		}
	}
	return q.change(ctx, aging, q.options.Visibility)
}

// Release returns every message that is still held to the queue, visible at once.
func (q *Queue) Release(ctx context.Context) error {
	err := q.change(ctx, slices.Collect(maps.Keys(q.held)), 0)
	if err == nil {
		clear(q.held)
	}
	return err
}

// change sets how long messages stay invisible from now.
func (q *Queue) change(ctx context.Context, ids []string, visibility time.Duration) error {
	slices.Sort(ids)
	for part := range slices.Chunk(ids, batch) {
		began := q.options.Clock.Now()
		entries := make([]types.ChangeMessageVisibilityBatchRequestEntry, len(part))
		for i, id := range part {
			entries[i] = types.ChangeMessageVisibilityBatchRequestEntry{
				Id: aws.String(strconv.Itoa(i)), ReceiptHandle: aws.String(q.held[id].handle),
				VisibilityTimeout: int32(visibility / time.Second), //nolint:gosec // hours at most
			}
		}
		out, err := q.client.ChangeMessageVisibilityBatch(ctx, &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: &q.options.URL, Entries: entries})
		if err != nil {
			return q.explain(err, "ChangeMessageVisibilityBatch")
		}
		for i, id := range part {
			q.held[id] = holding{handle: q.held[id].handle, since: began}
			if slices.ContainsFunc(out.Failed, func(f types.BatchResultErrorEntry) bool { return aws.ToString(f.Id) == strconv.Itoa(i) }) {
				delete(q.held, id)
			}
		}
	}
	return nil
}

// Delete removes a message from the queue. When the answer is lost the message may be gone or not; it stays held, and Release returns it if
// it is still there.
func (q *Queue) Delete(ctx context.Context, id string) error {
	h := q.held[id]
	if !q.Holds(id) {
		return refuse(CodeQueueUnavailable, "Nothing: it comes again, and is then answered from the ledger.", "Message %s is not held any more, so it was not deleted.", id)
	}
	_, err := q.client.DeleteMessage(ctx, &sqs.DeleteMessageInput{QueueUrl: &q.options.URL, ReceiptHandle: &h.handle})
	if err != nil {
		return q.explain(err, "DeleteMessage")
	}
	delete(q.held, id)
	return nil
}
