package cli

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestWhatAPersonAcknowledgesDoesNotRing(t *testing.T) {
	t.Parallel()
	d := twoHeld(t)
	first := d.held()[0].ID
	stdout, _ := d.run(ExitOK, "calls", "acknowledge", short(first), "--actor", "ann")
	says(t, stdout, "acknowledged: nothing rings any more", "is canceled:")
	d.clock.advance(time.Hour)
	d.request(ExitOK, "n-3", "+819000000003") // and a sweep
	if n := d.telephone.RingCount(); n != 2 { // this one, and the other that waited
		t.Errorf("%d rings, want those of the two others", n)
	}
	stdout, _ = d.run(ExitOK, "calls", "show", first)
	says(t, stdout, "an acknowledgment arrived for this ring", "acknowledged 20")
}

func TestWhatRingsAlreadyIsHungUpByAnAcknowledgmentAndShownAsTooLate(t *testing.T) {
	t.Parallel()
	d := newDesk(t, "")
	d.request(ExitOK, "n-1", "+819000000001")
	d.clock.advance(3 * time.Second)
	stdout, _ := d.run(ExitOK, "calls", "list", "--json")
	id := each[listed](t, stdout)[0].ID
	stdout, _ = d.run(ExitOK, "calls", "acknowledge", id, "--json")
	answer := each[acknowledged](t, stdout)[0]
	if answer.State != call.Placed || answer.TooLate == "" {
		t.Errorf("%+v", answer)
	}
	_, stderr := d.run(ExitRefused, "calls", "acknowledge", "abcdefgh")
	says(t, stderr, "No call has this id.")
}
