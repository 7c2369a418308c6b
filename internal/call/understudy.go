package call

import (
	"context"
	"time"
)

// understudy is a dialer that rings no phone: it makes bodies as the real one does, takes dials down and answers them as accepted.
type understudy struct {
	Dialer
	ledger *shadow // nil without a ledger

	dials    []rehearsed
	searched bool
	stopped  bool
}

// rehearsed is a dial that was taken down.
type rehearsed struct {
	row   Call // with the intent
	known bool // the ledger knew the row before
	again bool // another attempt of the row is open
}

// begin forgets what an earlier delivery did.
func (u *understudy) begin() { u.dials, u.searched, u.stopped = nil, false, false }

func (u *understudy) first() (rehearsed, bool) {
	if len(u.dials) == 0 {
		return rehearsed{}, false
	}
	return u.dials[0], true
}

// Dial implements [Dialer].
func (u *understudy) Dial(ctx context.Context, s Send) Answer {
	dial := rehearsed{row: Call{ID: s.CallID, Key: Key{Kind: s.Kind}, Token: s.Token, Target: s.Target, Pin: string(s.Body)}}
	if u.ledger != nil {
		if row, err := u.ledger.Get(ctx, s.CallID); err == nil { // the intent was written here just now
			dial.row, dial.again = row, len(row.Open) > 1
		}
		dial.known = !u.ledger.fresh[s.CallID]
	}
	u.dials = append(u.dials, dial)
	return Answer{Class: ClassOK, ContactID: "rehearsed-" + s.CallID}
}

// Describe implements [Dialer].
func (*understudy) Describe(context.Context, Target, string) (Contact, error) {
	return Contact{}, ErrNotFound
}

// Search implements [Dialer]. What Amazon Connect would show is not asked for.
func (u *understudy) Search(context.Context, Target, string, time.Time, time.Time) ([]Contact, error) {
	u.searched = true
	return nil, nil
}

// Stop implements [Dialer].
func (u *understudy) Stop(context.Context, Target, string) error {
	u.stopped = true
	return nil
}

// reason says why the phone would be dialed.
func (d rehearsed) reason(withoutLedger bool) string {
	switch {
	case withoutLedger:
		return ReasonNoLedger
	case d.again && d.row.phantom():
		return ReasonRestored
	case d.again:
		return ReasonLostReply
	case d.known:
		return ReasonDue
	case d.row.Cause == CauseRequest:
		return ReasonNewKey
	}
	return string(d.row.Cause)
}
