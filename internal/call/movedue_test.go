package call_test

import (
	"context"
	"testing"
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

func TestWhoMovesWhatIsDueOnceDoesNotCountAsASweeper(t *testing.T) {
	t.Parallel()
	for _, sweeps := range []bool{false, true} {
		w := newWorld(t)
		w.clock.advance(10 * time.Minute)
		run, want := w.engine.MoveDue, call.AckRetry
		if sweeps {
			run, want = w.engine.Sweep, call.AckDone
		}
		if _, err := run(context.Background(), 10); err != nil {
			t.Fatal(err)
		}
		w.phones.script = append(w.phones.script, says(call.ClassThrottled, "throttled"))
		w.outcome(w.place(request("n", w.clock.Now())), call.MetReceived, want, "")
	}
}
