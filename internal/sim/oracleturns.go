package sim

import "github.com/ringonce/ringonce/internal/call"

// turnTruth is what the world knows of turns by the order in which writes became durable: it asks neither a clock nor a member of a row that says
// in which turn its key joined a list.
type turnTruth struct {
	claimed map[string]int // first rows: when the turn that is claimed there was
	joined  map[string]int // first rows: when they became a step of another key's list
}

func newTurnTruth() turnTruth { return turnTruth{claimed: map[string]int{}, joined: map[string]int{}} }

// apply is told every write of the ledger in its order.
func (t turnTruth) apply(write *call.Write, nth int) {
	switch row := write.Row; write.Entry.Kind { //nolint:exhaustive // the others are about no turn
	case call.EventEscalated, call.EventTurnConfirmed:
		t.claimed[row.ID] = nth
	case call.EventJoined:
		t.joined[row.ID] = nth
	case call.EventRingOpened:
		if row.Next != nil && row.Next.Cause == call.CauseWindow { // of another request: what was left of the list is gone
			delete(t.joined, row.ID)
		}
	}
}

// judgePassing sees, before a write becomes durable, that a list neither passes over a recipient whose call has become its step in this very turn, nor
// rings them anew for it; w.mu is held.
func (w *World) judgePassing(write call.Write) {
	switch row := write.Row; write.Entry.Kind { //nolint:exhaustive // the others are about no turn
	case call.EventTurnConfirmed:
		head, _ := w.truth.row(row.ID)
		if step, joined := w.joinedIn(head); joined && row.EscalatedTo == "" && step.Forgetting.IsZero() && !step.IsForgotten() {
			w.findLocked("the list of ", w.names[head.ID], " passes over ", w.names[step.ID], ", whose call goes on with it")
		}
	case call.EventRingOpened:
		head, known := w.truth.row(row.EscalatedFrom)
		if !known || row.Next == nil || row.Next.Cause != call.CauseWindow {
			return
		}
		event, err := write.Entry.Event()
		if step, joined := w.joinedIn(head); joined && step.ID == row.ID && err == nil && event.Delivery == nil {
			w.findLocked(w.names[row.ID], " is rung anew in the turn in which it joined the list of ", w.names[head.ID])
		}
	}
}

// joinedIn returns the first row of the recipient whose turn is claimed, and whether it became a step of the list since it is; w.mu is held.
func (w *World) joinedIn(head call.Call) (step call.Call, joined bool) {
	if head.Turn == nil {
		return step, false
	}
	key := head.Key
	key.RecipientID = head.Turn.Recipient.RecipientID
	step, known := w.truth.row(call.Naming{}.Row(key, 0))
	claimed, marked := w.truth.turns.claimed[head.ID]
	return step, known && marked && step.EscalatedFrom == head.ID && w.truth.turns.joined[step.ID] > claimed
}
