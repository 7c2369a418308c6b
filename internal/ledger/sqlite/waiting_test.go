package sqlite_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/sqlite"
)

// park makes the row of an id wait for a reason.
func park(t *testing.T, l *sqlite.Ledger, id, why string) call.Call {
	t.Helper()
	written, err := l.Update(t.Context(), write(t, create(t, l, id), call.Event{Kind: call.EventHeld, At: noon.Add(time.Second), Due: noon.Add(time.Hour), Reason: why}, "op-"+id+"-held"))
	if err != nil || !written.Applied {
		t.Fatalf("hold %s: applied %t, error %v", id, written.Applied, err)
	}
	return written.Row
}

// parkedIn returns the ids of the parked rows, read in pages of a size.
func parkedIn(t *testing.T, l *sqlite.Ledger, place string, size int) (all []string) {
	t.Helper()
	for {
		ids, next, err := l.ParkedCalls(t.Context(), place, size)
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, ids...); next == "" {
			return all
		}
		place = next
	}
}

// parkingReasons are those of call.Call.Parked, which the migration that made the column names too.
var parkingReasons = []string{"paused", "setup_pause", "destination_denied", call.HeldPausedAll, call.HeldPausedProfile, call.HeldPausedProducer, call.HeldPausedPrefix}

func TestParkedCallsAreFoundAmongThoseThatWaitForTheirTime(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l := open(t, o)
	var want []string
	var last call.Call
	for n, why := range append([]string{"pacing", "hours"}, parkingReasons...) {
		last = park(t, l, fmt.Sprintf("row-%d", n), why)
		if last.Parked() != (n > 1) {
			t.Fatalf("%q parks: %t", why, last.Parked())
		}
		if n > 1 {
			want = append(want, last.ID)
		}
	}
	for _, size := range []int{1, 2, 7, 100} {
		if got := parkedIn(t, l, "", size); !slices.Equal(got, want) {
			t.Errorf("in pages of %d: %v, want %v", size, got, want)
		}
	}
	place, err := l.ParkedFrom(t.Context(), 0.5)
	if got := parkedIn(t, l, place, 3); err != nil || len(got) == 0 || len(got) == len(want) || !slices.Equal(got, want[len(want)-len(got):]) {
		t.Errorf("from the middle on: %v, %v", got, err)
	}
	if _, err := l.Update(t.Context(), write(t, last, call.Event{Kind: call.EventHeld, At: noon.Add(2 * time.Second), Due: noon.Add(time.Hour), Reason: "pacing"}, "op-on")); err != nil {
		t.Fatal(err)
	}
	if got := parkedIn(t, l, "", 100); !slices.Equal(got, want[:len(want)-1]) {
		t.Errorf("after the last went on: %v", got)
	}
	if found, err := l.Inspect(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("inspect: %v, %v", found, err)
	}
	raw(t, o, "UPDATE calls SET parked = NULL WHERE id = 'row-3'")
	if found, err := l.Inspect(t.Context()); err != nil || len(found) != 1 || !strings.Contains(found[0].Detail, "parked") {
		t.Errorf("a column that disagrees: %v, %v", found, err)
	}
}

func TestParkedCallsFromBeforeTheMigrationAreFound(t *testing.T) {
	t.Parallel()
	o := settings(t)
	l, err := sqlite.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for n, why := range append([]string{"pacing"}, parkingReasons...) {
		park(t, l, fmt.Sprintf("row-%d", n), why)
	}
	want := parkedIn(t, l, "", 100)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"DROP INDEX calls_state", "DROP INDEX calls_parked", "ALTER TABLE calls DROP COLUMN parked", "DELETE FROM goose_db_version WHERE version_id = 7"} {
		raw(t, o, text)
	}
	l = open(t, o)
	if got := parkedIn(t, l, "", 100); len(want) != len(parkingReasons) || !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if found, err := l.Inspect(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("inspect: %v, %v", found, err)
	}
}

// Among very many calls nothing may read them all: neither the look for parked ones nor the lists of states.
func TestWhatIsRareIsFoundByAnIndex(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t))
	plans, err := l.Plans(t.Context(),
		call.Filter{States: []call.State{call.InDoubt}}, call.Filter{States: []call.State{call.Canceled, call.Received}, Cursor: "7"}, call.Filter{States: call.States()})
	if err != nil {
		t.Fatal(err)
	}
	readsAll := func(plan string) bool {
		return !strings.Contains(plan, "INDEX calls_") || strings.Contains(plan, "SCAN calls")
	}
	for text, plan := range plans {
		if readsAll(plan) {
			t.Errorf("%s\n%s", text, plan)
		}
	}
	// A list that reads one call after another is seen.
	all, err := l.Plans(t.Context(), call.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(slices.Collect(maps.Values(all)), readsAll) {
		t.Errorf("the plan of a list of all calls is %v", all)
	}
}
