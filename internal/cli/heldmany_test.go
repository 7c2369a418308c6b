package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/ingress/httpapi"
)

// withHeld is a counter of an admin, with calls that a pause of their profile holds.
func withHeld(t *testing.T, calls int, change ...func(*httpapi.Options)) *counter {
	t.Helper()
	c := newCounter(t, "", change...)
	c.as("ada")
	c.asks(ExitOK, "pause", "--profile", "alert", "--reason", "a storm")
	c.clock.advance(2 * time.Second) // within a second every process knows
	for n := range calls {
		c.asks(ExitOK, "calls", "place", c.wishes(fmt.Sprintf("n-%d", n), fmt.Sprintf("+819000000%03d", n+1)), "--wait", "10s")
	}
	c.service.rang(0)
	return c
}

func TestManyHeldCallsAreReleasedOrDroppedWhenTheirNumberIsTyped(t *testing.T) {
	t.Parallel()
	for act, want := range map[string]struct {
		words string
		rings int
	}{"release": {"released", 3}, "drop": {"dropped", 0}} {
		c := withHeld(t, 3)
		order := []string{"held", act, "--where", "profile=alert", "--where", "reason=paused_profile", "--reason", "over"}
		stdout, _ := c.asks(ExitOK, append(order, "--dry-run")...)
		says(t, stdout, "dry run: 3 calls would be "+want.words+", and nothing was ordered", "+81******0001 received waiting")
		for _, typed := range []string{"", "y\n", "2\n"} {
			c.stdin = typed
			_, stderr := c.asks(ExitRefused, order...)
			says(t, stderr, "3 held calls would be "+want.words+". Type 3 to go on:", "Not confirmed: nothing was done.")
		}
		c.stdin = "3\n"
		stdout, _ = c.asks(ExitOK, order...)
		says(t, stdout, "is done: 3 of 3 calls are "+want.words, want.words)
		c.service.sweep()
		c.service.rang(want.rings)
		stdout, _ = c.asks(ExitOK, "orders", "list")
		says(t, stdout, act+"Held done 3 3 ada")
		c.asks(ExitRefused, order...) // nothing is held any more
	}
}

func TestAnOrderForHeldCallsIsConfirmedByASecondPersonOnTheCommandLine(t *testing.T) {
	t.Parallel()
	c := withHeld(t, 2, func(o *httpapi.Options) { o.TwoPerson = true })
	stdout, _ := c.asks(ExitOK, "held", "release", "--where", "profile=alert", "--reason", "over", "--dry-run", "--json")
	dry := each[orderShown](t, stdout)[0]
	stdout, _ = c.asks(ExitOK, "held", "release", "--where", "profile=alert", "--reason", "over", "--seen", dry.Digest[:12], "--json")
	o := each[orderShown](t, stdout)[0]
	c.service.sweep()
	c.service.rang(0)
	stdout, _ = c.as("bea").asks(ExitOK, "orders", "confirm", o.ID, "--seen", o.Digest[:12])
	says(t, stdout, "is done: 2 of 2 calls are released")
	c.service.sweep()
	c.service.rang(2)
}

func TestWhatIsNoChoiceOfHeldCallsIsMisuse(t *testing.T) {
	t.Parallel()
	c := withHeld(t, 1)
	for args, says := range map[string]string{
		"":                                     "No call is named.",
		"--dry-run abcdefgh":                   "go with --where",
		"--where profile=alert abcdefgh":       "An id and --where are both given.",
		"--where profile":                      "--where has no value",
		"--where state=placed":                 "--where does not know state.",
		"--where profile=a --where profile=b":  "--where names profile twice.",
		"--where acceptedAfter=now":            "--where has no time",
		"--where profile=alert --seen abc":     "--seen is too short.",
		"--where profile=alert --actor nobody": "--actor is given",
	} {
		_, stderr := c.asks(ExitUsage, append([]string{"held", "drop", "--reason", "x"}, strings.Fields(args)...)...)
		if !strings.Contains(stderr, says) {
			t.Errorf("%q: %s", args, stderr)
		}
	}
	if p := c.here("held", "drop", "--reason", "x", "--where", "profile=alert"); p.code != ExitUsage || !strings.Contains(p.stderr, "--where asks a service") {
		t.Error(p)
	}
}
