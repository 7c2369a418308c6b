//go:build integration

package e2etest

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/awstest"
	"github.com/ringonce/ringonce/internal/call"
)

func connectCases() []testCase {
	return []testCase{
		{"requests beyond the rate of Amazon Connect come back and ring once", throttledConnect},
		{"bad credentials pause the profile and lose nothing", badCredentials},
	}
}

// throttledConnect sends 20 requests at once to an Amazon Connect that takes 5 and then 2 a second.
func throttledConnect(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{Visibility: 2 * time.Second, MaxReceives: 100, Telephone: connectemu.Config{StartRate: connectemu.Rate{PerSecond: 2, Burst: 5}}})
	var bodies, numbers []string
	for n := range 20 {
		bodies, numbers = append(bodies, text(t, asking(n))), append(numbers, number(n))
	}
	c.send(t, d.queue, bodies...)
	d.final(t, len(bodies))
	c.empty(t, d.queue)
	throttled := 0
	for _, request := range d.telephone.Requests() {
		if request.Status == 429 {
			throttled++
		}
	}
	if throttled == 0 {
		t.Error("no request was throttled")
	}
	d.expect(t, once(numbers...))
}

// badCredentials sends requests while Amazon Connect does not take the function's signature. They are acknowledged, since a sweep runs;
// when the credentials are good again each of them rings.
func badCredentials(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{Swept: true})
	credentials := func(secret string) {
		if err := d.telephone.Update(func(config *connectemu.Config) {
			config.Credentials = map[string]string{awstest.MinistackAccount: secret}
		}); err != nil {
			t.Fatal(err)
		}
	}
	credentials("of somebody else")
	var numbers []string
	for n := range 5 {
		numbers = append(numbers, number(n))
		c.send(t, d.queue, text(t, asking(n)))
		c.empty(t, d.queue)
	}
	refused := len(d.telephone.Requests())
	if refused == 0 || refused == len(numbers) {
		t.Errorf("%d requests were refused, want fewer than requests: a paused profile sends nothing", refused)
	}
	d.expect(t, want{states: map[call.State]int{call.Received: len(numbers)}})
	credentials(awstest.MinistackSecret)
	d.sweepUntilFinal(t, len(numbers))
	d.expect(t, once(numbers...))
}
