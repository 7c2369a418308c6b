package app_test

import (
	"context"
	"testing"

	"github.com/ringonce/ringonce/connectemu"
	"github.com/ringonce/ringonce/internal/app"
	"github.com/ringonce/ringonce/internal/call"
)

// feedback is a sink that hands events straight to a function, and keeps the row that the first led to.
type feedback struct {
	t   *testing.T
	app *app.App
	row call.Call
}

// Deliver implements connectemu.EventSink. The event is an invocation of its own, which shares no context with the request it overtakes.
func (f *feedback) Deliver(_ context.Context, event connectemu.Event) error {
	report, err := f.app.Handler.Process(f.t.Context(), event.Document)
	if err == nil && f.row.ID == "" {
		f.row = report.Results[0].Outcome.Call
	}
	return err
}
