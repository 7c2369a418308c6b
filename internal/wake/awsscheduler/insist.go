package awsscheduler

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"
	"github.com/aws/smithy-go"
)

// The bounds of one hint: no delivery waits longer for it, whatever the service does.
const (
	wakeTime = 1500 * time.Millisecond
	tryTime  = 700 * time.Millisecond // a connection that died while a function was frozen must leave time for another try
	tries    = 3
	pause    = 50 * time.Millisecond // doubled after each try, spread by half in both directions
)

// insist sends a request until it is answered or not worth another try. Every failure but a refusal is worth one: a hint may come twice.
func (w *Waker) insist(ctx context.Context, during string, send func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, wakeTime)
	defer cancel()
	var err error
	for try := range tries {
		if try > 0 && w.options.Clock.Sleep(ctx, w.spread(pause<<(try-1))) != nil {
			break // the time is up; err says why it was needed
		}
		if err = once(ctx, send); err == nil || refused(err) || ctx.Err() != nil {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", during, err)
	}
	return nil
}

func once(ctx context.Context, send func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	return send(ctx)
}

// spread stretches or shortens a pause at random, so that workers which were throttled together do not come back together.
func (w *Waker) spread(d time.Duration) time.Duration {
	var b [1]byte
	if _, err := io.ReadFull(w.options.Random, b[:]); err != nil {
		return d
	}
	return d/2 + d*time.Duration(b[0])/256
}

// throttles are the codes by which the services, and AWS in general, ask for patience. Without them a refusal stays a refusal.
func throttles() []string {
	return []string{"ThrottlingException", "Throttling", "RequestThrottled", "TooManyRequestsException", "KmsThrottled", "KMS.ThrottlingException"}
}

// refused reports whether the service looked at the request and will not do it, however often it is asked.
func refused(err error) bool {
	coded, ok := errors.AsType[smithy.APIError](err)
	if !ok || slices.Contains(throttles(), coded.ErrorCode()) {
		return false
	}
	status := 0
	if response, ok := errors.AsType[interface {
		error
		HTTPStatusCode() int
	}](err); ok {
		status = response.HTTPStatusCode()
	}
	return status >= 400 && status < 500 && status != 429
}

// exists reports whether the schedule is there already. The model names no other meaning of the code for this operation
// (facts/idempotent-apis.json, scheduler CreateSchedule); if there is one, the hint is lost and the sweep finds the row.
func exists(err error) bool {
	_, conflict := errors.AsType[*types.ConflictException](err)
	return conflict
}
