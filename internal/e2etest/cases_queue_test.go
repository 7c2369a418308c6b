//go:build integration

package e2etest

import (
	"fmt"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

func queueCases() []testCase {
	return []testCase{
		{"what went to the dead-letter queue and is redriven rings at most once", redriven},
		{"two queues of one key space ring once", oneKeySpace},
		{"a group of a FIFO queue rings once each and in order", fifo},
		{"two queues with key spaces of their own are two requests", twoKeySpaces},
	}
}

// redriven sends three messages to the dead-letter queue: one that nobody can read, one whose dial is throttled, and one that rings while
// its answer is lost every time. No sweep runs, so the queue keeps them. Then the telephone network recovers, and everything is redriven
// under new message ids, twice.
func redriven(t *testing.T, c *cloud) {
	throttled, lost := asking(1), asking(2)
	faults := connectemu.Plan{Rules: []connectemu.Rule{
		{Fault: connectemu.Throttle, Number: throttled.Number},
		{Fault: connectemu.PlaceThenReset, Number: lost.Number},
	}}
	d := deploy(t, c, setting{Visibility: time.Second, MaxReceives: 2, Telephone: connectemu.Config{Faults: faults}})
	c.send(t, d.queue, `{"notificationId":"notification-0"`, text(t, throttled), text(t, lost))
	c.holds(t, d.dead, 3)
	c.empty(t, d.queue)
	between := map[call.State]int{call.Received: 1, call.Dialing: 1}
	d.stand(t, between)
	d.expect(t, want{rings: map[string]int{lost.Number: 1}, dead: 3, states: between})
	if err := d.telephone.SetPlan(connectemu.Plan{}); err != nil {
		t.Fatal(err)
	}
	d.due(t) // the queue gives each message two chances only
	if moved := d.redrive(t); moved != 3 {
		t.Errorf("%d messages were redriven", moved)
	}
	c.send(t, d.queue, text(t, throttled), text(t, lost)) // a second copy of each, as from an archive
	c.holds(t, d.dead, 1)
	c.empty(t, d.queue)
	w := once(throttled.Number, lost.Number)
	w.dead = 1
	d.expect(t, w)
}

func oneKeySpace(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{})
	second := makeQueue(t, c, "second", d.attributes())
	d.mapQueue(t, second)
	body := text(t, asking(0))
	c.send(t, d.queue, body, body)
	c.send(t, second, body, body)
	c.empty(t, d.queue)
	c.empty(t, second)
	d.expect(t, once(number(0)))
	d.waitSuppressed(t, 3)
}

// fifo sends a group twice, under other deduplication ids the second time: what SQS recognizes itself never reaches the function.
func fifo(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{})
	created, err := c.sqs.CreateQueue(t.Context(), &sqs.CreateQueueInput{
		QueueName: aws.String(c.name("group") + ".fifo"), Attributes: map[string]string{"FifoQueue": "true", "VisibilityTimeout": "5"},
	})
	if err != nil {
		t.Fatalf("create a FIFO queue: %v", err)
	}
	group := c.queueOf(t, created.QueueUrl)
	d.mapQueue(t, group)
	var numbers []string
	for n := range 5 {
		numbers = append(numbers, number(n))
	}
	for round := range 2 {
		for n := range numbers {
			if _, err := c.sqs.SendMessage(t.Context(), &sqs.SendMessageInput{
				QueueUrl: &group.url, MessageBody: aws.String(text(t, asking(n))), MessageGroupId: aws.String("orders"),
				MessageDeduplicationId: aws.String(fmt.Sprint(round, "-", n)),
			}); err != nil {
				t.Fatalf("send to a FIFO queue: %v", err)
			}
		}
	}
	c.empty(t, group)
	d.expect(t, once(numbers...))
	for i, ring := range d.telephone.Rings() {
		if ring.Number != numbers[i] {
			t.Errorf("ring %d was %s, want %s", i, masked(ring.Number), masked(numbers[i]))
		}
	}
}

func twoKeySpaces(t *testing.T, c *cloud) {
	second := makeQueue(t, c, "second", nil)
	d := deploy(t, c, setting{Config: "producers: [{arn: " + second.arn + ", key_space: second}]"})
	d.mapQueue(t, second)
	body := text(t, asking(0))
	c.send(t, d.queue, body, body)
	c.send(t, second, body, body)
	c.empty(t, d.queue)
	c.empty(t, second)
	d.expect(t, want{rings: map[string]int{number(0): 2}, states: map[call.State]int{call.Placed: 2}})
}
