package cli

import (
	"context"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/ingress/lambda"
)

// rehearsing previews records as the Lambda handler would hand them to the core.
type rehearsing struct {
	sequence *lambda.Sequence
	stage    *call.Rehearsal
	contacts bool
}

func (r *replaying) rehearse() rehearsing {
	on := rehearsing{sequence: r.app.Handler.Sequence(r.SourceARN), contacts: r.app.Engine != nil}
	if r.app.Engine != nil {
		on.stage = r.app.Engine.Rehearse()
	} else {
		on.stage = r.app.Direct.Rehearse()
	}
	return on
}

// Contacts implements replay.Previewer.
func (on rehearsing) Contacts() bool { return on.contacts }

// Preview implements replay.Previewer.
func (on rehearsing) Preview(ctx context.Context, record envelope.Record) call.Preview {
	return on.stage.Preview(ctx, on.sequence.Delivery(record))
}

// performing places records by the path of the Lambda handler.
type performing struct{ sequence *lambda.Sequence }

// Place implements replay.Placer.
func (on performing) Place(ctx context.Context, doc envelope.Document, record envelope.Record) call.Outcome {
	return on.sequence.Record(ctx, doc, record).Outcome
}
