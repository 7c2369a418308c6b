package lambda

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

const (
	instanceID  = "81f08542-e514-4dde-9dce-78f5d9276ffb"
	contactID   = "07d2fed9-f518-442f-aa77-8e6329a54e0a"
	instanceARN = "arn:aws:connect:ap-northeast-1:111122223333:instance/" + instanceID
)

// witness stands in for the core's side of contact events.
type witness struct {
	err  error
	seen []string
	told []call.Sight
}

func (w *witness) SawContactEvent(_ context.Context, t call.Target, id string, told call.Sight) (call.Call, error) {
	w.seen = append(w.seen, t.Region+" "+t.InstanceID+" "+id)
	w.told = append(w.told, told)
	return call.Call{ID: "row"}, w.err
}

func contactEvent(tb testing.TB, contact, method, arn string) []byte {
	tb.Helper()
	return busEvent(tb, "aws.connect", "Amazon Connect Contact Event", fmt.Sprintf(
		`{"eventType":"INITIATED","contactId":%q,"channel":"VOICE","instanceArn":%q,"initiationMethod":%q,"initiationTimestamp":"2026-11-29T02:58:58.000Z"}`,
		contact, arn, method))
}

func TestAContactEventReachesTheCoreAsAFact(t *testing.T) {
	t.Parallel()
	w := &witness{}
	h, _ := handlerOn(t, &core{}, func(o *Options) { o.Contacts = w })
	event := contactEvent(t, contactID, "API", instanceARN)
	report, err := h.Process(t.Context(), event)
	if err != nil || !report.Results[0].Acknowledged() || report.Results[0].Outcome.Call.ID != "row" {
		t.Errorf("got %+v, %v", report.Results, err)
	}
	equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(string(event))...)))
	saw := "ap-northeast-1 " + instanceID + " " + contactID
	equal(t, "seen", w.seen, saw, saw)
	if want := (call.Sight{Initiated: time.Date(2026, 11, 29, 2, 58, 58, 0, time.UTC)}); w.told[0] != want || report.Results[0].Outcome.Met != call.MetTaken {
		t.Errorf("told %+v, met %s", w.told[0], report.Results[0].Outcome.Met)
	}
}

func TestAContactEventThatCannotBeMergedIsReturned(t *testing.T) {
	t.Parallel()
	w := &witness{err: &call.Error{Code: "throttling", Message: "Too many requests."}}
	h, log := handlerOn(t, &core{}, func(o *Options) { o.Contacts = w })
	event := contactEvent(t, contactID, "API", instanceARN)
	_, err := h.Invoke(t.Context(), event)
	if failure, ok := errors.AsType[*NotAcknowledged](err); !ok || failure.Code != "throttling" {
		t.Errorf("EventBridge got %v", err)
	}
	equal(t, "returned", invoke(t.Context(), t, h, queueBatch(t, standardQueue, messages(string(event))...)), "m-0")
	if len(log.all("contact-event-failed")) != 2 {
		t.Error("a contact event that could not be merged left no log line")
	}
}

func TestAContactOfNobodyIsAcknowledged(t *testing.T) {
	t.Parallel()
	w := &witness{err: fmt.Errorf("describe: %w", call.ErrNotFound)}
	h, log := handlerOn(t, &core{}, func(o *Options) { o.Contacts = w })
	if _, err := h.Invoke(t.Context(), contactEvent(t, contactID, "API", instanceARN)); err != nil || len(w.seen) != 1 {
		t.Errorf("got %v after %q", err, w.seen)
	}
	if len(log.all("ignored")) != 1 {
		t.Error("it left no log line")
	}
}

func TestOnlyContactEventsThatCanBeOursAreLookedUp(t *testing.T) {
	t.Parallel()
	cases := map[string][]byte{
		"inbound":            contactEvent(t, contactID, "INBOUND", instanceARN),
		"no contact":         contactEvent(t, "", "API", instanceARN),
		"odd contact":        contactEvent(t, "../x", "API", instanceARN),
		"no instance":        contactEvent(t, contactID, "API", ""),
		"another service":    contactEvent(t, contactID, "API", "arn:aws:sqs:us-east-1:111122223333:instance/"+instanceID),
		"a region that is a": contactEvent(t, contactID, "API", "arn:aws:connect:evil.example/#:111122223333:instance/"+instanceID),
		"a contact's ARN":    contactEvent(t, contactID, "API", instanceARN+"/contact/"+contactID),
	}
	for name, event := range cases {
		w := &witness{}
		h, _ := handlerOn(t, &core{}, func(o *Options) { o.Contacts = w })
		if _, err := h.Invoke(t.Context(), event); err != nil || len(w.seen) != 0 {
			t.Errorf("%s: got %v after %q", name, err, w.seen)
		}
	}
	w := &witness{}
	h, _ := handlerOn(t, &core{}, func(o *Options) { o.Contacts = w })
	if _, err := h.Invoke(t.Context(), contactEvent(t, contactID, "API", "arn:aws::connect:us-gov-west-1:111122223333:instance/"+instanceID)); err != nil || len(w.seen) != 1 {
		t.Errorf("an ARN as AWS prints it in samples: got %v after %q", err, w.seen)
	}
}

func TestWithoutALedgerAContactEventIsIgnored(t *testing.T) {
	t.Parallel()
	h, log := handlerOn(t, &core{mode: call.ModeNone})
	if _, err := h.Invoke(t.Context(), contactEvent(t, contactID, "API", instanceARN)); err != nil || len(log.all("ignored")) != 1 {
		t.Errorf("got %v and %d log lines", err, len(log.all("ignored")))
	}
}
