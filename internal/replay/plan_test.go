package replay_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/replay"
)

var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

// stage previews by notification id, and answers records in the same way.
type stage struct {
	verdicts map[string]call.Verdict
	contacts bool
	placed   []string
	onPlace  func(n int)
	acks     map[string]call.Ack
}

func (s *stage) Contacts() bool { return s.contacts }

func (s *stage) Preview(_ context.Context, record envelope.Record) call.Preview {
	p := call.Preview{Verdict: s.verdicts[record.Delivery.Request.NotificationID]}
	if p.Verdict == call.VerdictRepeat {
		p.SameAs = 1 // the first request that was previewed
	}
	return p
}

func (s *stage) Place(ctx context.Context, _ envelope.Document, record envelope.Record) call.Outcome {
	s.placed = append(s.placed, record.Delivery.Request.NotificationID)
	if s.onPlace != nil {
		s.onPlace(len(s.placed))
	}
	if ctx.Err() != nil {
		return call.Outcome{Met: call.MetUnavailable, Ack: call.AckRetry}
	}
	ack := s.acks[record.Delivery.Request.NotificationID]
	if ack == "" {
		ack = call.AckDone
	}
	return call.Outcome{Met: call.MetPlaced, Ack: ack}
}

func planOf(f replay.Filter, documents ...string) *replay.Plan {
	p := &replay.Plan{}
	for i, content := range documents {
		p.Add(replay.Document{Name: fmt.Sprintf("d-%d", i), Content: []byte(content), Message: fmt.Sprintf("m-%d", i)}, now, f)
	}
	return p
}

const (
	contactEvent = `{"version":"0","id":"i","detail-type":"Amazon Connect Contact Event","source":"aws.connect","account":"111122223333","time":"2026-11-29T03:00:00Z","region":"us-east-1","resources":[],"detail":{"eventType":"INITIATED","contactId":"11111111-2222-4333-8444-555555555555","initiationMethod":"API","instanceArn":"arn:aws:connect:us-east-1:111122223333:instance/11111111-2222-4333-8444-555555555555"}}`
	sweepTrigger = `{"ringonce":"sweep"}`
	kinesis      = `{"Records":[{"eventID":"1","eventSource":"aws:kinesis","eventSourceARN":"arn:aws:kinesis:us-east-1:111122223333:stream/s","kinesis":{"sequenceNumber":"1","partitionKey":"p","data":"e30=","approximateArrivalTimestamp":1763784000.0}}]}`
)

func TestEveryRecordHasAVerdictAndASentenceWhereOneIsNeeded(t *testing.T) {
	t.Parallel()
	p := planOf(replay.Filter{}, `{"notificationId":`, request(1), contactEvent, sweepTrigger, kinesis, request(2))
	p.Add(replay.Document{Name: "broken", Problem: &replay.Problem{Code: "compressed", Message: "It is.", Fix: "Do."}}, now, replay.Filter{})
	s := &stage{verdicts: map[string]call.Verdict{"n-1": call.VerdictRing, "n-2": call.VerdictRepeat}}
	for _, contacts := range []bool{false, true} {
		s.contacts = contacts
		if err := p.Preview(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		want := []call.Verdict{
			replay.VerdictUnreadable, call.VerdictRing, replay.VerdictIgnored, replay.VerdictIgnored, replay.VerdictUnreadable, call.VerdictRepeat,
			replay.VerdictUnreadable,
		}
		if contacts {
			want[2] = replay.VerdictEvidence
		}
		for i, e := range p.Entries {
			unexplained := !e.Verdict.Dials() && e.Verdict != call.VerdictRepeat && (e.Code == "" || e.Text == "" || e.Fix == "")
			if e.Verdict != want[i] || e.Number != i+1 || unexplained {
				t.Errorf("record %d is number %d, %s (%s): %s %s; want %s", i+1, e.Number, e.Verdict, e.Code, e.Text, e.Fix, want[i])
			}
		}
		if same := p.Entries[5].Preview.SameAs; same != 2 { // the previewer counts requests, a person counts records
			t.Errorf("same as %d, want 2", same)
		}
	}
	if p.Dials() != 1 || p.Count(replay.VerdictUnreadable) != 3 {
		t.Errorf("%d dials, %d unreadable", p.Dials(), p.Count(replay.VerdictUnreadable))
	}
	p.Keep([]call.Verdict{replay.VerdictUnreadable, call.VerdictRepeat})
	if len(p.Entries) != 4 || p.LeftOut != 3 || p.Entries[3].Number != 4 {
		t.Errorf("%d records kept, %d left out", len(p.Entries), p.LeftOut)
	}
}

func TestAFilterByTimeLeavesOutWhatHasNone(t *testing.T) {
	t.Parallel()
	at := func(minutes int) string {
		return fmt.Sprintf(`{"notificationId":"n-%d","recipientId":"r","destinationPhoneNumber":"+12025550100","requestedAt":%q}`, minutes, now.Add(time.Duration(minutes-60)*time.Minute).Format(time.RFC3339))
	}
	f := replay.Filter{Since: now.Add(-50 * time.Minute), Until: now.Add(-40 * time.Minute)}
	p := planOf(f, at(9), at(10), at(15), at(20), request(1), "broken")
	var kept []string
	for _, e := range p.Entries {
		kept = append(kept, e.Record.Delivery.Request.NotificationID)
	}
	if !slices.Equal(kept, []string{"n-10", "n-15"}) || p.LeftOut != 4 {
		t.Errorf("kept %q, left %d out", kept, p.LeftOut)
	}
}

// shelf is a source that notes what it was told.
type shelf struct {
	gone     map[string]bool
	answered []string
}

func (s *shelf) Holds(_ context.Context, e *replay.Entry) bool { return !s.gone[e.Message] }

func (s *shelf) Answered(_ context.Context, e *replay.Entry) error {
	s.answered = append(s.answered, e.Message+" "+string(e.Outcome.Ack))
	return nil
}

func TestARunTellsTheSourceEachOutcomeAndSkipsWhatItHoldsNoMore(t *testing.T) {
	t.Parallel()
	p := planOf(replay.Filter{}, request(1), request(2), request(3))
	p.Add(replay.Document{Name: "broken", Message: "m-3", Problem: &replay.Problem{Code: "compressed"}}, now, replay.Filter{})
	s := &stage{acks: map[string]call.Ack{"n-3": call.AckRefuse}}
	source, steps := &shelf{gone: map[string]bool{"m-1": true}}, 0
	p.Run(t.Context(), s, nil, source, func(*replay.Entry) { steps++ })
	if !slices.Equal(source.answered, []string{"m-0 acknowledge", "m-2 refuse"}) || !slices.Equal(s.placed, []string{"n-1", "n-3"}) || steps != 4 {
		t.Errorf("answered %q, placed %q, %d steps", source.answered, s.placed, steps)
	}
	if p.Entries[1].Done || p.Entries[3].Outcome.Ack != call.AckRefuse {
		t.Errorf("what is not held: done %t; what cannot be read: %s", p.Entries[1].Done, p.Entries[3].Outcome.Ack)
	}
}

// Between the preview and its turn a call that waited became due, a conflict's owner did not come to be, and a window ended.
func TestWhatWouldRingByNowWithoutAPreviewIsLeft(t *testing.T) {
	t.Parallel()
	p := planOf(replay.Filter{}, request(1), request(2), request(3), request(4), sweepTrigger)
	verdicts := map[string]call.Verdict{"n-1": call.VerdictHeld, "n-2": call.VerdictRing, "n-3": call.VerdictRepeat, "n-4": call.VerdictPlaced}
	s := &stage{verdicts: verdicts}
	if err := p.Preview(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	source := &shelf{}
	verdicts["n-1"] = call.VerdictRing
	p.Run(t.Context(), s, func() replay.Previewer { return s }, source, nil)
	if !slices.Equal(s.placed, []string{"n-2", "n-3", "n-4", ""}) || p.Entries[0].Outcome.Code != replay.CodeDueSince || source.answered[0] != "m-0 retry" {
		t.Errorf("placed %q, the first %+v, answered %q", s.placed, p.Entries[0].Outcome, source.answered)
	}
}

func TestAnInterruptFinishesTheRecordUnderWayAndStartsNoOther(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithCancel(t.Context())
	p := planOf(replay.Filter{}, request(1), request(2), request(3))
	s := &stage{onPlace: func(n int) {
		if n == 2 {
			interrupt()
		}
	}}
	p.Run(ctx, s, nil, nil, nil)
	if len(s.placed) != 2 || p.Entries[1].Outcome.Met != call.MetPlaced || p.Entries[2].Done {
		t.Errorf("placed %q, the second met %s, the third done %t", s.placed, p.Entries[1].Outcome.Met, p.Entries[2].Done)
	}
	if err := p.Preview(ctx, s); err == nil {
		t.Error("a preview goes on after an interrupt")
	}
}
