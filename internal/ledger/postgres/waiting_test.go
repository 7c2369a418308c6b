//go:build integration

package postgres_test

import (
	"fmt"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres/queries"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// rareIndex is a plan that reads an index of what is rare.
var rareIndex = regexp.MustCompile(`\bcalls_(parked|state)\b`)

// Among very many calls nothing may read them all: neither the look for parked ones nor the lists of states. A list that cannot use
// the index is seen.
func TestWhatIsRareIsFoundByAnIndex(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	spread(t, l, 20_000, 5)
	if _, err := l.Pool().Exec(t.Context(), "ANALYZE calls"); err != nil {
		t.Fatal(err)
	}
	for name, statement := range map[string]string{"ParkedCalls": queries.ParkedCalls, "ListCallsInStates": queries.ListCallsInStates} {
		if text := plan(t, l, statement); !rareIndex.MatchString(text) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	const filtered = `SELECT number, doc FROM calls WHERE number < $1 AND state || '' = ANY ($2::text[]) ORDER BY number DESC LIMIT $3`
	if text := plan(t, l, filtered); rareIndex.MatchString(text) {
		t.Errorf("a list that reads all calls is planned as\n%s", text)
	}
}

func TestParkedRowsFromBeforeTheMigrationAreFound(t *testing.T) {
	t.Parallel()
	o := settings(t, pgtest.Start(t))
	l := open(t, o)
	var want []string
	for n, why := range []string{"pacing", "paused", "setup_pause", "destination_denied", call.HeldPausedAll, call.HeldPausedProfile, call.HeldPausedProducer, call.HeldPausedPrefix, "hours"} {
		id := fmt.Sprintf("row-%d", n)
		made, err := l.Create(t.Context(), accepted(t, id))
		if err != nil {
			t.Fatal(err)
		}
		written, err := l.Update(t.Context(), write(t, made.Row, call.Event{Kind: call.EventHeld, At: noon.Add(time.Second), Due: noon.Add(time.Hour), Reason: why}, "op-"+id+"-held"))
		if err != nil || !written.Applied {
			t.Fatalf("hold: %v", err)
		}
		if written.Row.Parked() {
			want = append(want, written.Row.ID)
		}
	}
	for _, text := range []string{
		"DROP INDEX calls_parked", "DROP INDEX calls_state", "DROP FUNCTION may_be_parked", "DELETE FROM goose_db_version WHERE version_id >= 3",
	} {
		if _, err := l.Pool().Exec(t.Context(), text); err != nil {
			t.Fatal(err)
		}
	}
	l = open(t, o)
	got, next, err := l.ParkedCalls(t.Context(), "", 100)
	if err != nil || next != "" || len(want) != 7 || !slices.Equal(got, want) {
		t.Errorf("%q, %q, %v, want %q", got, next, err, want)
	}
}
