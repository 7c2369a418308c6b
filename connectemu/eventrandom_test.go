package connectemu_test

import (
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/connect"
	"pgregory.net/rapid"

	"github.com/ringonce/ringonce/connectemu"
)

// TestEventsNeverLie lets calls of all fates be answered, hung up and stopped at any moment, and events be taken at any other.
func TestEventsNeverLie(t *testing.T) {
	t.Parallel()
	fates := connectemu.Fates()
	rapid.Check(t, func(r *rapid.T) {
		w := newBubbleWith(t, connectemu.Config{
			Clock: connectemu.NewManualClock(epoch), StartRate: connectemu.Unlimited, StopRate: connectemu.Unlimited, MaxConcurrentCalls: connectemu.Off,
		})
		var ids []string
		told := map[string][]told{}
		take := func() {
			for _, e := range w.server.TakeEvents() {
				if e.Due.After(w.clock.Now()) {
					t.Errorf("%s of %s was told before it was due", e.Type, e.ContactID)
				}
				told[e.ContactID] = append(told[e.ContactID], readEvent(t, e))
			}
		}
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			pick := func() string { return rapid.SampledFrom(append([]string{nowhere}, ids...)).Draw(r, "contact") }
			switch rapid.SampledFrom([]string{"start", "start", "pass", "pass", "answer", "hang up", "stop", "take"}).Draw(r, "step") {
			case "start":
				if err := w.server.SetPhone(answers, rapid.SampledFrom(fates).Draw(r, "fate")); err != nil {
					t.Fatal(err)
				}
				if id, err := w.start(answers, ""); err == nil {
					ids = append(ids, id)
				}
			case "pass":
				w.clock.Advance(time.Duration(rapid.IntRange(1, 30_000).Draw(r, "ms")) * time.Millisecond)
			case "answer":
				_ = w.server.Answer(pick()) // whether it can be answered is part of the chance
			case "hang up":
				_ = w.server.HangUp(pick())
			case "stop":
				_, _ = w.client.StopContact(t.Context(), &connect.StopContactInput{InstanceId: aws.String(connectemu.DefaultInstance), ContactId: aws.String(pick())})
			case "take":
				take()
			}
		}
		w.clock.Advance(time.Hour)
		take()
		for _, id := range ids {
			contact, _ := w.server.Contact(id)
			for _, lie := range lies(contact, told[id]) {
				r.Errorf("%s: %s", contact.Fate, lie)
			}
		}
	})
}
