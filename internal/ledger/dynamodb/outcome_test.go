package dynamodb

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/outcome"
)

// TestARowWithItsOutcomeFitsOneWriteUnit measures the item of a tracked call, when it was placed and when its contact has ended.
func TestARowWithItsOutcomeFitsOneWriteUnit(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	e := engineOn(t, l, func(c *call.Config) {
		c.Index, c.Outcome = l, outcome.Of
		c.Tracks = func(call.Profile) (bool, bool) { return true, false }
	})
	d := delivery(t, 1)
	out := e.Place(t.Context(), d)
	if out.Met != call.MetPlaced {
		t.Fatalf("the call is %s: %s", out.Met, out.Message)
	}
	placed := wireSize(f.Items[out.Call.ID])
	at := func(s float64) time.Time { return out.Call.PlacedAt.Add(time.Duration(s * float64(time.Second))) }
	told := outcome.Told{Initiated: at(0.12), Connected: at(8.341), Disconnected: at(25.777), Reason: "CONTACT_FLOW_DISCONNECT"}.Sight()
	target := call.Target{Region: "ap-northeast-1", InstanceID: "7d9f1b1c-3b5e-4a57-9c53-3f2b8f6d0a11"}
	row, err := e.SawContactEvent(t.Context(), target, out.ContactID, told)
	if err != nil || row.Outcome != call.OutcomeAnswered || !row.DueAt().IsZero() {
		t.Fatalf("%q, due %s, %v", row.Outcome, row.DueAt(), err)
	}
	ended := wireSize(f.Items[out.Call.ID])
	t.Logf("placed and tracked %d bytes, ended %d bytes", placed, ended)
	if placed > unit || ended > unit {
		t.Errorf("%d bytes when placed and %d when ended: more than one write unit", placed, ended)
	}
}
