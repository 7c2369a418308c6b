package dialtest

import (
	"errors"
	"testing"
	"time"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/call"
)

// readChecks hold the ways back from a contact to its call.
func readChecks(kind call.Kind) []question {
	checks := []question{
		{"read/describe", checkDescribe},
		{"read/describe nothing", checkDescribeNothing},
		{"read/describe fails", checkDescribeFails},
		{"read/an empty success is no answer", checkEmptySuccess},
		{"read/stop", checkStop},
		{"read/date of the injected clock", checkReadDate},
	}
	if kind == call.KindVoice {
		checks = append(checks, question{"read/describe an unmarked contact", checkDescribeUnmarked}, question{"read/what became of a contact", checkDescribeLife})
	}
	if kind != call.KindChat { // which has no name to be found by
		checks = append(checks, question{"read/search", checkSearch}, question{"read/search over pages", checkSearchPages})
	}
	return checks
}

// placed dials one order and returns its contact id.
func (l *Lab) placed(tb testing.TB, d call.Dialer, o call.Order) string {
	tb.Helper()
	got := d.Dial(tb.Context(), l.send(tb, d, o))
	if got.Class != call.ClassOK {
		tb.Fatalf("dial: %+v", got)
	}
	return got.ContactID
}

func checkDescribe(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	o := order(tb, c.kind, answering, 1)
	id := lab.placed(tb, d, o)
	contact, err := d.Describe(tb.Context(), lab.target(), id)
	if err != nil || contact.ID != id || contact.CallID != o.CallID || !contact.Initiated.Equal(start) || !contact.Disconnected.IsZero() {
		tb.Errorf("Describe = %+v, %v while the call lasts", contact, err)
	}
	lab.advance(3 * time.Hour) // longer than any contact of the lab
	contact, err = d.Describe(tb.Context(), lab.target(), id)
	if err != nil || contact.CallID != o.CallID || !contact.Disconnected.After(start) {
		tb.Errorf("Describe = %+v, %v after the call", contact, err)
	}
}

func checkDescribeNothing(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	if contact, err := d.Describe(tb.Context(), lab.target(), flowID); !errors.Is(err, call.ErrNotFound) {
		tb.Errorf("Describe = %+v, %v of a contact that does not exist, want ErrNotFound", contact, err)
	}
}

func checkDescribeUnmarked(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	o := order(tb, c.kind, answering, 1)
	o.Profile.Unmarked = true
	contact, err := d.Describe(tb.Context(), lab.target(), lab.placed(tb, d, o))
	if err != nil || contact.CallID != "" || contact.Name != "" || !contact.Initiated.Equal(start) {
		tb.Errorf("Describe = %+v, %v, want no mark", contact, err)
	}
}

// checkDescribeLife compares what is told of contacts of every fate with what the emulator did with them, at each turn of their lives.
func checkDescribeLife(tb testing.TB, c candidate) {
	tb.Helper()
	for n, fate := range []connectemu.Fate{
		connectemu.FateAgentEnds, connectemu.FateFlowEnds, connectemu.FateBusy, connectemu.FateNoAnswer, connectemu.FateNoReason, connectemu.FateBlocked,
	} {
		lab := newLab(tb, c.kind, nil)
		if err := lab.emulator.SetPhone(answering, fate); err != nil {
			tb.Fatal(err)
		}
		d := c.open(tb, lab)
		id := lab.placed(tb, d, order(tb, c.kind, answering, n))
		for _, later := range []time.Duration{0, connectemu.DefaultRingTime, 10 * time.Second, time.Hour} {
			lab.advance(later)
			truth, _ := lab.emulator.Contact(id)
			contact, err := d.Describe(tb.Context(), lab.target(), id)
			s := contact.Sight
			if err != nil || !s.Initiated.Equal(start) || !s.Connected.Equal(truth.ConnectedAt) || !s.Disconnected.Equal(truth.DisconnectedAt) ||
				s.Reason.Text != truth.DisconnectReason || (s.Reason.Text != "" && !s.Reason.At.Equal(truth.DisconnectedAt)) {
				tb.Errorf("%s: Describe = %+v, %v, and the contact is %+v", fate, s, err, truth)
			}
			if over := !truth.DisconnectedAt.IsZero(); over && (s.Agent.IsZero() != (fate != connectemu.FateAgentEnds) || s.Queued.IsZero() != s.Agent.IsZero()) {
				tb.Errorf("%s: queued at %s, an agent at %s", fate, s.Queued, s.Agent)
			}
		}
	}
}

func checkDescribeFails(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, func(c *connectemu.Config) { c.DescribeRate = connectemu.Rate{PerSecond: 10, Burst: 1} })
	d := c.open(tb, lab)
	id := lab.placed(tb, d, order(tb, c.kind, answering, 1))
	if _, err := d.Describe(tb.Context(), lab.target(), id); err != nil {
		tb.Fatalf("Describe: %v", err)
	}
	_, err := d.Describe(tb.Context(), lab.target(), id)
	if err == nil || errors.Is(err, call.ErrNotFound) || call.CodeOf(err) != "throttling" {
		tb.Errorf("Describe beyond the rate: %v, want the code throttling", err)
	}
}

func checkSearch(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	o := order(tb, c.kind, answering, 1)
	id := lab.placed(tb, d, o)
	lab.placed(tb, d, order(tb, c.kind, answering, 2))
	lab.advance(time.Hour)
	from, to := start.Add(-time.Minute), start.Add(time.Minute)
	found, err := d.Search(tb.Context(), lab.target(), o.CallID, from, to)
	if err != nil || len(found) != 1 || found[0].ID != id || found[0].CallID != o.CallID || !found[0].Initiated.Equal(start) {
		tb.Errorf("Search = %+v, %v, want the one contact of the call", found, err)
	}
	for name, missed := range map[string]struct {
		id       string
		from, to time.Time
	}{
		"another call":  {"exam-call", from, to},
		"another range": {o.CallID, to, to.Add(time.Hour)},
	} {
		if found, err := d.Search(tb.Context(), lab.target(), missed.id, missed.from, missed.to); err != nil || len(found) != 0 {
			tb.Errorf("Search for %s = %+v, %v, want nothing", name, found, err)
		}
	}
}

// checkSearchPages makes one call id ring often, as a broken caller could, and expects all of it to be found.
func checkSearchPages(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	const rings = 103
	for n := range rings {
		o := order(tb, c.kind, answering, n)
		o.CallID = "exam-call-often"
		lab.placed(tb, d, o)
	}
	lab.Clock.pausesPass.Store(true)
	contacts, err := d.Search(tb.Context(), lab.target(), "exam-call-often", start.Add(-time.Minute), start.Add(time.Minute))
	if err != nil || len(contacts) != rings {
		tb.Errorf("Search = %d contacts, %v, want %d", len(contacts), err, rings)
	}
}

// checkEmptySuccess expects an error of a read whose success says nothing: a search that found nothing permits a further dial, and a
// contact that does not exist is forgotten.
func checkEmptySuccess(tb testing.TB, c candidate) {
	tb.Helper()
	for _, fault := range []connectemu.Fault{connectemu.PlaceThenBraces, connectemu.PlaceThenEmpty} {
		lab := newLab(tb, c.kind, func(c *connectemu.Config) {
			c.Faults = connectemu.Plan{Rules: []connectemu.Rule{
				{Fault: fault, Operation: connectemu.OpSearch}, {Fault: fault, Operation: connectemu.OpDescribe},
			}}
		})
		d := c.open(tb, lab)
		o := order(tb, c.kind, answering, 1)
		id := lab.placed(tb, d, o)
		lab.advance(time.Hour)
		if found, err := d.Search(tb.Context(), lab.target(), o.CallID, start.Add(-time.Minute), start.Add(time.Minute)); err == nil {
			tb.Errorf("Search = %+v and no error although the answer was empty (%s)", found, fault)
		}
		if contact, err := d.Describe(tb.Context(), lab.target(), id); err == nil || errors.Is(err, call.ErrNotFound) {
			tb.Errorf("Describe = %+v, %v although the answer was empty (%s)", contact, err, fault)
		}
	}
}

func checkStop(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	id := lab.placed(tb, d, order(tb, c.kind, answering, 1))
	for range 2 {
		if err := d.Stop(tb.Context(), lab.target(), id); err != nil {
			tb.Errorf("Stop: %v", err)
		}
	}
	if contact, _ := lab.emulator.Contact(id); contact.State != connectemu.StateDisconnected {
		tb.Errorf("the contact is %v after Stop", contact.State)
	}
}

func checkReadDate(tb testing.TB, c candidate) {
	tb.Helper()
	lab := newLab(tb, c.kind, nil)
	d := c.open(tb, lab)
	id := lab.placed(tb, d, order(tb, c.kind, answering, 1))
	lab.front.misdate(3 * time.Hour)
	const reads = 3
	for range reads {
		if _, err := d.Describe(tb.Context(), lab.target(), id); err != nil {
			tb.Fatalf("Describe: %v", err)
		}
	}
	requests := lab.emulator.Requests()
	if len(requests) != 1+reads {
		tb.Errorf("%d requests for a dial and %d reads", len(requests), reads)
	}
	for _, r := range requests {
		if !r.SignedAt.Equal(lab.Clock.Now()) {
			tb.Errorf("%s was signed for %v, want %v", r.Operation, r.SignedAt, lab.Clock.Now())
		}
	}
}
