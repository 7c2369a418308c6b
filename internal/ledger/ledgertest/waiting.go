package ledgertest

import (
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// waiting is the part of a ledger that finds its parked calls. One that does not is asked nothing: the core then reads all that wait.
func waiting() Suite {
	return Suite{Name: "Waiting", cases: []exercise{
		{name: "parked calls are found among those that wait for their time", run: parkedAmongWaiting},
		{name: "pages of parked calls go on where they ended", run: parkedPages},
		{name: "a place has a share of all rows before it", run: parkedPlaces},
		{name: "a call that goes on is not parked any more", run: parkedGoesOn},
	}}
}

// reasons are those of call.Call.Parked.
var reasons = []string{
	"paused", "setup_pause", "destination_denied", call.HeldPausedAll, call.HeldPausedProfile, call.HeldPausedProducer, call.HeldPausedPrefix,
}

// wait makes a row that waits for a reason. Its producer has given it an attribute that looks like another one.
func (x *exam) wait(id, why string) call.Call {
	x.Helper()
	e := opening(id)
	e.Opening.Attributes = map[string]string{"dueReason": "pacing"}
	row := x.mustCreate(x.write(call.Begin(id), e, "op-"+id+"-1"))
	return x.mustUpdate(x.write(row, call.Event{Kind: call.EventHeld, At: start.Add(time.Second), Due: start.Add(time.Hour), Reason: why}, "op-"+id+"-held"))
}

// waitAll makes a row for each reason beside some that wait for their time, and returns those that are parked, in order.
func (x *exam) waitAll() (parked []string) {
	x.Helper()
	for n, why := range slices.Concat([]string{"pacing"}, reasons, []string{"hours", "not_sent"}) {
		if c := x.wait(fmt.Sprintf("row-%d", n), why); c.Parked() {
			parked = append(parked, c.ID)
		}
	}
	x.mustCreate(x.first("open"))
	x.mustUpdate(x.placed(x.wait("done", "paused"), "contact-done", "op-done-3"))
	if len(parked) != len(reasons) {
		x.Fatalf("parked by the core: %q", parked)
	}
	return parked
}

// parkedFrom reads all from a place on, in pages of a size.
func (x *exam) parkedFrom(l call.ParkedCalls, place string, size int) (all []string) {
	x.Helper()
	for range 100 {
		ids, next, err := l.ParkedCalls(x.ctx, place, size)
		if err != nil || len(ids) > size {
			x.Fatalf("a page of %d: %q, %v", size, ids, err)
		}
		if all = append(all, ids...); next == "" {
			return all
		}
		place = next
	}
	x.Fatalf("pages of %d have no end", size)
	return nil
}

func parkedAmongWaiting(x *exam) {
	l, ok := x.Ledger.(call.ParkedCalls)
	if !ok {
		return
	}
	if got := x.parkedFrom(l, "", 100); len(got) != 0 {
		x.Errorf("of an empty ledger: %q", got)
	}
	want := x.waitAll()
	if got := x.parkedFrom(l, "", 100); !slices.Equal(got, want) {
		x.Errorf("%q, want %q", got, want)
	}
}

func parkedPages(x *exam) {
	l, ok := x.Ledger.(call.ParkedCalls)
	if !ok {
		return
	}
	want := x.waitAll()
	for _, size := range []int{1, 2, len(want) - 1, len(want), len(want) + 1} {
		if got := x.parkedFrom(l, "", size); !slices.Equal(got, want) {
			x.Errorf("in pages of %d: %q, want %q", size, got, want)
		}
	}
	if _, _, err := l.ParkedCalls(x.ctx, "nowhere", 1); call.CodeOf(err) != call.CodeFieldValue {
		x.Errorf("a foreign place: %v", err)
	}
}

func parkedPlaces(x *exam) {
	l, ok := x.Ledger.(call.ParkedCalls)
	if !ok {
		return
	}
	want := x.waitAll()
	for _, c := range []struct {
		share       float64
		least, most int
	}{{0, len(want), len(want)}, {0.5, 1, len(want) - 1}, {1, 0, 0}} {
		place, err := l.ParkedFrom(x.ctx, c.share)
		if err != nil {
			x.Fatalf("a place: %v", err)
		}
		got := x.parkedFrom(l, place, 3)
		if len(got) < c.least || len(got) > c.most || !slices.Equal(got, want[len(want)-len(got):]) {
			x.Errorf("behind %v of the rows: %q of %q", c.share, got, want)
		}
	}
}

func parkedGoesOn(x *exam) {
	l, ok := x.Ledger.(call.ParkedCalls)
	if !ok {
		return
	}
	want := x.waitAll()
	x.mustUpdate(x.held(x.mustGet(want[2]), start.Add(time.Hour), "op-on"))
	x.mustUpdate(x.placed(x.mustGet(want[0]), "contact-on", "op-placed"))
	if got, left := x.parkedFrom(l, "", 100), slices.Delete(slices.Clone(want[1:]), 1, 2); !slices.Equal(got, left) {
		x.Errorf("%q, want %q", got, left)
	}
}
