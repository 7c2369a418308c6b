package cli

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/client"
)

// paced is a clock that only remembers how long it was slept on.
type paced struct{ slept []time.Duration }

func (p *paced) Now() time.Time { return time.Time{} }

func (p *paced) Sleep(_ context.Context, d time.Duration) error {
	p.slept = append(p.slept, d)
	return nil
}

// follow watches a service that gives these answers one after the other, the last one again and again.
func follow(t *testing.T, answers ...any) (lines int, said []string, slept []time.Duration, err error) {
	t.Helper()
	clock := &paced{}
	w := watching{
		clock: clock,
		look: func(context.Context) (client.Detail, error) {
			answer := answers[0]
			if len(answers) > 1 {
				answers = answers[1:]
			}
			if err, failed := answer.(error); failed {
				return client.Detail{}, err
			}
			d, _ := answer.(client.Detail)
			return d, nil
		},
		line: func(timelineLine) error { lines++; return nil },
		say:  func(text string) { said = append(said, text) },
	}
	_, err = w.untilFinal(t.Context())
	return lines, said, clock.slept, err
}

// at is a call in a state with so many lines.
func at(state string, lines int) client.Detail {
	return client.Detail{Call: client.Call{State: state}, Timeline: make([]client.Line, lines)}
}

func TestAWatchLooksLessOftenWhileNothingHappensAndOftenAgainWhenSomethingDoes(t *testing.T) {
	t.Parallel()
	var answers []any
	for range 15 {
		answers = append(answers, at("received", 1))
	}
	lines, _, slept, err := follow(t, append(answers, at("dialing", 2), at("placed", 4))...)
	if err != nil || lines != 4 {
		t.Errorf("%d lines, %v", lines, err)
	}
	if !slices.IsSorted(slept[:15]) || slept[0] != firstLook || slept[14] != laterLook || slept[15] != firstLook {
		t.Errorf("%v", slept)
	}
}

func TestAWatchOutlivesAServiceThatIsAwayForAWhileAndNoLonger(t *testing.T) {
	t.Parallel()
	away, busy, refused := errors.New("connection refused"), &client.Error{Status: 503}, &client.Error{Status: 404, Code: "not_found"}
	lines, said, _, err := follow(t, at("received", 1), away, busy, away, at("placed", 3))
	if err != nil || lines != 3 || len(said) != 2 {
		t.Errorf("%d lines, %q, %v", lines, said, err)
	}
	_, _, slept, err := follow(t, away)
	if !errors.Is(err, away) || len(slept) != mostMissed-1 {
		t.Errorf("%v after %d looks", err, len(slept)+1)
	}
	if _, _, slept, err = follow(t, refused); !errors.Is(err, refused) || len(slept) != 0 {
		t.Errorf("%v after %d looks", err, len(slept)+1)
	}
}
