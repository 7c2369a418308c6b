package dynamodb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/kmskey/kmstest"
	"github.com/ringonce/ringonce/internal/ledger/dynamodb/tabletest"
)

var noon = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// accepted makes the write that creates a row. attributes grows the request.
func accepted(t *testing.T, id string, attributes map[string]string) call.Write {
	t.Helper()
	w, err := call.Begin(id).Write(call.Event{
		Kind: call.EventAccepted, At: noon, Due: noon, Opening: &call.Opening{
			Key: call.Key{Kind: call.KindVoice, NotificationID: "n-" + id, RecipientID: "r-" + id}, Cause: call.CauseRequest,
			Fingerprint: "fingerprint", Destination: "+12025550100", Token: "token-" + id, Attributes: attributes,
		},
	}, "op-"+id+"-1")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// later makes the write after w.
func later(t *testing.T, w call.Write) call.Write {
	t.Helper()
	next := w.Row.Version + 1
	again, err := w.Row.Write(call.Event{Kind: call.EventHeld, At: noon, Due: noon.Add(time.Duration(next) * time.Minute), Reason: "pacing"}, fmt.Sprintf("op-%s-%d", w.Row.ID, next))
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// chain returns a create and the updates after it.
func chain(t *testing.T, id string, attributes map[string]string, length int) []call.Write {
	t.Helper()
	writes := []call.Write{accepted(t, id, attributes)}
	for len(writes) < length {
		writes = append(writes, later(t, writes[len(writes)-1]))
	}
	return writes
}

// send does what the core does: the same write again, three times at most.
func send(ctx context.Context, l *Ledger, w call.Write) (call.Written, error) {
	act := l.Update
	if w.Entry.Seq == 1 {
		act = l.Create
	}
	written, err := act(ctx, w)
	for try := 1; try < 3 && err != nil; try++ {
		written, err = act(ctx, w)
	}
	return written, err
}

// incompressible returns attributes that no dictionary makes small, so that the request goes to a side item.
func incompressible() map[string]string {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "%x", i*i*i*7919+i*104729)
	}
	return map[string]string{"text": b.String()}
}

func held(t *testing.T, l *Ledger, writes []call.Write) {
	t.Helper()
	last := writes[len(writes)-1]
	row, err := l.Get(t.Context(), last.Row.ID)
	if err != nil || encoded(t, row) != encoded(t, last.Row) {
		t.Errorf("the row is %s (%v), want %s", encoded(t, row), err, encoded(t, last.Row))
	}
	entries, err := l.History(t.Context(), last.Row.ID)
	if err != nil || len(entries) != len(writes) {
		t.Fatalf("%d history entries (%v), want %d", len(entries), err, len(writes))
	}
	for i, e := range entries {
		if !reflect.DeepEqual(e, writes[i].Entry) {
			t.Errorf("history entry %d is %+v, want %+v", i+1, e, writes[i].Entry)
		}
	}
}

func encoded(t *testing.T, c call.Call) string {
	t.Helper()
	text, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestEveryWriteSiteSurvivesEveryFault breaks each of the writes of a create and of 35 updates, one after the other, in every way. A row
// with a side item, a token to claim and a history that spills meets every kind of write there is.
func TestEveryWriteSiteSurvivesEveryFault(t *testing.T) {
	t.Parallel()
	fates := []tabletest.Fate{tabletest.LostFirst, tabletest.LostAfter, tabletest.Throttled, tabletest.Broken, tabletest.BrokenLie, tabletest.Silence, tabletest.Doubled}
	everyWriteSite(t, fates, 3, func(o *Options) { o.UniqueTokens = true })
}

// TestEveryWriteSiteSurvivesEveryFaultEncrypted has one kind of write more: that of the data key.
func TestEveryWriteSiteSurvivesEveryFaultEncrypted(t *testing.T) {
	t.Parallel()
	everyWriteSite(t, []tabletest.Fate{tabletest.LostFirst, tabletest.BrokenLie}, 4, func(o *Options) { o.UniqueTokens, o.KMSKey = true, kmstest.KeyARN })
}

// everyWriteSite breaks the writes of a chain; further is how many there are beside those of the row itself.
func everyWriteSite(t *testing.T, fates []tabletest.Fate, further int, tune func(*Options)) {
	t.Helper()
	writes := chain(t, "a", incompressible(), 36)
	for _, fate := range fates {
		for site := 0; ; site++ {
			f := newFake(t)
			l := f.open(tune)
			seen := 0
			f.Faults = func(op, _ string) tabletest.Fate {
				if op != "PutItem" {
					return tabletest.Answered
				}
				seen++
				if seen == site+1 {
					return fate
				}
				return tabletest.Answered
			}
			for _, w := range writes {
				if written, err := send(t.Context(), l, w); err != nil || !written.Applied {
					t.Fatalf("fault %d at write site %d: version %d was applied %t, error %v", fate, site, w.Row.Version, written.Applied, err)
				}
			}
			held(t, l, writes)
			if seen <= site {
				if site < len(writes)+further {
					t.Fatalf("only %d write sites were met: side item, token, spill or data key is missing", site)
				}
				break
			}
		}
	}
}

// TestAWriteOfUnknownFateIsNotSentAgain holds that only the core repeats a write that may have been applied.
func TestAWriteOfUnknownFateIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for fate, want := range map[tabletest.Fate]int{tabletest.LostFirst: 1, tabletest.LostAfter: 1, tabletest.Broken: 1, tabletest.BrokenLie: 1, tabletest.Silence: 1, tabletest.Throttled: throttleTries} {
		f := newFake(t)
		l := f.open(nil)
		f.Faults = func(string, string) tabletest.Fate { return fate }
		if _, err := l.Create(t.Context(), accepted(t, "a", nil)); err == nil || errors.Is(err, call.ErrNotFound) || errors.Is(err, call.ErrTokenTaken) {
			t.Errorf("fault %d: error %v, want one that says nothing about the write", fate, err)
		}
		if n := f.Taken()["PutItem"]; n != want {
			t.Errorf("fault %d: the write was sent %d times, want %d", fate, n, want)
		}
	}
}

// TestAForgottenOpIDIsSeen plants the defect of the exam's R7 in the stored item: without its op ids a lost answer looks like a lost race.
func TestAForgottenOpIDIsSeen(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	l := f.open(nil)
	w := accepted(t, "a", nil)
	f.Faults = func(op, _ string) tabletest.Fate {
		return map[bool]tabletest.Fate{true: tabletest.LostAfter}[op == "PutItem"]
	}
	if _, err := l.Create(t.Context(), w); err == nil {
		t.Fatal("the lost write was answered")
	}
	f.Faults = nil
	other := w
	other.Entry.Op = "op-of-somebody-else"
	if written, err := l.Create(t.Context(), other); err != nil || written.Applied {
		t.Errorf("another op: applied %t, error %v", written.Applied, err)
	}
	if written, err := l.Create(t.Context(), w); err != nil || !written.Applied {
		t.Errorf("the same op: applied %t, error %v", written.Applied, err)
	}
}
