package httpapi

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
)

// Telling is what the producer of a call is told by webhook, in order.
type Telling struct {
	Receiver string // host that takes it
	Events   []ToldEvent
}

// ToldEvent is one thing that a producer is told.
type ToldEvent struct {
	ID, Type string
	At       time.Time
	Taken    bool
}

// telling returns what the producer of a call is told; told is false where it is told nothing.
func (a *api) telling(ctx context.Context, id string) (t Telling, told bool, err error) {
	if _, err = a.seen(ctx, id); err != nil || a.Told == nil {
		return t, false, err
	}
	return a.Told(ctx, id)
}

// ListTold implements oas.Handler.
func (a *api) ListTold(ctx context.Context, p oas.ListToldParams) (*oas.Told, error) {
	t, _, err := a.telling(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	return toldOf(t), nil
}

// TellCall implements oas.Handler.
func (a *api) TellCall(ctx context.Context, req *oas.TellWish, p oas.TellCallParams) (*oas.Told, error) {
	answer, err := a.tell(ctx, req, p.ID)
	a.audit(ctx, p.ID, req.Reason, err)
	return answer, err
}

func (a *api) tell(ctx context.Context, req *oas.TellWish, id string) (*oas.Told, error) {
	t, told, err := a.telling(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case strings.TrimSpace(req.Reason) == "":
		return nil, &call.Error{Code: call.CodeReasonMissing, Field: "reason", Message: "Telling again needs a reason.", Fix: "Say why the producer is told again."}
	case req.All.Value && req.From.Set:
		return nil, &call.Error{Code: call.CodeFieldValue, Field: "from", Message: "The fields all and from are both given.", Fix: "Give one of them, or none for what was not taken."}
	case !told:
		return nil, refuse(http.StatusConflict, "not_told", "The producer of this call is told nothing.", "Configure webhooks for its key space.")
	case len(t.Events) == 0:
		return nil, refuse(http.StatusConflict, "nothing_to_tell", "Nothing of this call is told: its recipient was forgotten, or nobody asked for it.", "There is nothing to do.")
	}
	first := slices.IndexFunc(t.Events, func(e ToldEvent) bool { return !e.Taken })
	switch {
	case req.All.Value:
		first = 0
	case req.From.Set:
		if first = slices.IndexFunc(t.Events, func(e ToldEvent) bool { return e.ID == req.From.Value }); first < 0 {
			return nil, &call.Error{Code: call.CodeFieldValue, Field: "from", Message: "The field from names no event of this call.", Fix: "Take an id of the events that are told."}
		}
	case first < 0:
		return nil, refuse(http.StatusConflict, "nothing_to_tell", "The producer has taken every event of this call.", "Give all, or from with the first event that is to come again.")
	}
	if err := a.TellAgain(ctx, id, t.Events[first].ID); err != nil {
		return nil, err
	}
	for i := range t.Events[first:] {
		t.Events[first+i].Taken = false
	}
	answer := toldOf(t)
	answer.Again = oas.NewOptInt(len(t.Events) - first)
	return answer, nil
}

func toldOf(t Telling) *oas.Told {
	shown := &oas.Told{Receiver: text(t.Receiver), Events: []oas.ToldEvent{}}
	for _, e := range t.Events {
		shown.Events = append(shown.Events, oas.ToldEvent{ID: e.ID, Type: e.Type, At: e.At.UTC(), Taken: e.Taken})
	}
	return shown
}
