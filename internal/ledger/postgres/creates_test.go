//go:build integration

package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
	"github.com/ringonce/ringonce/internal/pgtest"
)

// taken makes the write that creates a row with an op and a token of choice.
func taken(t testing.TB, id, op, token string) call.Write {
	t.Helper()
	w := accepted(t, id)
	e, err := w.Entry.Event()
	if err != nil {
		t.Fatal(err)
	}
	e.Opening.Token = token
	return write(t, call.Begin(id), e, op)
}

func creates(n int) []bool { return slices.Repeat([]bool{true}, n) }

// told is what a write came to, in one line.
func told(written call.Written, err error) string {
	text := "error"
	switch {
	case errors.Is(err, call.ErrTokenTaken):
		text = "token taken"
	case err == nil:
		text = fmt.Sprintf("applied %t: %s, version %d, token %q", written.Applied, written.Row.ID, written.Row.Version, written.Row.Token)
	case strings.Contains(err.Error(), "belongs to row"):
		text = "op of another row"
	}
	return text
}

// contested fills a ledger, and returns creates of which some cannot be made; ids, ops and tokens of the creates differ.
func contested(t *testing.T, l *postgres.Ledger) []call.Write {
	t.Helper()
	create(t, l, "known")
	moved := create(t, l, "moved")
	if w, err := l.Update(t.Context(), held(t, moved, "op-moved-2")); err != nil || !w.Applied {
		t.Fatal(w.Applied, err)
	}
	if _, err := l.Pool().Exec(t.Context(), `INSERT INTO erased_tokens SELECT encode(sha256('token-erased'), 'hex'), number FROM calls WHERE id = 'known'`); err != nil {
		t.Fatal(err)
	}
	if _, errs := l.WriteTogether(creates(2), accepted(t, "warm"), accepted(t, "warmer")); errors.Join(errs...) != nil { // the session knows the statement then
		t.Fatal(errs)
	}
	return []call.Write{
		taken(t, "first", "op-first-1", ""),
		taken(t, "known", "op-known-1", "token-known"),    // our own, whose answer was lost
		taken(t, "moved", "op-other-1", "token-other"),    // another one was quicker
		taken(t, "second", "op-moved-2", "token-second"),  // an op of another row
		taken(t, "third", "op-third-1", "token-moved"),    // a token of another row
		taken(t, "fourth", "op-fourth-1", "token-erased"), // a token of a forgotten row
		taken(t, "fifth", "op-fifth-1", ""),               // no token, as the first one
		taken(t, "sixth", "op-sixth-1", "token-sixth"),
	}
}

func TestCreatesOfOneStatementAreAnsweredAsAloneAndTheirNumbersHaveNoGaps(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	p := newProxy(t, server.Address())
	alone, together := open(t, settings(t, server)), open(t, at(t, server.DSN(server.Schema(t), p.listener.Addr().String())))
	writes := contested(t, together)
	contested(t, alone)
	if n := postgres.Statements(writes...); n != 3 {
		t.Fatalf("%d statements for creates that cannot meet", n)
	}
	before := p.answers.Load()
	written, errs := together.WriteTogether(creates(len(writes)), writes...)
	if trips := p.answers.Load() - before; trips != 1 {
		t.Errorf("%d round trips: they were written one by one", trips)
	}
	for i, w := range writes {
		one, oneErrs := alone.WriteTogether(creates(1), w)
		if got, want := told(written[i], errs[i]), told(one[0], oneErrs[0]); got != want {
			t.Errorf("%s: %s, alone %s", w.Row.ID, got, want)
		}
	}
	var same []string
	for _, l := range []*postgres.Ledger{alone, together} {
		if breaches, err := l.Inspect(t.Context()); err != nil || len(breaches) > 0 {
			t.Errorf("%v, %v", breaches, err)
		}
		var rows string
		if err := l.Pool().QueryRow(t.Context(), `SELECT json_build_array((SELECT json_agg(c ORDER BY number) FROM calls c), (SELECT json_agg(h ORDER BY number) FROM history h))`).Scan(&rows); err != nil {
			t.Fatal(err)
		}
		same = append(same, rows)
	}
	if same[0] != same[1] || !strings.Contains(same[0], `"op-sixth-1"`) {
		t.Errorf("alone:\n%s\ntogether:\n%s", same[0], same[1])
	}
}

func TestCreatesThatMayMeetAreWrittenOneAfterTheOther(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	writes := []call.Write{
		taken(t, "a", "op-a", "token-a"),
		taken(t, "a", "op-b", "token-b"),
		taken(t, "c", "op-a", "token-c"),
		taken(t, "d", "op-d", "token-a"),
		taken(t, "a", "op-a", "token-a"),
		taken(t, "e", "op-e", "token-e"),
	}
	want := []string{
		`applied true: a, version 1, token "token-a"`, `applied false: a, version 1, token "token-a"`, "op of another row", "token taken",
		`applied true: a, version 1, token "token-a"`, `applied true: e, version 1, token "token-e"`,
	}
	if n := postgres.Statements(writes...); n != 5 {
		t.Errorf("%d statements, want 3 of creates", n)
	}
	written, errs := l.WriteTogether(creates(len(writes)), writes...)
	for i := range writes {
		if got := told(written[i], errs[i]); got != want[i] {
			t.Errorf("%d: %s, want %s", i, got, want[i])
		}
	}
}

func TestAnUpdateBehindTheCreateOfItsRowSeesIt(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	a, b, c := accepted(t, "a"), accepted(t, "b"), accepted(t, "c")
	written, errs := l.WriteTogether([]bool{true, true, false, true}, a, b, held(t, b.Row, "op-b-2"), c)
	for i, version := range []int64{1, 1, 2, 1} {
		if errs[i] != nil || !written[i].Applied || written[i].Row.Version != version {
			t.Errorf("%d: applied %t, version %d, %v", i, written[i].Applied, written[i].Row.Version, errs[i])
		}
	}
}

func TestACreateThatPostgreSQLCannotStoreSpoilsNoOtherOfItsStatement(t *testing.T) {
	t.Parallel()
	l := open(t, settings(t, pgtest.Start(t)))
	odd := accepted(t, "odd")
	odd.Row.ID, odd.Entry.RowID = "odd\x00", "odd\x00"
	written, errs := l.WriteTogether(creates(3), accepted(t, "a"), odd, accepted(t, "b"))
	if errs[0] != nil || errs[1] == nil || errs[2] != nil || !written[0].Applied || !written[2].Applied {
		t.Errorf("%v", errs)
	}
}

// TestWhatAGroupCosts counts: a group of creates is one statement and one round trip, as is one of questions.
func TestWhatAGroupCosts(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	p := newProxy(t, server.Address())
	l := open(t, at(t, server.DSN(server.Schema(t), p.listener.Addr().String())))
	for round := range 2 { // a connection meets each statement in the first one, and asks for its description then
		var writes []call.Write
		var ids []string
		for i := range 64 {
			ids = append(ids, fmt.Sprintf("row-%d-%d", round, i))
			writes = append(writes, accepted(t, ids[i]))
		}
		if n := postgres.Statements(writes...); n != 3 {
			t.Errorf("%d statements: creates, the lock and the newest number are 3", n)
		}
		before := p.answers.Load()
		written, errs := l.WriteTogether(creates(len(writes)), writes...)
		made := p.answers.Load()
		asked := l.AskTogether(ids...)
		for i := range writes {
			if err := errors.Join(errs[i], asked[i]); err != nil || !written[i].Applied {
				t.Fatalf("%s: %t, %v", ids[i], written[i].Applied, err)
			}
		}
		if trips := made - before; round > 0 && trips != 1 {
			t.Errorf("%d round trips for 64 creates", trips)
		}
		if trips := p.answers.Load() - made; round > 0 && trips != 1 {
			t.Errorf("%d round trips for 64 questions", trips)
		}
	}
}
