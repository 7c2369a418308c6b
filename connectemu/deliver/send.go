package deliver

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/ringonce/ringonce/connectemu"
)

// maxAnswer is how much of an answer is read.
const maxAnswer = 64 << 10

// endpoint is an HTTP server that takes events as they are.
type endpoint struct {
	url     string
	options Options
}

// Deliver implements [connectemu.EventSink].
func (e endpoint) Deliver(ctx context.Context, event connectemu.Event) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(event.Document))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	_, err = e.options.send(r)
	return err
}

// queue is an SQS queue.
type queue struct {
	url     string
	options Options
}

// Deliver implements [connectemu.EventSink].
func (q queue) Deliver(ctx context.Context, event connectemu.Event) error {
	_, err := q.options.call(ctx, q.url, "sqs", "1.0", "AmazonSQS.SendMessage", map[string]string{
		"QueueUrl": q.url, "MessageBody": string(event.Document),
	})
	return err
}

// bus is a bus of EventBridge.
type bus struct {
	url, name string
	options   Options
}

// Deliver implements [connectemu.EventSink].
func (b bus) Deliver(ctx context.Context, event connectemu.Event) error {
	var document struct {
		Source     string          `json:"source"`
		DetailType string          `json:"detail-type"`
		Resources  []string        `json:"resources"`
		Detail     json.RawMessage `json:"detail"`
	}
	if err := json.Unmarshal(event.Document, &document); err != nil {
		return fmt.Errorf("read the event: %w", err)
	}
	answer, err := b.options.call(ctx, b.url, "events", "1.1", "AWSEvents.PutEvents", map[string]any{
		"Entries": []map[string]any{{
			"EventBusName": b.name, "Source": document.Source, "DetailType": document.DetailType, "Detail": string(document.Detail),
			"Resources": document.Resources, "Time": float64(event.At.UnixMilli()) / 1000,
		}},
	})
	if err != nil {
		return err
	}
	var result struct {
		FailedEntryCount int
		Entries          []struct{ ErrorCode, ErrorMessage string }
	}
	if err := json.Unmarshal(answer, &result); err != nil {
		return fmt.Errorf("read the answer of PutEvents: %w", err)
	}
	if result.FailedEntryCount != 0 {
		return fmt.Errorf("PutEvents refused the event: %+v", result.Entries)
	}
	return nil
}

// call sends one request of an AWS JSON protocol and returns the body of the answer.
func (o Options) call(ctx context.Context, url, service, version, operation string, input any) ([]byte, error) {
	body, err := json.Marshal(input)
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/x-amz-json-"+version)
	r.Header.Set("X-Amz-Target", operation)
	hash := sha256.Sum256(body)
	credentials := aws.Credentials{AccessKeyID: o.AccessKey, SecretAccessKey: o.SecretKey, SessionToken: o.SessionToken}
	if err := v4.NewSigner().SignHTTP(ctx, credentials, r, hex.EncodeToString(hash[:]), service, o.Region, o.Now()); err != nil {
		return nil, err
	}
	return o.send(r)
}

// send returns the body of an answer of 2xx; every other answer is an error.
func (o Options) send(r *http.Request) (answer []byte, err error) {
	response, err := o.Client.Do(r) //nolint:gosec // the user names the target, which To has checked
	if err != nil {
		return nil, err
	}
	defer func() {
		if failed := response.Body.Close(); err == nil {
			err = failed
		}
	}()
	answer, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		return nil, fmt.Errorf("%s answered %s: %.200q", r.URL.Host, response.Status, answer)
	}
	return answer, nil
}
