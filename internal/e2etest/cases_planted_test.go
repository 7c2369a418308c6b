//go:build integration

package e2etest

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

// plantedCases are deployments with a defect: the verdict must complain, or it proves nothing.
func plantedCases() []testCase {
	return []testCase{
		{"planted: a changed token recipe without a ledger rings twice, and the verdict says so", plantedRecipe},
		{"planted: an empty table under another token recipe rings twice, and the verdict says so", plantedTable},
		{"planted: a mapping without partial batch responses loses a request, and the verdict says so", plantedWholeBatch},
	}
}

// plantedRecipe deploys a second function with another recipe on the same telephone network, as an update of a function does.
func plantedRecipe(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{NoLedger: true})
	c.send(t, d.queue, text(t, asking(0)), text(t, asking(0)))
	c.empty(t, d.queue)
	d.expect(t, want{rings: map[string]int{number(0): 1}}) // before the change all is well
	d.reconfigure(t, "token: {recipe: template, template: 'call-{notificationId}-{recipientId}'}")
	c.send(t, d.queue, text(t, asking(0)))
	d.rang(t, 2)
	c.empty(t, d.queue)
	complains(t, d.verdict(t, want{rings: map[string]int{number(0): 1}}), "rang 2 times, want 1")
}

// plantedTable gives the function an empty table, as a restore into the wrong name does. The token alone would still answer with the first
// contact, so its recipe is changed too.
func plantedTable(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{})
	c.send(t, d.queue, text(t, asking(0)))
	d.final(t, 1)
	c.empty(t, d.queue)
	d.expect(t, once(number(0)))
	recipe := "token: {recipe: template, template: 'call-{notificationId}-{recipientId}'}"
	d.table = c.name("calls")
	openTable(t, c.server.URL, recipe, d.table)
	d.reconfigure(t, recipe)
	c.send(t, d.queue, text(t, asking(0)))
	d.rang(t, 2)
	c.empty(t, d.queue)
	complaints := d.verdict(t, once(number(0)))
	complains(t, complaints, "rang 2 times, want 1")
	complains(t, complaints, "2 rings for one call")
}

// plantedWholeBatch throttles the dial. Without ReportBatchItemFailures in the mapping the answer that names the record is not read, and the
// message is deleted.
func plantedWholeBatch(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{WholeBatch: true, Telephone: throttledOnce()})
	c.send(t, d.queue, text(t, asking(0)))
	c.empty(t, d.queue)
	complaints := d.verdict(t, once(number(0)))
	complains(t, complaints, "rang 0 times, want 1")
	complains(t, complaints, "0 calls are "+string(call.Placed)+", want 1")
}

func complains(t *testing.T, complaints []string, about string) {
	t.Helper()
	if !strings.Contains(strings.Join(complaints, "\n"), about) {
		t.Errorf("the verdict is %q, want a complaint that %q", complaints, about)
	}
}
