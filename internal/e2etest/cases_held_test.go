//go:build integration

package e2etest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/scheduler"
	"github.com/aws/aws-sdk-go-v2/service/scheduler/types"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

func heldCases() []testCase {
	return []testCase{
		{"a held call whose delivery was acknowledged is woken by the sweep schedule", wokenBySchedule},
		{"a held call whose time limit passes expires in silence", expired},
	}
}

// wokenBySchedule has nothing but the schedule of a deployment to move the call on: every hint is lost.
func wokenBySchedule(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{Swept: true, Telephone: throttledOnce()})
	d.hold(t, asking(0))
	schedule, err := c.scheduler.CreateSchedule(t.Context(), &scheduler.CreateScheduleInput{
		Name: aws.String(c.name("sweep")), ScheduleExpression: aws.String("rate(1 minute)"),
		FlexibleTimeWindow: &types.FlexibleTimeWindow{Mode: types.FlexibleTimeWindowModeOff},
		Target:             &types.Target{Arn: &d.function, RoleArn: aws.String(role), Input: aws.String(sweepDocument)},
	})
	if err != nil {
		t.Fatalf("create the schedule: %v", err)
	}
	t.Logf("waiting for %s", *schedule.ScheduleArn)
	d.final(t, 1)
	d.expect(t, once(number(0)))
}

// expired holds a call until its notAfter has passed.
func expired(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{Swept: true, Telephone: connectemu.Config{Faults: connectemu.Plan{Rules: []connectemu.Rule{{Fault: connectemu.Throttle}}}}})
	r := asking(0)
	r.NotAfter = time.Now().Add(8 * time.Second).UTC().Format(time.RFC3339)
	d.hold(t, r)
	d.sweepUntilFinal(t, 1)
	c.send(t, d.queue, text(t, r))
	c.empty(t, d.queue)
	d.expect(t, want{states: map[call.State]int{call.Expired: 1}})
}

// throttledOnce is an Amazon Connect that refuses the first dial for its rate.
func throttledOnce() connectemu.Config {
	return connectemu.Config{Faults: connectemu.Plan{Rules: []connectemu.Rule{{Fault: connectemu.Throttle, Times: 1}}}}
}

// hold sends a request whose call is not dialed at once, and waits until its delivery was acknowledged.
func (d *deployment) hold(t *testing.T, r request) {
	t.Helper()
	d.send(t, d.queue, text(t, r))
	await(t, "wait for the held call", func(ctx context.Context) (string, error) {
		rows, err := d.rows(ctx)
		if err != nil || len(rows) == 1 {
			return "", err
		}
		return fmt.Sprintf("%d calls", len(rows)), nil
	})
	d.empty(t, d.queue)
	d.expect(t, want{states: map[call.State]int{call.Received: 1}})
}

// waitSuppressed waits until this many deliveries were answered from the ledger.
func (d *deployment) waitSuppressed(t *testing.T, want int) {
	t.Helper()
	await(t, "wait for suppressed deliveries", func(ctx context.Context) (string, error) {
		n, err := d.suppressed(ctx)
		if err != nil || n >= want {
			return "", err
		}
		return fmt.Sprintf("%d were suppressed, want %d", n, want), nil
	})
}
