package httpapi

import (
	"context"

	"github.com/ringonce/ringonce/internal/access"
	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ingress/httpapi/oas"
	"github.com/ringonce/ringonce/internal/timeline"
)

// tells reports whether the asker is told the tokens of a call: operators, and producers of its own key space. Who was only granted to see a key space
// could take a token elsewhere.
func tells(ctx context.Context, row call.Call) bool {
	who := askedOf(ctx).who
	return who.Kind == access.Operator || who.Kind == access.Producer && who.KeySpace == row.Key.KeySpace
}

// attempts are the dials of a row as its history tells them.
func attempts(row call.Call, events []call.Event, told bool) []oas.Attempt {
	found := timeline.Attempts(events)
	shown := make([]oas.Attempt, 0, len(found))
	for _, f := range found {
		a := oas.Attempt{
			ID: f.ID, Ring: row.Ring, State: oas.AttemptStateOpen, OpenedAt: f.OpenedAt.UTC(), LeaseEnd: f.LeaseEnd.UTC(), AnsweredAt: instant(f.Answered),
			WireSends: 1, ContactId: text(f.ContactID), Code: text(string(f.Code)), Message: text(f.Message), Phantom: flag(f.Phantom),
		}
		if f.Outcome != call.ClassOpen {
			a.State = oas.AttemptState(f.Outcome)
		}
		if f.TookMS != 0 {
			a.TookMs = oas.NewOptInt64(f.TookMS)
		}
		if f.Outcome == call.ClassNotSent {
			a.WireSends = 0
		}
		if told {
			a.ClientToken = text(row.Token)
		}
		shown = append(shown, a)
	}
	return shown
}

// sightOf is what is known of a contact's life.
func sightOf(s *call.Sight) oas.OptSight {
	if s == nil {
		return oas.OptSight{}
	}
	return oas.NewOptSight(oas.Sight{
		Initiated: instant(s.Initiated), Connected: instant(s.Connected), Queued: instant(s.Queued), Agent: instant(s.Agent),
		Disconnected: instant(s.Disconnected), Reason: remarkOf(s.Reason), Machine: remarkOf(s.Machine), CheckedIn: instant(s.CheckedIn),
		Key: remarkOf(s.Key), Confirmed: instant(s.Confirmed), Unwanted: instant(s.Unwanted), Described: instant(s.Described),
	})
}

func remarkOf(r call.Remark) oas.OptRemark {
	if r == (call.Remark{}) {
		return oas.OptRemark{}
	}
	return oas.NewOptRemark(oas.Remark{Text: text(r.Text), At: instant(r.At)})
}
