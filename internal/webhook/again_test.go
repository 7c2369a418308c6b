package webhook_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/webhook"
)

// later is a clock that is ahead.
type later struct {
	call.Clock

	by time.Duration
}

func (c later) Now() time.Time { return c.Clock.Now().Add(c.by) }

// tells tells the call of the desk, with a clock that is ahead.
func (d *desk) tells(t *testing.T, ahead time.Duration) {
	t.Helper()
	o := d.teller.Options
	o.Clock = later{o.Clock, ahead}
	if err := webhook.New(o).Tell(t.Context(), d.row); err != nil {
		t.Fatal(err)
	}
}

// story returns the ids of the events of the desk's call, and how many were taken.
func (d *desk) story(t *testing.T, taken int) (ids []string) {
	t.Helper()
	story, err := d.teller.Story(t.Context(), d.row)
	if err != nil || story.Taken != taken || story.Receiver == "" {
		t.Errorf("%d taken, want %d: %v", story.Taken, taken, err)
	}
	for _, e := range story.Events {
		ids = append(ids, e.ID)
	}
	return ids
}

func TestWhatWasTakenIsToldAgainInItsOrderUnderItsIDsAndSignedAnew(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.acknowledge(t)
	d.story(t, 0)
	d.tells(t, 0)
	ids := d.story(t, 4)
	for _, id := range []string{ids[2], ids[0]} {
		if err := d.teller.Back(t.Context(), d.row, id); err != nil {
			t.Fatal(err)
		}
		d.tells(t, time.Hour)
		d.story(t, 4)
	}
	all := []string{"call.accepted", "call.placed", "call.acknowledged", "call.outcome"}
	d.took(t, slices.Concat(all, all[2:], all)...)
	if times := d.receiver.ids[ids[3]]; times != 3 || len(d.receiver.ids) != 4 {
		t.Errorf("%d times under the id of before, %v", times, d.receiver.ids)
	}
	stamps := d.receiver.stamps[ids[0]]
	if len(stamps) != 2 || stamps[1]-stamps[0] < 3500 {
		t.Errorf("signed at %v, an hour apart", stamps)
	}
}

func TestWhatIsToldAgainBeginsWhereItWasNotTaken(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.receiver.refuse = 1
	if err := d.teller.Tell(t.Context(), d.row); err == nil {
		t.Error("a refusal is no error")
	}
	ids := d.story(t, 0)
	if err := d.teller.Back(t.Context(), d.row, ids[1]); err != nil { // which moves nothing on
		t.Fatal(err)
	}
	d.tells(t, 0)
	d.took(t, "call.accepted", "call.placed")
}

// TestNothingOvertakesWhenACallIsToldAgainWhileItIsTold: the one that tells stops behind its request and gives its lease back, so that the next need not wait for its end.
func TestNothingOvertakesWhenACallIsToldAgainWhileItIsTold(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	ids := d.story(t, 0)
	d.receiver.slow = true
	first := make(chan error)
	go func() { first <- d.teller.Tell(t.Context(), d.row) }()
	d.receiver.gate <- struct{}{} // the first event is taken, the second is on its way
	for story, err := d.teller.Story(t.Context(), d.row); story.Taken == 0; story, err = d.teller.Story(t.Context(), d.row) {
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	if err := d.teller.Back(t.Context(), d.row, ids[0]); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if err := d.teller.Tell(soon, d.row); !errors.Is(err, webhook.ErrBusy) {
		t.Errorf("told beside a request that is on its way: %v", err)
	}
	d.receiver.gate <- struct{}{}
	if err := <-first; !errors.Is(err, webhook.ErrBusy) {
		t.Errorf("the first one goes on: %v", err)
	}
	close(d.receiver.gate)
	d.tells(t, 0)
	d.took(t, "call.accepted", "call.placed", "call.accepted", "call.placed")
}

func TestOnlyWhatIsToldCanBeToldAgain(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if err := d.teller.Back(t.Context(), d.row, d.row+".99.call.placed"); !errors.Is(err, webhook.ErrNoEvent) {
		t.Error(err)
	}
	if _, err := d.teller.Story(t.Context(), "nobody"); !errors.Is(err, call.ErrNotFound) {
		t.Error(err)
	}
	o := d.teller.Options
	o.Endpoint = func(string) (webhook.Endpoint, bool) { return webhook.Endpoint{}, false }
	if err := webhook.New(o).Back(t.Context(), d.row, "any"); !errors.Is(err, webhook.ErrNobody) {
		t.Error(err)
	}
	o = d.teller.Options
	o.Cells = restlessCells{o.Cells}
	d.tells(t, 0)
	if err := webhook.New(o).Back(t.Context(), d.row, d.story(t, 2)[0]); !errors.Is(err, webhook.ErrBusy) {
		t.Error(err)
	}
}

// restlessCells are moved by somebody else all the time.
type restlessCells struct{ call.Cells }

func (restlessCells) SetCell(_ context.Context, c call.Cell) (call.Cell, bool, error) {
	return c, false, nil
}
