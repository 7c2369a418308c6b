//go:build integration

package e2etest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func batchCases() []testCase {
	return []testCase{
		{"200 requests in 3 deliveries each make 200 rings", manyDeliveries},
		{"of a batch only the record that failed comes back", partialFailure},
	}
}

func manyDeliveries(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{})
	const requests, deliveries = 200, 3
	var bodies, numbers []string
	for n := range requests {
		numbers = append(numbers, number(n))
		for range deliveries {
			bodies = append(bodies, text(t, asking(n)))
		}
	}
	random := rand.New(rand.NewPCG(1, 2)) // an order of messages, the same in every run
	random.Shuffle(len(bodies), func(i, j int) { bodies[i], bodies[j] = bodies[j], bodies[i] })
	c.send(t, d.queue, bodies...)
	c.empty(t, d.queue)
	d.expect(t, once(numbers...))
	// A delivery that meets the dial of another one is returned, since no sweep runs, and suppressed when it comes back.
	if n, err := d.suppressed(t.Context()); err != nil || n < requests*(deliveries-1) {
		t.Errorf("%d deliveries were suppressed (%v), want %d or more", n, err, requests*(deliveries-1))
	}
}

// partialFailure sends nine good requests and one that cannot be read as one batch. Were the batch returned as a whole, all ten would end
// in the dead-letter queue.
func partialFailure(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{Visibility: time.Second, MaxReceives: 3})
	bodies := []string{`{"notificationId":"notification-0","recipientId":`}
	var numbers []string
	for n := 1; n < 10; n++ {
		bodies, numbers = append(bodies, text(t, asking(n))), append(numbers, number(n))
	}
	c.send(t, d.queue, bodies...)
	c.holds(t, d.dead, 1)
	c.empty(t, d.queue)
	w := once(numbers...)
	w.dead = 1
	d.expect(t, w)
	if rows, err := d.rows(t.Context()); err != nil || len(rows) != 9 || rows[0].State != call.Placed {
		t.Errorf("the table holds %d calls (%v), want 9 placed ones", len(rows), err)
	}
}
