package awsscheduler

import (
	"context"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/ringonce/ringonce/internal/call"
)

// HTTPClient sends requests; *http.Client is one.
type HTTPClient = aws.HTTPClient

// Clock is the part of call.Clock that is needed here.
type Clock interface {
	// Now returns the current time.
	Now() time.Time
	// Sleep waits until d has passed on this clock or the context ends, whose error it then returns.
	Sleep(ctx context.Context, d time.Duration) error
}

// Options is what a Waker is made of. QueueURL, Region, Credentials, Clock and Random are required.
type Options struct {
	QueueURL string // of a standard queue that feeds the function
	QueueARN string // of the same queue; needed with RoleARN
	RoleARN  string // what EventBridge Scheduler sends as; empty means that no schedules are made
	Group    string // of the schedules; empty means default

	Region      string
	Endpoint    string // of an emulator that answers for both services; empty means those of AWS
	Credentials aws.CredentialsProvider
	HTTPClient  HTTPClient // nil means one with short timeouts
	Clock       Clock
	Random      io.Reader // for the spread of pauses; safe for concurrent use
}

func (o Options) complete() (Options, error) {
	switch {
	case o.QueueURL == "":
		return o, misconfigured("wake.queue_url", "Name the queue that feeds the function.", "is missing.")
	case o.RoleARN != "" && o.QueueARN == "":
		return o, misconfigured("wake.queue_arn", "Name the ARN of the queue.", "is missing, and wake.role_arn is set.")
	case o.Region == "":
		return o, misconfigured("wake.region", "Name the Region of the queue.", "is missing.")
	case o.Credentials == nil || o.Clock == nil || o.Random == nil:
		return o, misconfigured("wake", "Fill every required member of awsscheduler.Options.", "lacks credentials, a clock or randomness.")
	}
	if o.Group == "" {
		o.Group = "default"
	}
	return o, nil
}

func misconfigured(field, fix, what string) error {
	return &call.Error{Code: call.CodeConfiguration, Field: field, Message: field + " " + what, Fix: fix}
}
