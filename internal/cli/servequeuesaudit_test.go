package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
)

// requests returns the records of requests for calls as they are compared: what was met, the answer, where it came from, and whether a call is named.
func (d *desk) requests() (all []string) {
	d.t.Helper()
	text, _ := d.run(ExitOK, "audit", "export", "--writer", "serve")
	for _, r := range each[auditlog.Record](d.t, text) {
		if r.Action != "placeCall" {
			continue
		}
		target, id, _ := strings.Cut(r.Target, ":")
		if target == "source" {
			target = id
		}
		if r.CallID != "" {
			target += " call"
		}
		all = append(all, r.Reason+" "+r.Answer+" "+target)
		if r.Actor != polledARN || r.Kind != "producer" {
			d.t.Errorf("%+v", r)
		}
	}
	if strings.Contains(text, "8190000000") {
		d.t.Errorf("a number is in the log: %s", text)
	}
	d.run(ExitOK, "audit", "verify")
	return all
}

func TestWhatAQueueAskedForIsInTheAuditLogAsWhatIsAskedOverHTTP(t *testing.T) {
	t.Parallel()
	d, _, _ := auditedDesk(t)
	text, err := os.ReadFile(d.config)
	if err != nil {
		t.Fatal(err)
	}
	d.write("ringonce.yaml", strings.Replace(string(text), "ledger: {", "ledger: {on_poison: park, ", 1))
	sns, err := json.Marshal(map[string]string{
		"Type": "Notification", "MessageId": "s-1", "TopicArn": "arn:aws:sns:us-east-1:123456789012:t", "Message": wanted("n-4", "+819000000004", ""),
		"Timestamp": d.clock.Now().UTC().Format(time.RFC3339Nano),
	})
	if err != nil {
		t.Fatal(err)
	}
	bus := fmt.Sprintf(`{"version":"0","id":"5f2f1c3e-0000-4000-8000-000000000022","detail-type":"CallRequested","source":"acme.calls","account":"123456789012",`+
		`"time":%q,"region":"us-east-1","resources":[],"detail":%s}`, d.clock.Now().UTC().Format(time.RFC3339), wanted("n-5", "+819000000005", ""))
	log := d.serveLog()
	left, _ := d.polled(log,
		wanted("n-1", "+819000000001", ""), wanted("n-1", "+819000000001", ""), wanted("n-1", "+819000000002", ""),
		wanted("n-2", "+819000000003", `,"profile":"nobody"`), `{"notificationId": call +819000000006`, string(sns), bus, wanted("n-5", "+819000000005", `,"action":"cancel"`),
	)
	d.run(ExitOK, "pause", "--profile", "alert", "--reason", "a flood")
	held, _ := d.polled(log, wanted("n-6", "+819000000006", ""))
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"placed ok sqs call", "duplicate ok sqs call", "conflict conflict sqs call", "refused profile_unknown sqs call", "parked json_syntax parked",
		"placed ok sqs>sns-envelope call", "placed ok sqs>eventbridge call", "withdrawn ok sqs call", "held ok sqs call",
	}
	if got := d.requests(); !slices.Equal(got, want) || !slices.Equal(left, []int{3}) || len(held) != 0 {
		t.Errorf("left %v\n%s", left, strings.Join(got, "\n"))
	}
}

func TestAMessageIsWorkedOnAndDeletedWithAnAlarmWhileTheAuditLogCannotBeWritten(t *testing.T) {
	t.Parallel()
	d, audit, _ := auditedDesk(t)
	log := d.serveLog()
	d.clock.advance(24 * time.Hour)
	blocked := filepath.Join(audit, "serve", "audit-"+d.clock.Now().UTC().Format(time.DateOnly)+".jsonl")
	if err := os.Mkdir(blocked, 0o700); err != nil {
		t.Fatal(err)
	}
	left, logged := d.polled(log, wanted("n-1", "+819000000001", ""), wanted("n-2", "+819000000002", ""))
	if says(t, logged, "audit-lost"); len(left) != 0 || d.telephone.RingCount() != 2 {
		t.Errorf("left %v, %d rings", left, d.telephone.RingCount())
	}
	if err := os.Remove(blocked); err != nil {
		t.Fatal(err)
	}
	d.clock.advance(time.Minute)
	if left, _ := d.polled(log, wanted("n-1", "+819000000001", ""), wanted("n-2", "+819000000002", "")); len(left) != 0 || d.telephone.RingCount() != 2 {
		t.Errorf("left %v, %d rings", left, d.telephone.RingCount())
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if got := d.requests(); !slices.Equal(got, []string{"duplicate ok sqs call", "duplicate ok sqs call"}) {
		t.Errorf("%q", got)
	}
	told, _ := d.run(ExitOK, "audit", "tail", "--writer", "serve")
	says(t, told, "log.reopened", "up to 2 acts are not in it")
}

func TestWhatWasNotBegunOrAsksForNoCallIsNobodysAct(t *testing.T) {
	t.Parallel()
	d, _, _ := auditedDesk(t)
	s, _, end := d.polling()
	defer end()
	cut, cancel := context.WithCancel(t.Context())
	cancel()
	if taken := s.take(cut, d.message("m-1", wanted("n-1", "+819000000001", ""))); taken.Acknowledged || len(taken.Acts) != 0 || d.telephone.RingCount() != 0 {
		t.Errorf("not begun: %+v", taken)
	}
	event := `{"version":"0","id":"5f2f1c3e-0000-4000-8000-000000000023","detail-type":"Amazon Connect Contact Event","source":"aws.connect","account":"123456789012",` +
		`"time":"2026-11-30T00:00:00Z","region":"us-east-1","resources":[],"detail":{"eventType":"INITIATED","contactId":"11111111-2222-4333-8444-000000000000",` +
		`"instanceArn":"arn:aws:connect:us-east-1:123456789012:instance/11111111-2222-4333-8444-555555555555","channel":"VOICE","initiationMethod":"API"}}`
	if taken := s.take(t.Context(), d.message("m-2", event)); !taken.Acknowledged || len(taken.Acts) != 0 {
		t.Errorf("a contact event: %+v", taken)
	}
}
