package app

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// toldHooks and toldHints write down what they are asked, into one list.
type toldHooks struct {
	Webhooks

	asked *[]string
	err   error
}

func (h toldHooks) Back(_ context.Context, row, event string) error {
	*h.asked = append(*h.asked, "back "+row+" "+event)
	return h.err
}

type toldHints struct {
	Hints

	asked *[]string
}

func (h toldHints) Notice(_ context.Context, row string) error {
	*h.asked = append(*h.asked, "notice "+row)
	return nil
}

// TestATellingAgainIsHandedToTheJobsBehindItsMark: a job that came before it would find everything told, and nobody looks for calls of long ago.
func TestATellingAgainIsHandedToTheJobsBehindItsMark(t *testing.T) {
	t.Parallel()
	failed := errors.New("planted: away")
	for _, c := range []struct {
		err  error
		want []string
	}{{nil, []string{"back row-1 e-2", "notice row-1"}}, {failed, []string{"back row-1 e-2"}}} {
		var asked []string
		a := &App{webhooks: toldHooks{asked: &asked, err: c.err}, Hints: toldHints{asked: &asked}}
		if err := a.TellAgain(t.Context(), "row-1", "e-2"); !errors.Is(err, c.err) || !slices.Equal(asked, c.want) {
			t.Errorf("%v: %v", err, asked)
		}
	}
	if _, told, err := (&App{}).Told(t.Context(), "row-1"); told || err != nil {
		t.Error("where there are no webhooks somebody is told", err)
	}
}
