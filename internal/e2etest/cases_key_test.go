//go:build integration

package e2etest

import (
	"strings"
	"testing"

	lambdatypes "github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/ringonce/ringonce/internal/call"
)

func keyCases() []testCase {
	return []testCase{
		{"the same key with another number is a conflict and does not ring", conflict},
		{"a cancel that arrives first keeps the phone silent", cancelFirst},
	}
}

// conflict sends two fingerprints of one key. On a queue the second is acknowledged and kept beside the call; a caller that waits is told.
func conflict(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{})
	first, second := asking(0), asking(0)
	second.Number = number(1)
	c.send(t, d.queue, text(t, first))
	d.final(t, 1)
	c.send(t, d.queue, text(t, second), text(t, second))
	c.empty(t, d.queue)
	if answer := d.invoke(t, lambdatypes.InvocationTypeRequestResponse, text(t, second)); !strings.HasPrefix(answer, "error: ") || !strings.Contains(answer, "conflict") {
		t.Errorf("a direct caller was told %s", answer)
	}
	d.expect(t, once(first.Number))
	rows, err := d.rows(t.Context())
	if err != nil || len(rows) != 1 {
		t.Fatalf("%d calls (%v), want 1", len(rows), err)
	}
	notes, err := d.read.Store.Journal.Notes(t.Context(), rows[0].ID)
	if err != nil || len(notes.Kept) != 1 || notes.Kept[0].Kind != call.NoteConflict {
		t.Errorf("beside the call stands %+v (%v), want one conflict", notes, err)
	}
}

func cancelFirst(t *testing.T, c *cloud) {
	d := deploy(t, c, setting{})
	withdrawn := asking(0)
	withdrawn.RequestedAt = "2026-01-01T00:00:00Z"
	cancel := withdrawn
	cancel.Number, cancel.Action, cancel.RequestedAt = "", "cancel", "2026-01-01T00:00:01Z"
	c.send(t, d.queue, text(t, cancel))
	c.empty(t, d.queue)
	c.send(t, d.queue, text(t, withdrawn), text(t, withdrawn))
	c.empty(t, d.queue)
	d.expect(t, want{states: map[call.State]int{call.Canceled: 1}})
}
