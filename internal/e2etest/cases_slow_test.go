//go:build integration

package e2etest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/ringonce/ringonce/connectemu"
)

func slowCases() []testCase {
	return []testCase{
		{"a message that becomes visible during its dial rings once", visibleDuringDial},
		{"a function that times out between dial and record rings once, the record not applied", func(t *testing.T, c *cloud) { timedOut(t, c, hangBefore) }},
		{"a function that times out between dial and record rings once, the record applied", func(t *testing.T, c *cloud) { timedOut(t, c, hangAfter) }},
	}
}

// visibleDuringDial lets Amazon Connect answer later than the visibility of the message: a second invocation gets it while the first still
// waits.
func visibleDuringDial(t *testing.T, c *cloud) {
	late := connectemu.Plan{Rules: []connectemu.Rule{{Fault: connectemu.PlaceThenDelay, Delay: 4 * time.Second, Nth: 1}}}
	d := deploy(t, c, setting{Visibility: time.Second, MaxReceives: 20, Telephone: connectemu.Config{Faults: late}})
	c.send(t, d.queue, text(t, asking(0)))
	d.rang(t, 1)
	d.waitSuppressed(t, 1)
	d.final(t, 1)
	c.empty(t, d.queue)
	d.expect(t, once(number(0)))
	if sent := len(d.telephone.Requests()); sent != 1 {
		t.Errorf("%d requests on the wire, want the first one alone", sent)
	}
}

// timedOut lets the telephone ring and answer late, and then the table hang: the function is killed by its timeout before it could record
// the contact. Redelivery finds an open attempt that may still be under way; the sweep resends it with its token after the lease.
func timedOut(t *testing.T, c *cloud, how hang) {
	late := connectemu.Plan{Rules: []connectemu.Rule{{Fault: connectemu.PlaceThenDelay, Delay: 9 * time.Second, Nth: 1}}}
	d := deploy(t, c, setting{Timeout: 17 * time.Second, Visibility: 19 * time.Second, Swept: true, Telephone: connectemu.Config{Faults: late}})
	d.wire.hang.Store(int32(how))
	c.send(t, d.queue, text(t, asking(0)))
	d.rang(t, 1)
	await(t, "wait for the timeout of the function", func(ctx context.Context) (string, error) {
		mapping, err := d.lambda.GetEventSourceMapping(ctx, &lambda.GetEventSourceMappingInput{UUID: &d.mapping})
		if err != nil || (mapping.LastProcessingResult != nil && *mapping.LastProcessingResult == "FAILED") {
			return "", err
		}
		return fmt.Sprintf("the last result is %v", mapping.LastProcessingResult), nil
	})
	if log := d.server.Log(nameOf(d.function)); d.wire.hung.Load() == 0 || !strings.Contains(log, "Task timed out") {
		t.Errorf("%d writes hung, and the server says:\n%s", d.wire.hung.Load(), tail(log))
	}
	d.wire.hang.Store(int32(wireWorks))
	d.sweepUntilFinal(t, 1)
	c.empty(t, d.queue)
	d.expect(t, once(number(0)))
}
