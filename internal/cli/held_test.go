package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// waiting is a desk with two calls that were throttled.
func twoHeld(t *testing.T) *desk {
	t.Helper()
	d := newDesk(t, "")
	d.faults("throttle times=2")
	d.request(ExitOK, "n-1", "+819000000001", "--no-sweep")
	d.clock.advance(time.Second)
	d.request(ExitOK, "n-2", "+819000000002", "--no-sweep")
	if n := d.telephone.RingCount(); n != 0 {
		t.Fatalf("%d rings", n)
	}
	return d
}

func (d *desk) held() []heldCall {
	d.t.Helper()
	stdout, _ := d.run(ExitOK, "held", "list", "--json")
	return each[heldCall](d.t, stdout)
}

func TestHeldCallsAreListedWithWhyAndUntilWhenTheFirstDueFirst(t *testing.T) {
	t.Parallel()
	d := twoHeld(t)
	calls := d.held()
	if len(calls) != 2 || calls[0].NotificationID != "n-1" || calls[0].Reason != "throttled" || calls[0].Due.After(calls[1].Due) || calls[0].Destination != "+81******0001" || calls[0].Profile != "alert" {
		t.Fatalf("%+v", calls)
	}
	stdout, _ := d.run(ExitOK, "held", "list")
	says(t, stdout, "CALL NOTIFICATION RECIPIENT RING NUMBER PROFILE WHY UNTIL NEXT EXPIRES", short(calls[0].ID)+" n-1 user-1 0 +81******0001 alert throttled 20",
		"REASON CALLS FIRST WHAT IT WAITS FOR throttled 2 ", "Amazon Connect throttles")
	stdout, _ = d.run(ExitOK, "held", "list", "--limit", "1")
	says(t, stdout, "there are 1 more; --limit shows more than 1", "throttled 2 ")
	for _, none := range [][]string{{"--reason", "quiet_hours"}, {"--profile", "other"}} {
		stdout, _ = d.run(ExitOK, append([]string{"held", "list"}, none...)...)
		says(t, stdout, "no call is held")
	}
	stdout, _ = d.run(ExitOK, "held", "list", "--reason", "throttled", "--reason", "quiet_hours", "--profile", "alert", "--json", "--summary")
	if counts := each[heldCount](t, stdout); len(counts) != 1 || counts[0].Calls != 2 || !counts[0].First.Equal(calls[0].Due) {
		t.Errorf("%+v", counts)
	}
	stdout, _ = d.run(ExitOK, "calls", "show", calls[0].ID)
	says(t, stdout, "held throttled", "next step ", ": Amazon Connect throttles")
	_, stderr := d.run(ExitUsage, "held", "list", "--limit", "0")
	says(t, stderr, "--limit is not positive.")
}

func TestACallOfAPausedProfileWaitsForAPerson(t *testing.T) {
	t.Parallel()
	d := newDesk(t, ", paused: true")
	d.request(ExitOK, "n-1", "+819000000001")
	h := d.held()[0]
	if !h.Parked || h.Reason != "paused" {
		t.Errorf("%+v", h)
	}
	stdout, _ := d.run(ExitOK, "held", "list")
	says(t, stdout, "paused a person acts in ")
	_, stderr := d.run(ExitRefused, "held", "release", h.ID, "--reason", "it is urgent")
	says(t, stderr, "The configuration pauses the profile of this call", "Let the profile go on in the configuration")
}

func TestAReleasedCallRingsNowAndItsHistorySaysWhoAndWhy(t *testing.T) {
	t.Parallel()
	d := twoHeld(t)
	id := d.held()[1].ID
	stdout, _ := d.run(ExitOK, "held", "release", short(id), "--reason", "the boiler leaks", "--actor", "kim")
	says(t, stdout, "call "+short(id)+" is placed: ", "contact ")
	if n := len(d.telephone.RingsFor("+819000000002")); n != 1 || d.telephone.RingCount() != 1 {
		t.Errorf("%d rings", n)
	}
	stdout, _ = d.run(ExitOK, "calls", "show", id)
	says(t, stdout, "urgent released by kim", "released: it may ring now, whatever the hours, the caps and a pause of its profile: the boiler leaks (by kim)")
	_, stderr := d.run(ExitRefused, "held", "release", id, "--reason", "me too")
	says(t, stderr, "The call is not held: it is placed. Look at it with ringonce calls show.")
	_, stderr = d.run(ExitUsage, "held", "release", id)
	says(t, stderr, "Missing flags: --reason=TEXT.")
	if left := d.held(); len(left) != 1 || left[0].NotificationID != "n-1" {
		t.Errorf("%+v", left)
	}
}

// A person's word does not lift the limits of Amazon Connect: the call is held again, and the answer says until when.
func TestAReleasedCallThatMustWaitAllTheSameSaysSo(t *testing.T) {
	t.Parallel()
	d := twoHeld(t)
	d.faults("throttle times=1")
	id := d.held()[0].ID
	stdout, _ := d.run(ExitOK, "held", "release", id, "--reason", "the boiler leaks", "--json")
	if acted := each[heldActed](t, stdout)[0]; acted.State != call.Received || acted.Reason != "throttled" || acted.Due.IsZero() {
		t.Errorf("%+v", acted)
	}
	h := d.held()
	for _, c := range h {
		if (c.ID == id) != (c.Released != "") {
			t.Errorf("%+v", c)
		}
	}
	d.faults("throttle times=1")
	stdout, _ = d.run(ExitOK, "held", "release", id, "--reason", "once more")
	says(t, stdout, "is received: ", "held in ", "until 20", ": Amazon Connect throttles")
}

func TestADroppedCallStaysDroppedAndItsHistorySaysWhoAndWhy(t *testing.T) {
	t.Parallel()
	d := twoHeld(t)
	id := d.held()[0].ID
	stdout, _ := d.run(ExitOK, "held", "drop", id, "--reason", "they called back", "--actor", "kim")
	says(t, stdout, "call "+short(id)+" is canceled: ", "why A person dropped it: they called back")
	d.again(ExitOK, "n-1")
	d.clock.advance(time.Hour)
	d.again(ExitOK, "n-1")
	if n := len(d.telephone.RingsFor("+819000000001")); n != 0 || d.telephone.RingCount() != 1 {
		t.Errorf("%d rings of the dropped call, %d in all", n, d.telephone.RingCount())
	}
	stdout, _ = d.run(ExitOK, "calls", "show", id)
	says(t, stdout, "dropped by a person: they called back (by kim)")
	_, stderr := d.run(ExitRefused, "held", "drop", id, "--reason", "again")
	says(t, stderr, "The call is not held: it is canceled.")
	if _, stderr = d.run(ExitRefused, "held", "drop", "AAAAAAAA", "--reason", "x"); !strings.Contains(stderr, "No call has this id.") {
		t.Error(stderr)
	}
}
