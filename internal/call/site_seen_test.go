package call_test

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func keepsOutcomes(w *world) {
	w.change = append(w.change, tracked)
	w.lives(answeredLife)
}

// eventsOfAContact are told in an order that nobody would choose, and twice.
func eventsOfAContact(w *world) {
	w.deliver(request("n", start))
	told := answeredLife.events(w.phones.contacts[0])
	for _, i := range []int{2, 1, 0, 2} {
		w.tell("contact-1", told[i])
	}
	w.settle()
	if o := w.row("n", 0).Outcome; o != call.OutcomeAnswered {
		w.t.Errorf("the outcome is %q", o)
	}
}

// stoppedContact is canceled while it rings.
func stoppedContact(w *world) {
	w.lives(life{end: 3 * time.Second, reason: "TELECOM_ORIGINATOR_CANCEL"})
	w.deliver(request("n", start))
	w.clock.advance(2 * time.Second)
	w.deliver(cancel("n", start.Add(time.Second)))
	w.settle()
	if o := w.row("n", 0).Outcome; o != call.OutcomeEnded {
		w.t.Errorf("the outcome is %q", o)
	}
}
