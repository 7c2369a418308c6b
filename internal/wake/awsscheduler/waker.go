package awsscheduler

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

// Waker implements call.Waker. It holds no connection before its first hint, which a function that never holds a call never gives.
type Waker struct {
	options   Options
	queue     func() *sqs.Client
	schedules func() *scheduler.Client
}

// New returns a Waker, or an *call.Error that names the setting that is missing.
func New(o Options) (*Waker, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if o.HTTPClient == nil {
		o.HTTPClient = newHTTPClient()
	}
	credentials := aws.NewCredentialsCache(o.Credentials)
	endpoint := (*string)(nil)
	if o.Endpoint != "" {
		endpoint = &o.Endpoint
	}
	// The clients are made from their options: the SDK's configuration loader reads files and the environment, and the environment must not
	// move hints.
	return &Waker{
		options: o,
		queue: sync.OnceValue(func() *sqs.Client {
			return sqs.New(sqs.Options{Region: o.Region, Credentials: credentials, HTTPClient: o.HTTPClient, Retryer: aws.NopRetryer{}, BaseEndpoint: endpoint})
		}),
		schedules: sync.OnceValue(func() *scheduler.Client {
			return scheduler.New(scheduler.Options{Region: o.Region, Credentials: credentials, HTTPClient: o.HTTPClient, Retryer: aws.NopRetryer{}, BaseEndpoint: endpoint})
		}),
	}, nil
}

func newHTTPClient() *http.Client {
	dialer := &net.Dialer{Timeout: tryTime}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, ForceAttemptHTTP2: false, MaxIdleConnsPerHost: 8,
			IdleConnTimeout: 50 * time.Second, TLSHandshakeTimeout: tryTime,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Wake implements call.Waker. A due within 15 minutes, or one that has passed, becomes a message; one beyond becomes a schedule, or without a
// role for schedules a message with the longest delay, which the engine gives again when it arrives too early.
func (w *Waker) Wake(ctx context.Context, rowID string, due time.Time) error {
	document, err := Document(rowID, due)
	if err != nil {
		return err
	}
	now := w.options.Clock.Now()
	wait := due.Sub(now) // saturates, so that the farthest due is far and not in the past
	if wait <= longestDelay || w.options.RoleARN == "" {
		return w.insist(ctx, "send a hint to the queue", func(ctx context.Context) error { return w.send(ctx, document, seconds(wait)) })
	}
	p := planFor(rowID, due, now)
	return w.insist(ctx, "make the schedule of a hint", func(ctx context.Context) error { return w.schedule(ctx, document, p) })
}

func (w *Waker) send(ctx context.Context, document string, delay int32) error {
	_, err := w.queue().SendMessage(ctx, &sqs.SendMessageInput{QueueUrl: &w.options.QueueURL, MessageBody: &document, DelaySeconds: delay})
	return err
}

func (w *Waker) schedule(ctx context.Context, document string, p plan) error {
	_, err := w.schedules().CreateSchedule(ctx, &scheduler.CreateScheduleInput{
		Name: &p.name, ClientToken: &p.token, GroupName: &w.options.Group, ScheduleExpression: &p.expression, ScheduleExpressionTimezone: aws.String("UTC"),
		FlexibleTimeWindow: &types.FlexibleTimeWindow{Mode: types.FlexibleTimeWindowModeOff}, ActionAfterCompletion: types.ActionAfterCompletionDelete,
		Target: &types.Target{Arn: &w.options.QueueARN, RoleArn: &w.options.RoleARN, Input: &document},
	})
	if exists(err) { // this hint, by an earlier try or another process
		return nil
	}
	return err
}
