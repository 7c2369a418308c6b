package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/ringonce/ringonce/client"
	"github.com/ringonce/ringonce/internal/call"
)

// watchCommand follows a call until it has ended.
type watchCommand struct {
	ID   string `arg:"" help:"A call's id, or at least its first 6 characters."`
	JSON bool   `help:"Print one JSON object a line of the timeline, and the call at its end."`
}

// watchedLine is the JSON form of what a watch prints: lines, then the call.
type watchedLine struct {
	Line *timelineLine `json:"line,omitempty"`
	Call *listed       `json:"call,omitempty"`
}

// Between two looks: the wait after something happened, and the longest one when nothing does. mostMissed looks in a row may fail.
const (
	firstLook  = 250 * time.Millisecond
	laterLook  = 10 * time.Second
	mostMissed = 20
)

// watching is a watch of one call.
type watching struct {
	clock call.Clock
	look  func(ctx context.Context) (client.Detail, error)
	line  func(timelineLine) error
	say   func(string) // of the way there, and not of the call
}

// Run implements the command.
func (x *watchCommand) Run(ctx context.Context, e *environment) error {
	r, err := e.needRemote("watch")
	if err != nil {
		return err
	}
	id, err := r.resolve(ctx, x.ID)
	if err != nil {
		return err
	}
	w := watching{
		clock: e.Clock,
		look:  func(ctx context.Context) (client.Detail, error) { return r.api.Get(ctx, id) },
		line:  func(l timelineLine) error { return x.line(e, l) },
		say:   func(text string) { fmt.Fprintln(e.Stderr, "ringonce:", text) },
	}
	d, err := w.untilFinal(ctx)
	if err != nil {
		return r.told(err)
	}
	if err := x.end(e, d); err != nil {
		return err
	}
	return endWith(outcomeExits[call.MetState(call.State(d.Call.State))])
}

// untilFinal tells each line of the timeline once, and returns the call when it has ended. It looks often while things happen, seldom when nothing
// does, and outlives a service that is away for a while.
func (w watching) untilFinal(ctx context.Context) (client.Detail, error) {
	told, missed, pause := 0, 0, firstLook
	for {
		d, err := w.look(ctx)
		switch {
		case err == nil:
			if missed > 0 {
				w.say("the service answers again")
			}
			missed = 0
			for _, line := range linesThere(d.Timeline[min(told, len(d.Timeline)):]) {
				if err := w.line(line); err != nil {
					return d, err
				}
				pause = firstLook
			}
			told = max(told, len(d.Timeline))
			if call.State(d.Call.State).Final() {
				return d, nil
			}
		case !passing(err) || ctx.Err() != nil || missed+1 == mostMissed:
			return d, err
		default:
			if missed++; missed == 1 {
				w.say("the service does not answer now; it is asked again")
			}
		}
		if err := w.clock.Sleep(ctx, pause); err != nil {
			return client.Detail{}, err
		}
		pause = min(pause*3/2, laterLook)
	}
}

// passing reports whether a question may be answered later: no answer came, or one that says so.
func passing(err error) bool {
	problem, told := errors.AsType[*client.Error](err)
	return !told || problem.Retry()
}

func (x *watchCommand) line(e *environment, l timelineLine) error {
	if x.JSON {
		return printJSON(e.Stdout, watchedLine{Line: &l})
	}
	who := ""
	if l.Actor != "" {
		who = " (by " + l.Actor + ")"
	}
	_, err := fmt.Fprintf(e.Stdout, "%s  %s\n", stamp(l.At), plain(l.What+who))
	return err
}

func (x *watchCommand) end(e *environment, d client.Detail) error {
	if x.JSON {
		l := listedThere(d.Call)
		return printJSON(e.Stdout, watchedLine{Call: &l})
	}
	_, err := fmt.Fprintf(e.Stdout, "call %s is %s: %s\n", short(d.Call.ID), plain(d.Call.State), plain(d.Sentence))
	return err
}
