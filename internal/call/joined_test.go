package call

import (
	"fmt"
	"testing"
	"time"
)

// TestAKeyThatJoinedAListBeforeItsRequestCameStaysInTheList: the first request for a tombstone once took the key out of the list, and what was left
// of the list with it.
func TestAKeyThatJoinedAListBeforeItsRequestCameStaysInTheList(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC)
	key := Key{Kind: KindVoice, NotificationID: "n", RecipientID: "bob"}
	c := Begin("row").Apply(Event{Kind: EventTombstone, At: at, Before: at, Opening: &Opening{Key: key, Cause: CauseRequest}})
	c = c.Apply(Event{Kind: EventJoined, At: at, RowID: "head", Escalation: []Recipient{{RecipientID: "eve", Destination: "+12025550101"}}})
	due := c.Due
	c = c.Apply(Event{Kind: EventBodyAttached, At: at, Opening: &Opening{
		Key: key, Cause: CauseRequest, Fingerprint: "f", Escalation: []Recipient{{RecipientID: "kim", Destination: "+12025550102"}},
	}})
	if c.EscalatedFrom != "head" || len(c.Escalation) != 2 || c.Escalation[0].RecipientID != "kim" || c.Escalation[1].RecipientID != "eve" || !c.Follows {
		t.Errorf("it comes from %q and goes on with %v, follows %t", c.EscalatedFrom, c.Escalation, c.Follows)
	}
	if due.IsZero() || !c.Due.Equal(due) || c.DueReason != whyFollow {
		t.Errorf("what comes after its end is due at %s (%s), and was at %s", c.Due, c.DueReason, due)
	}
}

// joinedIn is a key that joined a list in a turn, with its history.
func joinedIn(t *testing.T, turn time.Time) (Call, []Entry) {
	t.Helper()
	m := &history{t: t, row: Begin("row")}
	m.write(Event{Kind: EventAccepted, At: noon, Due: noon, Opening: &Opening{Key: article(), Cause: CauseRequest, Fingerprint: "f", RequestedAt: noon}})
	m.write(Event{Kind: EventJoined, At: noon.Add(time.Hour), RowID: "head", Claimed: turn, Escalation: []Recipient{{RecipientID: "eve"}}})
	return m.row, m.entries
}

// history keeps what is written to a row.
type history struct {
	t       *testing.T
	row     Call
	entries []Entry
}

func (h *history) write(e Event) {
	h.t.Helper()
	w, err := h.row.Write(e, fmt.Sprint("op-", len(h.entries)))
	if err != nil {
		h.t.Fatal(err)
	}
	h.row, h.entries = w.Row, append(h.entries, w.Entry)
}

// TestAProgramThatDoesNotKnowTheTurnReadsARowThatSaysIt: nothing else of a row tells it, so a program of before reads, folds and writes such a row as
// its own, and the schema is the one that it knows.
func TestAProgramThatDoesNotKnowTheTurnReadsARowThatSaysIt(t *testing.T) {
	t.Parallel()
	row, _ := joinedIn(t, noon)
	of, _ := joinedIn(t, time.Time{})
	if row.Schema != 1 || !row.JoinedTurn.Equal(noon) {
		t.Errorf("it has schema %d, and joined in the turn of %s", row.Schema, row.JoinedTurn)
	}
	row.JoinedTurn, row.Head, of.Head = time.Time{}, "", ""
	if !sameRow(row, of) {
		t.Errorf("more than the turn is told:\n%+v\n%+v", row, of)
	}
}

// TestWhatAnOlderProgramDropsIsNoBreach: it drops the turn when it writes the row. That a row lacks it whose newest entry says it, or has another one, is one.
func TestWhatAnOlderProgramDropsIsNoBreach(t *testing.T) {
	t.Parallel()
	row, entries := joinedIn(t, noon)
	if found := CheckHistory(row, entries); len(found) > 0 {
		t.Fatal(found)
	}
	bare := row
	bare.JoinedTurn = time.Time{}
	expect(t, "no turn, and its entry is the newest", "I9", CheckHistory(bare, entries))
	h := &history{t: t, row: bare, entries: entries}
	h.write(Event{Kind: EventNoted, At: noon, Reason: "seen by an older program"})
	h.write(Event{Kind: EventHeld, At: noon, Due: noon.Add(time.Minute), Reason: "held"})
	if found := CheckHistory(h.row, h.entries); len(found) > 0 {
		t.Errorf("a row that two programs wrote: %v", found)
	}
	other := h.row
	other.JoinedTurn = noon.Add(1)
	expect(t, "another turn", "I9", CheckHistory(other, h.entries))
	other = h.row
	other.EscalatedFrom = "elsewhere"
	expect(t, "another list", "I9", CheckHistory(other, h.entries))
}

// TestALaterRequestAndAnErasureEndTheTurn: another request begins a list anew, and of a forgotten row nothing is left that a list had to do with.
func TestALaterRequestAndAnErasureEndTheTurn(t *testing.T) {
	t.Parallel()
	row, _ := joinedIn(t, noon)
	again := Event{Kind: EventRingOpened, At: noon, Next: &Child{Ring: 1, Cause: CauseWindow, Due: noon}}
	if c := row.Apply(again); !c.JoinedTurn.IsZero() {
		t.Errorf("a later request left the turn of %s", c.JoinedTurn)
	}
	again.Next.Cause = CauseRule
	if c := row.Apply(again); !c.JoinedTurn.Equal(noon) {
		t.Errorf("a re-call left the turn of %s", c.JoinedTurn)
	}
	if left := row.residue("row", noon); !left.JoinedTurn.IsZero() {
		t.Errorf("an erasure left the turn of %s", left.JoinedTurn)
	}
}
