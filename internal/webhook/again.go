package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
)

// Story is what the producer of a call is told, in order.
type Story struct {
	Receiver string // host of the endpoint; its path may be a secret
	Events   []Event
	Taken    int // so many of them, from the first on, were taken
}

// The reasons why nothing can be told again.
var (
	ErrNobody  = errors.New("the producer of the call is told nothing")
	ErrNoEvent = errors.New("the call has no such event")
)

// Story returns what the producer of a call is told and how far it has taken it, or ErrNobody, or call.ErrNotFound.
func (t *Teller) Story(ctx context.Context, row string) (Story, error) {
	story, _, err := t.story(ctx, row)
	return story, err
}

func (t *Teller) story(ctx context.Context, row string) (story Story, at position, err error) {
	c, err := t.Ledger.Get(ctx, row)
	if err != nil {
		return story, at, fmt.Errorf("read the call to tell of: %w", err)
	}
	endpoint, told := t.Endpoint(c.Key.KeySpace)
	if !told {
		return story, at, ErrNobody
	}
	if at, err = read(ctx, t.Cells, cellOf(endpoint.URL, row)); err != nil {
		return story, at, err
	}
	history, err := t.Index.History(ctx, row)
	if err != nil {
		return story, at, fmt.Errorf("read the history to tell of: %w", err)
	}
	if story.Events, err = Events(c, history, 0); err != nil {
		return story, at, fmt.Errorf("read the history to tell of: %w", err)
	}
	for story.Taken < len(story.Events) && story.Events[story.Taken].seq <= at.Seq {
		story.Taken++
	}
	if u, err := url.Parse(endpoint.URL); err == nil {
		story.Receiver = u.Host
	}
	return story, at, nil
}

// backTries is how often the cursor is moved back against others that move it on.
const backTries = 5

// Back makes an event of a call, and all that follow it, untold, so that Tell tells them again in their order under the same ids. Whoever is telling the call
// meanwhile stops behind the request that it has begun, and nobody begins another one before it has, or its lease ends. Besides those of Story it returns ErrNoEvent, and
// ErrBusy when others moved the cursor all the time.
func (t *Teller) Back(ctx context.Context, row, event string) error {
	for range backTries {
		story, at, err := t.story(ctx, row)
		if err != nil {
			return err
		}
		i := slices.IndexFunc(story.Events, func(e Event) bool { return e.ID == event })
		if i < 0 {
			return ErrNoEvent
		}
		seq := story.Events[i].seq
		if at.Seq < seq {
			return nil
		}
		if err = at.write(ctx, cursor{Seq: seq - 1, Until: at.Until}, t.Clock.Now()); !errors.Is(err, ErrBusy) {
			return err
		}
	}
	return ErrBusy
}
