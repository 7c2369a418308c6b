package call

import (
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
