package dynamodb

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// standing makes calls, one a minute: of each 10 one becomes a doubt, one is placed, and the others wait.
func standing(t *testing.T, l *Ledger, calls int) {
	t.Helper()
	for n := range calls {
		at := noon.Add(time.Duration(n) * time.Minute)
		id := fmt.Sprintf("row-%03d", n)
		w, err := call.Begin(id).Write(call.Event{
			Kind: call.EventAccepted, At: at, Due: at, Opening: &call.Opening{
				Key: call.Key{Kind: call.KindVoice, NotificationID: "n-" + id, RecipientID: "r-" + id}, Cause: call.CauseRequest,
				Fingerprint: "fingerprint", Destination: "+12025550100", Token: "token-" + id,
			},
		}, "op-"+id)
		if err != nil {
			t.Fatal(err)
		}
		writes := []call.Write{w}
		switch n % 10 {
		case 3:
			w, err = w.Row.Write(call.Event{Kind: call.EventDoubted, At: at, Code: "resend_never", Message: "It may have rung."}, "op-doubt-"+id)
		case 7:
			w, err = w.Row.Write(call.Event{Kind: call.EventFailed, At: at, Code: "expired", Message: "It is over."}, "op-end-"+id)
		}
		if err != nil {
			t.Fatal(err)
		}
		if w.Entry.Seq > 1 {
			writes = append(writes, w)
		}
		for _, w := range writes {
			if _, err := send(t.Context(), l, w); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestDoubtsAndWaitingCallsAreCountedAmongTheNewest(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	standing(t, l, 60)
	f.Taken()
	states := []call.State{call.InDoubt, call.Received}
	for among, want := range map[int]struct{ doubts, waiting, unread int }{1000: {6, 10, 38}, 60: {6, 10, 38}, 20: {2, 10, 6}, 5: {0, 4, 0}} {
		rows, unread, err := l.Newest(t.Context(), states, among, 10)
		if err != nil {
			t.Fatal(err)
		}
		found := map[call.State]int{}
		for _, c := range rows {
			found[c.State]++
		}
		if found[call.InDoubt] != want.doubts || found[call.Received] != want.waiting || unread[call.Received] != want.unread || unread[call.InDoubt] != 0 || len(found) > 2 {
			t.Errorf("among %d: %v, and %v are not read; want %+v", among, found, unread, want)
		}
		if rows[0].ID != map[int]string{1000: "row-003", 60: "row-003", 20: "row-043", 5: "row-055"}[among] {
			t.Errorf("among %d the oldest is %s", among, rows[0].ID)
		}
		pages := (among + 49) / 50 // of the fake
		if taken := f.Taken(); !maps.Equal(taken, map[string]int{"Query": min(pages, 2), "BatchGetItem": 1}) {
			t.Errorf("among %d it takes %v", among, taken)
		}
	}
}
