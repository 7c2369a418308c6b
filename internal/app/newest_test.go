package app

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// paidIndex answers as the index of a table does.
type paidIndex struct {
	call.Index

	rows   []call.Call
	unread map[call.State]int
	err    error
	asked  int
}

func (p *paidIndex) Newest(_ context.Context, _ []call.State, among, read int) ([]call.Call, map[call.State]int, error) {
	if p.asked++; among != mostStanding || read != readOfState {
		return nil, nil, errors.New("it is asked for more than is cheap")
	}
	return p.rows, p.unread, p.err
}

func TestWhatStandsInATableIsCountedAmongItsNewestCallsAndSeldom(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	index := &paidIndex{
		rows: []call.Call{
			{State: call.InDoubt, FinalAt: now.Add(-26 * time.Hour)},
			{State: call.InDoubt, FinalAt: now.Add(-time.Hour)},
			{State: call.Received, Due: now.Add(time.Minute), DueReason: "pacing"},
			{State: call.Received, Due: now.Add(-time.Minute)},
		},
		unread: map[call.State]int{call.InDoubt: 3, call.Received: 40},
	}
	a := &App{Store: &Store{Index: index}}
	look := func(at time.Time) (Standing, error) {
		s := Standing{At: at, Held: map[string]int{}}
		err := a.count(t.Context(), &s)
		return s, err
	}
	index.err = errors.New("it does not answer")
	if s, err := look(now); err == nil || s.Counted {
		t.Errorf("%+v, %v", s, err)
	}
	index.err = &call.Error{Code: call.CodeConfiguration, Message: "The table has no index list."}
	if s, err := look(now); err != nil || s.Counted {
		t.Errorf("without the index: %+v, %v", s, err)
	}
	index.err = nil
	s, err := look(now)
	if err != nil || !s.Counted || s.Doubts != 5 || s.OldestDoubt != 26*time.Hour || !maps.Equal(s.Held, map[string]int{"pacing": 1, "not_read": 40}) {
		t.Errorf("%+v, %v", s, err)
	}
	for after, asked := range map[time.Duration]int{time.Minute: 3, countEvery - 1: 3} {
		if s, err = look(now.Add(after)); err != nil || s.Counted || index.asked != asked {
			t.Errorf("after %s: %+v, %v, asked %d times", after, s, err, index.asked)
		}
	}
	if s, err = look(now.Add(countEvery)); err != nil || !s.Counted || index.asked != 4 {
		t.Errorf("later: %+v, %v, asked %d times", s, err, index.asked)
	}
	if s, err = look(now.Add(-time.Hour)); err != nil || !s.Counted { // a clock that was put back
		t.Errorf("earlier: %+v, %v", s, err)
	}
}
