//go:build integration

package e2etest

import (
	"fmt"
	"testing"
)

func wakeCases() []testCase {
	return []testCase{
		{"a held call whose delivery was acknowledged is woken by its hint", wokenByHint},
	}
}

// wokenByHint has no sweep after the first one: only the message that the function sent to itself can move the call on.
func wokenByHint(t *testing.T, c *cloud) {
	wake := makeQueue(t, c, "wake", nil)
	d := deploy(t, c, setting{
		Swept: true, Telephone: throttledOnce(),
		Config: fmt.Sprintf("wake: {queue_url: %q, region: us-east-1, endpoint: %q}", wake.url, c.server.URL),
	})
	d.mapQueue(t, wake)
	d.hold(t, asking(0))
	d.final(t, 1)
	d.expect(t, once(number(0)))
	c.empty(t, wake)
}
