//go:build integration

package e2etest

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// patience is how long a case waits for something that must happen: more than a lease, a pause of a profile and a sweep.
const patience = 150 * time.Second

// await waits until done says that there is nothing left to wait for; its text says what is missing.
func await(t *testing.T, what string, done func(ctx context.Context) (missing string, err error)) {
	t.Helper()
	var missing string
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); {
		var err error
		if missing, err = done(t.Context()); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if missing == "" {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("%s: %s", what, missing)
}

// empty waits until a queue holds no message.
func (c *cloud) empty(t *testing.T, q queue) { t.Helper(); c.holds(t, q, 0) }

// holds waits until a queue holds this many messages.
func (c *cloud) holds(t *testing.T, q queue, want int) {
	t.Helper()
	await(t, "wait for a queue", func(ctx context.Context) (string, error) {
		n, err := c.messages(ctx, q)
		if err != nil || n == want {
			return "", err
		}
		return fmt.Sprintf("%s holds %d messages, want %d", q.arn, n, want), nil
	})
}

// stand waits until the calls of the table are in these states: an invocation may still be at work after its messages went to the dead-letter queue.
func (d *deployment) stand(t *testing.T, want map[call.State]int) {
	t.Helper()
	await(t, "wait for the states of the calls", func(ctx context.Context) (string, error) {
		rows, err := d.rows(ctx)
		if err != nil {
			return "", err
		}
		got := map[call.State]int{}
		for _, row := range rows {
			got[row.State]++
		}
		if maps.Equal(got, want) {
			return "", nil
		}
		return fmt.Sprintf("the states are %v, want %v", got, want), nil
	})
}

// final waits until the table holds this many calls and all of them are final.
func (d *deployment) final(t *testing.T, want int) {
	t.Helper()
	await(t, "wait for the calls", func(ctx context.Context) (string, error) {
		rows, err := d.rows(ctx)
		if err != nil {
			return "", err
		}
		open := 0
		for _, row := range rows {
			if !row.State.Final() {
				open++
			}
		}
		if open > 0 || len(rows) != want {
			return fmt.Sprintf("%d calls, %d of them not final, want %d final ones", len(rows), open, want), nil
		}
		return "", nil
	})
}

// sweepUntilFinal sweeps as the schedule does, but more often, until no call is open.
func (d *deployment) sweepUntilFinal(t *testing.T, want int) {
	t.Helper()
	next := time.Now()
	await(t, "sweep the calls", func(ctx context.Context) (string, error) {
		if time.Now().After(next) {
			d.sweep(t)
			next = time.Now().Add(3 * time.Second)
		}
		rows, err := d.rows(ctx)
		if err != nil {
			return "", err
		}
		for _, row := range rows {
			if !row.State.Final() {
				return fmt.Sprintf("call %s is %s until %s: %s", row.ID, row.State, row.Due.Format(time.TimeOnly), row.DueReason), nil
			}
		}
		if len(rows) != want {
			return fmt.Sprintf("%d calls, want %d", len(rows), want), nil
		}
		return "", nil
	})
}

// due waits until every open call may be moved on.
func (d *deployment) due(t *testing.T) {
	t.Helper()
	await(t, "wait for the due times", func(ctx context.Context) (string, error) {
		rows, err := d.rows(ctx)
		if err != nil {
			return "", err
		}
		for _, row := range rows {
			if !row.State.Final() && row.Due.After(time.Now()) {
				return fmt.Sprintf("call %s is due at %s", row.ID, row.Due.Format(time.TimeOnly)), nil
			}
		}
		return "", nil
	})
}

// rang waits until the telephone has rung this often; more rings are a failure of the verdict, not of this.
func (d *deployment) rang(t *testing.T, want int) {
	t.Helper()
	await(t, "wait for the telephone", func(context.Context) (string, error) {
		if n := d.telephone.RingCount(); n < want {
			return fmt.Sprintf("%d rings, want %d", n, want), nil
		}
		return "", nil
	})
}

// rows returns every call of the table.
func (d *deployment) rows(ctx context.Context) ([]call.Call, error) {
	var rows []call.Call
	err := d.read.Store.Admin.Each(ctx, func(c call.Call, _ []call.Entry) error {
		rows = append(rows, c)
		return nil
	})
	return rows, err
}
