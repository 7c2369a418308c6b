package call_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestATaintMovesTheFirstSignatureBackToTheBackupAndNeverOn(t *testing.T) {
	t.Parallel()
	r := call.Recovery{Backup: start, Restored: start.Add(day)}
	for _, c := range []struct{ signed, want time.Time }{
		{time.Time{}, start},
		{start.Add(-time.Hour), start.Add(-time.Hour)},
		{start.Add(4 * time.Minute), start}, // by a clock that was ahead
	} {
		row := call.Call{ID: "row", State: call.Received, FirstSigned: c.signed}
		if got := row.Apply(call.Taint(row, r, start.Add(2*day))); !got.FirstSigned.Equal(c.want) || got.State != call.Dialing {
			t.Errorf("signed %s, tainted: %s, %s", c.signed, got.FirstSigned, got.State)
		}
	}
}
