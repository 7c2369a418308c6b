package main

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// tiny is a measurement of few keys.
var tiny = settings{items: 60, tableItems: 60, lanes: 8, rounds: 1, most: time.Minute, emulator: "dynalite"}

// doubling is a planted defect: of the keys that were asked for before, one is taken for another, and so accepted once more.
type doubling struct {
	subject

	asked int
}

func (d *doubling) ask(ctx context.Context, first, number, lanes int) (phase, error) {
	d.asked++
	if d.asked == 3 { // after the warm-up and the new keys
		first++
	}
	p, err := d.subject.ask(ctx, first, number, lanes)
	p.fresh, p.old = 0, 0 // and nothing tells
	return p, err
}

// losing is a planted defect: one new key is answered and not kept.
type losing struct {
	subject

	asked int
}

func (l *losing) ask(ctx context.Context, first, number, lanes int) (phase, error) {
	l.asked++
	if l.asked != 2 {
		return l.subject.ask(ctx, first, number, lanes)
	}
	p, err := l.subject.ask(ctx, first, number-1, lanes)
	p.times = append(p.times, time.Millisecond)
	return p, err
}

// plant wraps what a system opens.
func plant(sys system, wrap func(subject) subject) system {
	open := sys.open
	sys.open = func(ctx context.Context, where *place) (subject, error) {
		opened, err := open(ctx, where)
		return wrap(opened), err
	}
	return sys
}

func double(s subject) subject { return &doubling{subject: s} }
func lose(s subject) subject   { return &losing{subject: s} }

// TestAKeyThatIsAcceptedTwiceOrLostFailsTheRun plants both defects in the systems that need no server.
func TestAKeyThatIsAcceptedTwiceOrLostFailsTheRun(t *testing.T) {
	t.Parallel()
	where := &place{tb: t}
	for _, sys := range systems() {
		if sys.store != onSQLite {
			continue
		}
		for name, defect := range map[string]func(subject) subject{"the store holds 69": double, "the store holds 67": lose} {
			if _, err := measure(t.Context(), plant(sys, defect), where, tiny); err == nil || !strings.Contains(err.Error(), name) {
				t.Errorf("%s: %q is not what was seen: %v", sys.name, name, err)
			}
		}
	}
}

func TestDBOSSyncsEachCommitWhereTheTableSaysSo(t *testing.T) {
	t.Parallel()
	db, err := openFile(filepath.Join(t.TempDir(), "dbos.db"), "FULL")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for range 3 { // of its connections each has its own setting
		conn, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		var synchronous, journal string
		if err := errors.Join(conn.QueryRowContext(t.Context(), "PRAGMA synchronous").Scan(&synchronous), conn.QueryRowContext(t.Context(), "PRAGMA journal_mode").Scan(&journal)); err != nil {
			t.Fatal(err)
		}
		if synchronous != "2" || journal != "wal" { // 2 is FULL
			t.Errorf("synchronous is %s, the journal %s", synchronous, journal)
		}
	}
}

func TestAnAnswerOfTheWrongKindFailsTheRun(t *testing.T) {
	t.Parallel()
	times := make([]time.Duration, 10)
	done, waiting := system{works: true}, system{}
	for _, c := range []struct {
		name  string
		sys   system
		p     phase
		again bool
		got   tally
		want  string // in the error; empty for none
	}{
		{"new keys", waiting, phase{times: times, fresh: 10}, false, tally{rows: 12}, ""},
		{"repeats", done, phase{times: times, old: 10}, true, tally{12, 12}, ""},
		{"a lost answer", waiting, phase{times: times[1:], fresh: 9}, false, tally{rows: 12}, "9 were answered"},
		{"a repeat that is new", waiting, phase{times: times, fresh: 1, old: 9}, true, tally{rows: 12}, "1 of 10 repeats"},
		{"a new key that is a repeat", waiting, phase{times: times, fresh: 9, old: 1}, false, tally{rows: 12}, "1 of 10 new keys"},
		{"work that was done twice", done, phase{times: times}, true, tally{12, 13}, "done 13 times"},
		{"work that nobody asked for", waiting, phase{times: times}, true, tally{12, 1}, "of 0 keys was done 1 times"},
	} {
		err := c.sys.judge(c.p, c.again, 10, 12, c.got)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAProgramCanStartWhatTestsStart(t *testing.T) {
	t.Parallel()
	var order []string
	wrong := errors.New("wrong")
	err := with(t.Context(), func(tb testing.TB) error {
		tb.Cleanup(func() { order = append(order, "first") })
		tb.Cleanup(func() {
			if tb.Context().Err() == nil || !tb.Failed() {
				t.Error("servers would not end")
			}
			order = append(order, "second")
		})
		tb.Fatalf("start: %v", wrong)
		return nil
	})
	if err == nil || err.Error() != "start: wrong" || strings.Join(order, " ") != "second first" {
		t.Errorf("%v, cleaned up %v", err, order)
	}
}

func TestARatioIsThatOfTheSameRound(t *testing.T) {
	t.Parallel()
	of := func(seconds ...int) (rounds []round) {
		for _, n := range seconds {
			p := phase{times: make([]time.Duration, 100), took: time.Duration(n) * time.Second}
			rounds = append(rounds, round{p, p})
		}
		return rounds
	}
	ours := &result{system{name: accepting, store: onSQLite}, of(1, 2, 10)}
	peer := &result{system{name: "peer", store: onSQLite, like: accepting}, of(2, 4, 10)}
	if got := peer.ratios([]*result{ours, peer}); got != "2.0 | 2.0" {
		t.Error(got)
	}
}
