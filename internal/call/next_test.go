package call

import (
	"testing"
	"time"
)

func TestTheNextRingIsClaimedOnlyFromTheRingThatWasSeen(t *testing.T) {
	t.Parallel()
	last := func(n int) func(*Call) { return func(c *Call) { c.LastRing = n } }
	ring := func(n int) func(*Call) { return func(c *Call) { c.Ring = n } }
	for _, tc := range []struct {
		name  string
		first Call
		top   Call
		saw   int
		cause Cause
		now   time.Duration
		code  Code
	}{
		{"placed", at(Placed), at(Placed), 0, CauseWindow, 0, ""},
		{"failed", at(Failed), at(Failed), 0, CauseOperator, 0, ""},
		{"expired", at(Expired), at(Expired), 0, CauseOperator, 0, ""},
		{"canceled", at(Canceled), at(Canceled), 0, CauseOperator, 0, ""},
		{"ring 2", at(Placed, last(2)), at(Placed, ring(2)), 2, CauseOperator, 0, ""},
		{"a ring that is not the newest any more (R8)", at(Placed, last(1)), at(Placed, ring(1)), 0, CauseOperator, 0, CodeRingMoved},
		{"the top was read too late", at(Placed), at(Placed, ring(1)), 0, CauseOperator, 0, CodeRingMoved},
		{"received (R16)", at(Received), at(Received), 0, CauseOperator, 0, CodeNotFinal},
		{"dialing", at(Dialing), at(Dialing), 0, CauseOperator, 0, CodeNotFinal},
		{"a doubt before it settled (R9)", at(InDoubt), at(InDoubt), 0, CauseOperator, settled, CodeNotSettled},
		{"a doubt that settled", at(InDoubt), at(InDoubt), 0, CauseOperator, settled + 1, ""},
		{"a tombstone", at(Canceled, func(c *Call) { c.Tombstone = true }), at(Canceled), 0, CauseOperator, 0, CodeCanceledBeforeCall},
		{"token age with none open", at(Received), at(Received), 0, CauseTokenAge, 0, ""},
		{"token age while an attempt is open (R4)", at(Dialing), at(Dialing), 0, CauseTokenAge, 0, CodeNotFinal},
		{"token age of a placed call", at(Placed), at(Placed), 0, CauseTokenAge, 0, CodeNotFinal},
		{"repin with none open", at(Received), at(Received), 0, CauseRepin, 0, ""},
	} {
		event, err := OpenNext(tc.first, tc.top, tc.saw, Child{Cause: tc.cause}, noon.Add(tc.now), "ann")
		if CodeOf(err) != tc.code {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.code)
		}
		if err != nil {
			continue
		}
		if event.Next.Ring != tc.saw+1 || !event.Next.Due.Equal(event.At) || event.Next.Actor != "ann" {
			t.Errorf("%s: %+v", tc.name, event.Next)
		}
		if after := tc.first.Apply(event); len(CheckWrite(tc.first, event, after)) > 0 {
			t.Errorf("%s: %v", tc.name, CheckWrite(tc.first, event, after))
		}
	}
}

func TestTokenAgeClosesTheFirstRowInTheWriteThatClaimsTheNextRing(t *testing.T) {
	t.Parallel()
	for _, cause := range []Cause{CauseTokenAge, CauseRepin} {
		event, err := OpenNext(at(Received), at(Received), 0, Child{Cause: cause}, noon, "")
		if err != nil {
			t.Fatal(err)
		}
		row := at(Received).Apply(event)
		if row.State != Failed || row.Code != Code(cause) || row.LastRing != 1 || row.Next == nil || row.DueAt().IsZero() {
			t.Errorf("%s: %+v", cause, row)
		}
	}
	ring1 := at(Received, func(c *Call) { c.Ring = 1 })
	first := at(Failed, func(c *Call) { c.LastRing = 1 })
	event, err := OpenNext(first, ring1, 1, Child{Cause: CauseTokenAge}, noon, "")
	if err != nil || event.Closes {
		t.Errorf("the first row ends for a later ring: %+v %v", event, err)
	}
}

func TestARingCountsAsPlacedForLaterWindows(t *testing.T) {
	t.Parallel()
	for state, want := range map[State]time.Time{
		Placed: noon, InDoubt: noon.Add(settled), Failed: {}, Expired: {}, Canceled: {}, Received: {}, Dialing: {},
	} {
		if got := placedThrough(at(state)); !got.Equal(want) {
			t.Errorf("%s: %s, want %s", state, got, want)
		}
	}
}

func TestACancelHitsWhatWasRequestedBeforeIt(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		at    time.Duration
		tier  Tier
		cause Cause
		want  bool
	}{
		{"requested before", -1, TierPayload, CauseRequest, true},
		{"requested at that time", 0, TierPayload, CauseRequest, true},
		{"requested later (R23)", 1, TierPayload, CauseRequest, false},
		{"message tier later", 1, TierMessage, CauseWindow, false},
		{"undated, whatever its time (R26)", 1, TierHop, CauseRequest, true},
		{"undated", 0, TierNone, CauseWindow, true},
		{"an operator's ring of that time", 0, TierPayload, CauseOperator, false},
		{"an operator's earlier ring", -1, TierPayload, CauseOperator, true},
	} {
		if got := CancelHits(noon.Add(tc.at), tc.tier, tc.cause, noon); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
}

func TestWhatACancelMakesOfARow(t *testing.T) {
	t.Parallel()
	dated := func(d time.Duration) func(*Call) {
		return func(c *Call) { c.RequestedAt, c.Tier = noon.Add(d), TierPayload }
	}
	for _, tc := range []struct {
		name   string
		c      Call
		news   bool
		state  State
		asked  bool
		before bool
	}{
		{"received", at(Received, dated(-1)), true, Canceled, true, true},
		{"received, requested later", at(Received, dated(time.Hour)), true, Received, false, true},
		{"dialing: a fact, not an end (R22)", at(Dialing, dated(-1)), true, Dialing, true, true},
		{"placed", at(Placed, dated(-1)), true, Placed, false, true},
		{"in doubt", at(InDoubt, dated(-1)), true, InDoubt, false, true},
		{"the first row of several rings", at(Failed, func(c *Call) { c.LastRing = 2 }), true, Failed, false, true},
		{"a later ring", at(Received, dated(-1), func(c *Call) { c.Ring = 1 }), true, Canceled, true, false},
		{"known already", at(Canceled, func(c *Call) { c.CanceledBefore, c.CancelRequested = noon, noon }), false, Canceled, true, true},
		{"an older cancel arrives late", at(Placed, func(c *Call) { c.CanceledBefore = noon.Add(1) }), false, Placed, false, true},
	} {
		event, news := CancelEvent(tc.c, noon, noon.Add(time.Second), nil)
		if news != tc.news {
			t.Errorf("%s: news %v", tc.name, news)
		}
		got := tc.c
		if news {
			got = tc.c.Apply(event)
		}
		if got.State != tc.state || !got.CancelRequested.IsZero() != tc.asked || !got.CanceledBefore.IsZero() != tc.before {
			t.Errorf("%s: %s, cancel requested %s, canceled before %s", tc.name, got.State, got.CancelRequested, got.CanceledBefore)
		}
		if breaches := CheckWrite(tc.c, event, got); news && len(breaches) > 0 {
			t.Errorf("%s: %v", tc.name, breaches)
		}
	}
}
