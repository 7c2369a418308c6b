package httpapi

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/problem"
)

// rejected writes down that what somebody wanted to change was answered before any handler saw it, where looking alone is not written down.
func (a *api) rejected(ctx context.Context, q *asked, d problem.Document) {
	if !changing[q.op] {
		return
	}
	err := &refusal{d}
	act := Act{At: a.Clock.Now(), Actor: q.who.Name, Kind: string(q.who.Kind), Action: q.op, CallID: q.callID, Target: q.target}
	if q.op == opPlace {
		act.CallID = a.concerned(q, oas.Placed{}, err)
	}
	a.record(ctx, act, err)
}

// changing are the operations of which every answer is written down.
var changing = map[string]bool{
	opPlace: true, opBatch: true, "cancelCall": true, "acknowledgeCall": true, opRecall: true, "closeDoubt": true, opRelease: true, opDrop: true, opReleaseMany: true, opDropMany: true, "pause": true,
	"tellCall": true, "resume": true, "addDoNotCall": true, "removeDoNotCall": true, opOrder: true, opConfirm: true, "refuseOrder": true,
}

// concerned returns the call that a request for one is about: the one it was answered with or met, else the one that it would have made. A refused request is in no ledger,
// so its id says no more than which request it was: sent again, it is the same. Empty where the body holds no ids.
func (a *api) concerned(q *asked, answer oas.Placed, err error) string {
	if id := answer.CallId.Value; id != "" || err == nil {
		return id
	}
	if id := problemOf(err).CallID; id != "" {
		return id
	}
	if d, unread := a.decode(q); unread == nil {
		if id, _, err := a.Engine.Key(d); err == nil {
			return id
		}
	}
	var ids struct{ NotificationID, RecipientID, RecallID, ClientToken, Profile string }
	if json.Unmarshal(q.raw, &ids) != nil {
		return ""
	}
	space := q.who.KeySpace
	id, _, _ := a.Engine.Key(call.Delivery{ // a withdrawal, which is asked for nothing but its ids
		Request: call.Request{
			NotificationID: ids.NotificationID, RecipientID: ids.RecipientID, RecallID: ids.RecallID, ClientToken: ids.ClientToken, Profile: ids.Profile, Action: call.ActionCancel,
		},
		Source: call.SourceHTTP, Producer: q.who.Sender(), KeySpace: &space, ID: q.id, ReceivedAt: a.Clock.Now(),
	})
	return id
}

// about puts down which call or what else the path names.
func (q *asked) about(route oas.Route) {
	switch args := route.Args(); {
	case len(args) == 0:
	case strings.HasPrefix(route.PathPattern(), "/v1/orders/"):
		q.target = orderTarget(args[0])
	default:
		q.callID = args[0]
	}
}
