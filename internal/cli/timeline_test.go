package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

var start = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)

func TestEveryOutcomeAndFollowupHasWords(t *testing.T) {
	t.Parallel()
	for _, outcome := range call.ContactOutcomes() {
		if outcome.Sentence() == "" {
			t.Errorf("%s has no words", outcome)
		}
	}
	for _, followup := range []string{call.FollowedRecall, call.FollowedEscalation, call.FollowedNothing, call.FollowedStopped} {
		if followWords[followup] == "" {
			t.Errorf("%s has no words", followup)
		}
	}
}

func TestALateCancelSaysHowLongThePhoneRang(t *testing.T) {
	t.Parallel()
	at := func(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }
	for want, c := range map[string]call.Call{
		"too late, rang 12.0s":                         {PlacedAt: start, TooLate: at(12)},
		"too late, rang 20.0s: ended after the cancel": {PlacedAt: start, TooLate: at(12), Sight: &call.Sight{Disconnected: at(20)}},
		"too late, rang 5.0s: answered before":         {PlacedAt: start, TooLate: at(12), Sight: &call.Sight{Connected: at(5)}},
		"too late, rang 8.0s: over before":             {PlacedAt: start, TooLate: at(12), Sight: &call.Sight{Disconnected: at(8)}},
		"too late, rang 15.0s: answered after":         {PlacedAt: start, TooLate: at(12), Sight: &call.Sight{Connected: at(15), Disconnected: at(30)}},
		"":                                             {PlacedAt: start},
	} {
		if got := tooLate(c); got != want {
			t.Errorf("said %q, not %q", got, want)
		}
	}
}

func TestEveryOutcomeHasASentenceThatPromisesNothing(t *testing.T) {
	t.Parallel()
	for _, o := range call.ContactOutcomes() {
		if text := o.Sentence(); text == "" || strings.Contains(text, "deliver") || strings.Contains(text, "success") || strings.Contains(text, "sent") {
			t.Errorf("%s is told as %q", o, text)
		}
	}
}
