package cli

import (
	"context"
	"log/slog"
	"time"

	"github.com/ringonce/ringonce/internal/service"
)

const (
	// standingEvery is how often what stands in the ledger is looked at for the gauges.
	standingEvery = 30 * time.Second
	// standingSeldom keeps looks at a large backlog apart, so that they take a tenth of the time at most.
	standingSeldom = 9
)

// watchStanding keeps the gauges of what stands in the ledger.
func (s *serving) watchStanding(ctx context.Context) {
	for ctx.Err() == nil {
		began := s.Clock.Now()
		found, err := s.app.Standing(ctx)
		if err == nil {
			s.metrics.Stands(service.Standing(found))
		} else if ctx.Err() == nil {
			s.log.WarnContext(ctx, "what stands in the ledger could not be looked up", slog.String("error", err.Error()))
		}
		if s.Clock.Sleep(ctx, max(standingEvery, standingSeldom*s.Clock.Now().Sub(began))) != nil {
			return
		}
	}
}
