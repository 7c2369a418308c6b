package webhook_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/webhook"
)

// ahead is a clock that was moved.
type ahead struct {
	call.Clock

	by time.Duration
}

func (a *ahead) Now() time.Time { return a.Clock.Now().Add(a.by) }

func nobody(context.Context, string) error { return nil }

func (d *desk) behind(t *testing.T, limit, calls int, givenUp ...string) {
	t.Helper()
	found, err := d.teller.Behind(t.Context(), time.Hour, limit, nobody)
	slices.Sort(found.GivenUp)
	slices.Sort(givenUp)
	if err != nil || found.Calls != calls || !slices.Equal(found.GivenUp, givenUp) {
		t.Errorf("%d behind, given up %v, %v; want %d and %v", found.Calls, found.GivenUp, err, calls, givenUp)
	}
}

func TestACallThatNobodyIsToldOfAnyMoreIsNamedOnce(t *testing.T) {
	t.Parallel()
	clock := &ahead{}
	d := newDesk(t, func(o *webhook.Options) { clock.Clock, o.Clock = o.Clock, clock })
	told := d.place(t, "n-2")
	d.behind(t, 1000, 2)
	if err := d.teller.Tell(t.Context(), told); err != nil {
		t.Fatal(err)
	}
	d.behind(t, 1000, 1)
	clock.by = 2 * time.Hour
	d.behind(t, 1000, 0, d.row)
	d.behind(t, 1000, 0)
}

func TestACallThatNewerOnesPushOutOfTheLookIsGivenUpToo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.behind(t, 1, 1)
	newer := d.place(t, "n-2")
	d.behind(t, 1, 1, d.row)
	if err := d.teller.Tell(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	d.behind(t, 1, 0)
}
