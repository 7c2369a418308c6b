package scenariotest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// A number of a range that the plan does not know as a person's: a new prefix looks the same. It ends in zeros and is nobody's.
const unknownNumber = "+81" + "60200" + "00000"

func TestScenarioV65AnUnknownPrefixWarnsAndItsRequestIsNotDropped(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	allow := func(rules ...string) func(*app.Config) {
		return func(c *app.Config) { c.Destinations = app.Destinations{Allow: rules} }
	}
	play(t, setting{config: allow("JP"), log: &log}, func(w *world) {
		request := wish(1).with("destinationPhoneNumber", unknownNumber)
		for range 3 { // each delivery goes back to its queue and so to its dead letters, with the code
			out := w.send(request)
			w.met(out, call.MetRefused, call.AckRefuse)
			if out.Code != call.CodeDestinationDenied || !strings.Contains(out.Message, "personal") || !strings.Contains(out.Fix, "destinations.allow") {
				t.Errorf("refused with %s: %s %s", out.Code, out.Message, out.Fix)
			}
		}
		w.asked(0)
		if told := strings.Count(log.String(), `"msg":"prefix-refused"`); told != 1 {
			t.Errorf("%d warnings for one prefix", told)
		}
		w.restart(allow("JP", "+8160")) // the option; the request of the dead letters then rings
		w.met(w.send(request), call.MetPlaced, call.AckDone)
		w.rang(1)
	})
}
