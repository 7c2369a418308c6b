package call_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestPlacesInALineAreAsFarApartAsSlots(t *testing.T) {
	t.Parallel()
	pace := call.NewPace(2, 3)
	if ahead := pace.Ahead("r", start); ahead != 0 {
		t.Errorf("an empty line is %s long", ahead)
	}
	var turns []time.Duration
	for range 6 {
		turns = append(turns, pace.Join("r", start, 0, 0))
	}
	if want := "[0s 0s 0s 500ms 1s 1.5s]"; fmt.Sprint(turns) != want {
		t.Errorf("turns at %v, want %s", turns, want)
	}
	if ahead := pace.Ahead("r", start); ahead != 2*time.Second {
		t.Errorf("whoever came next would wait %s", ahead)
	}
	if wait := pace.Rejoin("r", start, 0); wait != 0 {
		t.Errorf("whose turn has come waits %s behind those whose turn has not", wait)
	}
	if wait := pace.Join("r", start.Add(10*time.Second), 4*time.Second, 0); wait != 4*time.Second {
		t.Errorf("a place before the next slot: %s instead of 4 s", wait)
	}
	if wait := pace.Join("other", start, 0, 0); wait != 0 || pace.Interval() != 500*time.Millisecond {
		t.Errorf("the line of another bucket: %s", wait)
	}
}

func TestALineIsNoLongerAfterAClockWasSetBack(t *testing.T) {
	t.Parallel()
	pace := call.NewPace(2, 1)
	for range 4 {
		pace.Join("r", start, 0, 0)
	}
	if wait := pace.Join("r", start.Add(-time.Hour), 0, 0); wait != 2*time.Second {
		t.Errorf("an hour back the fifth turn comes after %s", wait)
	}
}

// paced is a world with a bucket of one a second that holds one, and no patience.
func paced(t *testing.T) *world {
	t.Helper()
	w := newWorld(t, func(c *call.Config) { c.Pacer, c.Patience = call.NewPace(1, 1), 0 })
	w.sweep()
	return w
}

// wantDue compares how long from the start a row waits.
func (w *world) wantDue(id string, want time.Duration) {
	w.t.Helper()
	if c := w.row(id, 0); c.Due.Sub(start) != want || c.DueReason != "pacing" {
		w.t.Errorf("%s is due after %s for %q, want %s", id, c.Due.Sub(start), c.DueReason, want)
	}
}

func TestCallsWithoutASlotGetTurnsOneAfterAnother(t *testing.T) {
	t.Parallel()
	w := paced(t)
	for _, id := range []string{"a", "b", "c", "d"} {
		w.place(request(id, start))
	}
	w.wantDue("b", time.Second)
	w.wantDue("c", 2*time.Second)
	w.wantDue("d", 3*time.Second)
	w.settle()
	w.clean(4)
}

func TestANewCallTakesNoSlotFromThoseInLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *call.Config) { c.Pacer, c.Patience = call.NewPace(1, 1), 2*time.Second })
	w.sweep()
	for i := range 6 {
		w.accept(request(fmt.Sprint("n", i), start))
	}
	w.place(request("first", start)) // the slot is free at once
	w.outcome(w.place(request("late", start)), call.MetReceived, call.AckDone, "")
	w.wantDue("late", 6*time.Second)
	w.settle()
	w.clean(8)
}

func TestAnUrgentCallAndAnOpenAttemptAskAgainAtTheNextSlot(t *testing.T) {
	t.Parallel()
	w := paced(t)
	for _, id := range []string{"a", "b", "c", "d"} {
		w.place(request(id, start))
	}
	urgent := request("urgent", start)
	urgent.Request.Urgent = true
	w.place(urgent)
	w.wantDue("urgent", time.Second)
	w.settle()
	w.clean(5)
}

func TestWhoseTurnHasComeDoesNotWaitBehindTheWholeLine(t *testing.T) {
	t.Parallel()
	w := paced(t)
	for i := range 10 {
		w.place(request(fmt.Sprint("n", i), start))
	}
	w.clock.advance(time.Second)
	w.place(request("other", start)) // it takes the slot of n1
	w.sweep()
	w.wantDue("n1", 2*time.Second)
	w.wantDue("n2", 2*time.Second)
	w.settle()
	w.clean(11)
}

func TestACallInLineIsLookedAtWhenItsTimeLimitEnds(t *testing.T) {
	t.Parallel()
	w := paced(t)
	for i := range 10 {
		w.place(request(fmt.Sprint("n", i), start))
	}
	d := request("short", start)
	d.Request.NotAfter = start.Add(3 * time.Second)
	w.place(d)
	w.wantDue("short", 3*time.Second+1)
	w.settle()
	w.state("short", 0, call.Expired, "not_after")
	w.clean(10)
}

// inline runs lanes at once, in the goroutine that begins them.
func inline(lane func(context.Context)) { lane(context.Background()) }

func TestALaneThatPanicsLeavesItsRowToTheNextSweepAndTheOthersGoOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sweep()
	w.accept(request("a", start))
	w.accept(request("b", start))
	lanes := call.NewLanes(w.start(func(c *call.Config) { c.Gate = &panics{of: w.row("a", 0).ID} }), 2, inline)
	for range 3 {
		if _, err := lanes.Pass(context.Background(), 10); err != nil {
			t.Fatal(err)
		}
	}
	w.state("b", 0, call.Placed, "")
	if w.row("a", 0).State != call.Received || w.heard("panicked") != 1 {
		t.Errorf("%+v after %d panics", w.row("a", 0), w.heard("panicked"))
	}
	if swept, err := lanes.Sweep(context.Background(), 10); err != nil || w.heard("panicked") != 2 || swept.Moved != 1 {
		t.Errorf("%+v, %v, %d panics", swept, err, w.heard("panicked"))
	}
	w.settle()
	w.clean(2)
}

// panics is a gate that cannot judge one row.
type panics struct {
	call.Gate

	of string
}

func (p *panics) judge(c call.Call) (call.Clearance, error) {
	if c.ID == p.of {
		panic("a defect")
	}
	return call.Clearance{}, nil
}

func (p *panics) Pass(_ context.Context, c call.Call, _ call.Profile, _ time.Time) (call.Clearance, error) {
	return p.judge(c)
}

func (p *panics) Look(_ context.Context, c call.Call, _ call.Profile, _ time.Time) (call.Clearance, error) {
	return p.judge(c)
}
func (p *panics) Return(context.Context, call.Call, string, time.Time) {}
func (p *panics) Free(context.Context, call.Call, time.Time)           {}
func (p *panics) Resumed(context.Context, time.Time) bool              { return false }

func TestALaneWorksOnARowOnceAPass(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sweep()
	for i := range 5 {
		w.accept(request(fmt.Sprint("n", i), start))
	}
	var begun []func(context.Context)
	lanes := call.NewLanes(w.engine, 1, func(lane func(context.Context)) { begun = append(begun, lane) })
	for range 3 { // the lane has not begun when the next pass comes
		if more, err := lanes.Pass(context.Background(), 10); err != nil || more {
			t.Fatal(more, err)
		}
	}
	if len(begun) != 1 || lanes.Rest(context.Background(), time.Minute) != call.LanesBusy {
		t.Errorf("%d lanes of at most one, rest %s", len(begun), lanes.Rest(context.Background(), time.Minute))
	}
	begun[0](context.Background())
	w.clean(5)
	if swept, err := lanes.Sweep(context.Background(), 10); err != nil || swept.Due != 5 {
		t.Errorf("%d rows were worked on, %v", swept.Due, err)
	}
	if rest := lanes.Rest(context.Background(), time.Minute); rest != time.Minute {
		t.Errorf("with nothing due the next pass comes after %s", rest)
	}
}

// A row waits in its lane for the last moment before it is due, never for a clock that was set back: it would keep all others from their slots.
func TestALaneWaitsForNoClockThatIsSetBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sweep()
	w.accept(request("n", start))
	var begun []func(context.Context)
	lanes := call.NewLanes(w.engine, 1, func(lane func(context.Context)) { begun = append(begun, lane) })
	if _, err := lanes.Pass(context.Background(), 10); err != nil || len(begun) != 1 {
		t.Fatal(len(begun), err)
	}
	w.clock.advance(-time.Hour)
	before := w.clock.Now()
	begun[0](context.Background())
	if slept := w.clock.Now().Sub(before); slept > time.Second {
		t.Errorf("the lane slept for %s", slept)
	}
	if rings := w.phones.total(); rings != 0 {
		t.Errorf("%d rings before the call was due", rings)
	}
	w.clock.advance(time.Hour)
	if _, err := lanes.Sweep(context.Background(), 10); err != nil || len(begun) < 2 {
		t.Fatalf("%d lanes, %v", len(begun), err)
	}
	for _, lane := range begun[1:] {
		lane(context.Background())
	}
	w.clean(1)
}

func TestTheLanesRestUntilSomethingIsDue(t *testing.T) {
	t.Parallel()
	w := paced(t)
	for i := range 10 {
		w.place(request(fmt.Sprint("n", i), start))
	}
	w.clock.advance(-5 * time.Second)
	lanes := call.NewLanes(w.engine, 1, inline)
	if rest := lanes.Rest(context.Background(), time.Minute); rest != 5500*time.Millisecond {
		t.Errorf("the first turn is 6 s away, and the lanes rest %s", rest)
	}
}
