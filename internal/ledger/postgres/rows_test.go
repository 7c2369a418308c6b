//go:build integration

package postgres_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/postgres"
)

// accepted makes the write that creates a row.
func accepted(t testing.TB, id string) call.Write {
	t.Helper()
	return write(t, call.Begin(id), call.Event{
		Kind: call.EventAccepted, At: noon, Due: noon, Reason: "accepted",
		Opening: &call.Opening{
			Key:   call.Key{Kind: call.KindVoice, NotificationID: "notification-" + id, RecipientID: "recipient"},
			Cause: call.CauseRequest, Destination: "+12025550101", Token: "token-" + id,
		},
	}, "op-"+id+"-1")
}

// held makes the write that follows on a row.
func held(t testing.TB, c call.Call, op string) call.Write {
	t.Helper()
	return write(t, c, call.Event{Kind: call.EventHeld, At: noon.Add(time.Second), Due: noon.Add(time.Hour), Reason: "test"}, op)
}

func write(t testing.TB, c call.Call, e call.Event, op string) call.Write {
	t.Helper()
	w, err := c.Write(e, op)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func create(t testing.TB, l *postgres.Ledger, id string) call.Call {
	t.Helper()
	written, err := l.Create(t.Context(), accepted(t, id))
	if err != nil || !written.Applied {
		t.Fatalf("create %s: applied %t, error %v", id, written.Applied, err)
	}
	return written.Row
}

// used opens the ledger, creates rows and closes it.
func used(t *testing.T, o postgres.Options, ids ...string) {
	t.Helper()
	l, err := postgres.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		create(t, l, id)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}
