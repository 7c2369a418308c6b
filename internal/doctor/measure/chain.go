package measure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// steps does what is due, one after the other, and returns when the next step is; zero when none is left.
func (r *Runner) steps(ctx context.Context) (time.Time, error) {
	if r.expired() {
		if err := r.giveUp(StepChain, "the token is near the end of its 7 days, and its last repeats were missed"); err != nil {
			return time.Time{}, err
		}
	}
	for _, do := range []func(context.Context) error{r.place, r.ask, r.refusal, r.ask, r.late, r.params, r.ask, r.scope, r.ask} {
		if err := do(ctx); err != nil {
			return time.Time{}, err
		}
	}
	return r.repeats(ctx)
}

// expired reports whether a repeat that is still to come would prove nothing: the token may be dead by its age.
func (r *Runner) expired() bool {
	c := r.state.Chain
	return c.Contact != "" && !Judge(r.state).Final && len(c.Repeats) < len(repeatsAfter) && r.Clock.Now().Sub(c.Placed) >= TooLate
}

// place makes the first call of the chain and waits for its end.
func (r *Runner) place(ctx context.Context) error {
	if r.state.Chain.Contact == "" {
		if err := r.attempt(ctx, StepChain, r.first); err != nil {
			return err
		}
	}
	c := &r.state.Chain
	if !c.Ended.IsZero() {
		return nil
	}
	ended, err := r.end(ctx, r.state.Target, c.Contact)
	if err != nil {
		return err
	}
	if ended.IsZero() {
		return stuck(StepChain, call.Answer{Code: call.CodeNotFinal, Message: "The first call has not ended. Hang up."})
	}
	c.Ended = ended.UTC()
	return r.keep()
}

// first sends the first request of the chain.
func (r *Runner) first(ctx context.Context) (lost string, err error) {
	token, err := r.token()
	if err != nil {
		return "", err
	}
	r.Person.Tell("The telephone is called now. Answer, and hang up.")
	placed := r.Clock.Now().UTC()
	a, err := r.send(ctx, order{step: StepChain, profile: r.Profile, token: token, rings: 1})
	switch {
	case err != nil:
		return "", err
	case a.Class == call.ClassAmbiguous:
		return "the answer to the first call was lost", nil
	case a.Class != call.ClassOK:
		return "", r.unsent(StepChain, a)
	}
	r.state.Rings++
	r.state.Chain = Chain{Token: token, Contact: a.ContactID, Placed: placed}
	return "", r.keep()
}

// ask asks what a step just done, or an earlier run, left unasked.
func (r *Runner) ask(ctx context.Context) error {
	for i := range r.state.Chain.Repeats {
		r.date(ctx, &r.state.Chain.Repeats[i])
	}
	for _, q := range r.unasked() {
		rang, err := r.rang(ctx, q.about)
		if err != nil {
			return err
		}
		*q.to = HeardNothing
		if rang > q.must {
			*q.to = HeardRing
		}
		if err := r.keep(); err != nil {
			return err
		}
	}
	return nil
}

// question is about one call: whether the telephone rang more often for it than it must have.
type question struct {
	about string
	must  int
	to    *Heard
}

// unasked returns the questions that nobody has answered, in the order of their calls.
func (r *Runner) unasked() []question {
	var all []question
	c := &r.state.Chain
	if c.Contact != "" {
		all = append(all, question{"the first call, at " + clock(c.Placed), 0, &c.Heard})
	}
	if t := r.state.Refusal; t != nil {
		all = append(all, question{"the call with a token that was refused before", 0, &t.Heard})
	}
	for _, t := range []*Trial{r.state.Params, r.state.Scope} {
		if t != nil { // the first of the pair rings in any case
			all = append(all, question{"the two requests with one token", 1, &t.Heard})
		}
	}
	for i := range c.Repeats {
		if again := &c.Repeats[i]; again.Code == "" {
			all = append(all, question{"the token sent again, at " + clock(again.At), 0, &again.Heard})
		}
	}
	return slices.DeleteFunc(all, func(q question) bool { return *q.to != "" })
}

// date looks up when another contact than the first was begun. Where that cannot be seen, the person's ear decides alone.
func (r *Runner) date(ctx context.Context, again *Repeat) {
	if again.Heard != "" || again.Contact == r.state.Chain.Contact || !again.Initiated.IsZero() {
		return
	}
	if described, err := r.describe(ctx, r.state.Target, again.Contact); err == nil {
		again.Initiated = described.Initiated
	}
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05 UTC") }

// repeats sends the token again where that is due, and returns when the next time is.
func (r *Runner) repeats(ctx context.Context) (time.Time, error) {
	for !Judge(r.state).Final {
		c := &r.state.Chain
		if len(c.Repeats) == len(repeatsAfter) {
			return time.Time{}, nil
		}
		after := repeatsAfter[len(c.Repeats)]
		due := c.Placed.Add(after)
		if ended := c.Ended.Add(Soon); after == Soon && ended.After(due) {
			due = ended // 2 minutes after the call is over, however long it lasted
		}
		if r.Clock.Now().Before(due) {
			return due, nil
		}
		if err := r.repeat(ctx, after); err != nil {
			return time.Time{}, err
		}
		if r.state.Chain.Contact == "" { // given up: begin anew at once
			return r.Clock.Now(), nil
		}
	}
	return time.Time{}, nil
}

func (r *Runner) repeat(ctx context.Context, after time.Duration) error {
	c := &r.state.Chain
	r.Person.Tell(fmt.Sprintf("The token is sent again, %s after the first call. Watch the telephone.", span(after)))
	at := r.Clock.Now().UTC()
	a, err := r.send(ctx, order{step: StepChain, profile: r.Profile, token: c.Token, rings: 1})
	if err != nil {
		return err
	}
	again := Repeat{After: after, At: at, Contact: a.ContactID}
	switch a.Class {
	case call.ClassOK:
	case call.ClassAmbiguous:
		if err := r.giveUp(StepChain, "the answer to a repeat was lost"); err != nil {
			return err
		}
		return r.flush(ctx)
	case call.ClassRefusedRequest:
		again.Code = a.Code
	case call.ClassOpen, call.ClassThrottled, call.ClassNotSent, call.ClassRefusedSetup:
		return r.unsent(StepChain, a)
	}
	if again.Contact != "" && again.Contact != c.Contact {
		r.state.Rings++
	}
	c.Repeats = append(c.Repeats, again)
	if err := r.keep(); err != nil {
		return err
	}
	if err := r.pause(ctx, a); err != nil { // time to ring, before the question
		return err
	}
	return r.ask(ctx)
}

// ringTime is how long the telephone is given to ring before a question about it.
const ringTime = 30 * time.Second

// pause lets a call ring and end, as far as it is known.
func (r *Runner) pause(ctx context.Context, a call.Answer) error {
	if a.ContactID == "" {
		return r.Clock.Sleep(ctx, ringTime)
	}
	if err := r.Clock.Sleep(ctx, ringTime); err != nil {
		return err
	}
	_, err := r.end(ctx, r.state.Target, a.ContactID)
	return err
}

// unsent ends a run at an answer after which nothing has changed: the step is still due.
func (r *Runner) unsent(step Step, a call.Answer) error {
	if err := r.keep(); err != nil {
		return err
	}
	return stuck(step, a)
}
