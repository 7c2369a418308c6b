package scenariotest

import (
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
)

func TestScenarioV58ATimeZoneThatIsNoneIsRefusedWithASuggestion(t *testing.T) {
	t.Parallel()
	everywhere(t, setting{}, func(w *world) {
		for zone, says := range map[string]string{"": "Asia/Tokyo", "JST": "Asia/Tokyo", "Asia/Tokio": "Asia/Tokyo", "Local": "IANA", "+09:00": "IANA"} {
			out := w.send(wish(1).with("timeZone", zone))
			if out.Ack != call.AckRefuse || out.Code != call.CodeFieldValue || !strings.Contains(out.Message, "timeZone") || !strings.Contains(out.Fix, says) {
				t.Errorf("%q: %s to the queue, %s: %s %s", zone, out.Ack, out.Code, out.Message, out.Fix)
			}
		}
		w.asked(0)
		if row := w.row(wish(1), 0); row.ID != "" {
			t.Errorf("a refused request left a row: %v", row)
		}
		asked := wish(1).with("timeZone", "Asia/Tokyo").with("urgent", true)
		w.met(w.send(asked), call.MetPlaced, call.AckDone)
		w.suppressed(w.send(wish(1).with("timeZone", "America/New_York")), call.ReasonDuplicate, wish(1)) // it says when, not what: no conflict
		if row := w.stands(wish(1), call.Placed); row.Zone != "Asia/Tokyo" || !row.Urgent {
			t.Errorf("the row has zone %q, urgent %t", row.Zone, row.Urgent)
		}
		w.met(w.send(wish(1).with("timeZone", "JST").with("action", "cancel")), call.MetCancelKept, call.AckDone) // needs the ids only
		w.rang(1)
	})
}
