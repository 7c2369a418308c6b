package cli

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ringonce/ringonce/connectemu"
)

func TestAServiceLooksForOrdersToCarryOnAtItsStartAndEachMinuteAlsoAfterAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &serving{environment: &environment{Process: Process{Clock: connectemu.WallClock{}}}, log: slog.New(slog.DiscardHandler)}
		var at []time.Duration
		start := time.Now()
		ctx, end := context.WithCancel(t.Context())
		f := &front{resume: func(context.Context) error {
			if at = append(at, time.Since(start)); len(at) == 3 {
				end()
			}
			return errors.New("the ledger did not answer")
		}}
		s.carryOn(ctx, f)
		if len(at) != 3 || at[0] != 0 || at[1] != resumeEvery || at[2] != 2*resumeEvery {
			t.Errorf("looked at %v", at)
		}
	})
}
