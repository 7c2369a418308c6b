package webhooks_test

import (
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/app"
)

// TestWhatIsToldAgainIsToldAtOnce: no look for calls that are behind comes within the time of this test.
func TestWhatIsToldAgainIsToldAtOnce(t *testing.T) {
	t.Parallel()
	s := newSet(t)
	a, err := s.open(t)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = a.Close() }()
	if err := a.StartHints(t.Context()); err != nil {
		t.Fatal(err)
	}
	row := place(t, a)
	s.hears(t, "call.accepted", "call.placed")
	var story app.WebhookStory
	for story.Events == nil || !story.Events[1].Taken { // one that is told meanwhile is told again when its lease ends
		now, told, err := a.Told(t.Context(), row)
		if err != nil || !told || len(now.Events) < 2 || now.Receiver == "" {
			t.Fatalf("%+v %t %v", now, told, err)
		}
		story = now
	}
	if err := a.TellAgain(t.Context(), row, story.Events[0].ID); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"call.accepted", "call.placed"} {
		select {
		case got := <-s.taken:
			if got != want {
				t.Errorf("heard %s, want %s", got, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s did not come again", want)
		}
	}
}
