package replay

import (
	"context"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// Placer takes one record, which the core then rings or answers.
type Placer interface {
	// Place takes a record as far as it goes and says what became of it.
	Place(ctx context.Context, doc envelope.Document, record envelope.Record) call.Outcome
}

// Source is told what became of its records. A queue implements it; files need none.
type Source interface {
	// Holds prepares the source for the next record and reports whether the record is still this replay's to take.
	Holds(ctx context.Context, e *Entry) bool
	// Answered tells the source the outcome of a record, which it forgets only when the acknowledgement says so.
	Answered(ctx context.Context, e *Entry) error
}

// confirmed reports whether the plan said that a phone rings for the record, or for an earlier one of its key. Nothing else may ring by it.
func (e *Entry) confirmed() bool { return e.Verdict.Dials() || e.Verdict == call.VerdictRepeat }

// CodeDueSince says that a record would ring by now, which the plan did not say.
const CodeDueSince call.Code = "due_since_preview"

// Run places the records of a plan in their order. When ctx ends, the record that is under way is finished and nothing more is started; what
// was not started has Done false. Source may be nil. step is told after each record and may be nil.
//
// again previews a record that the plan has no ring for once more, right before it is placed: a call that waited may be due by now. Then it is
// left to the sweep or to another run, which asks first. Nil without a ledger, where nothing waits.
func (p *Plan) Run(ctx context.Context, placer Placer, again func() Previewer, source Source, step func(*Entry)) {
	whole := context.WithoutCancel(ctx) // one record is all or nothing
	for _, e := range p.Entries {
		if ctx.Err() != nil {
			return
		}
		if e.Gone = source != nil && !source.Holds(whole, e); !e.Gone {
			p.take(whole, e, again, placer, source)
		}
		if step != nil {
			step(e)
		}
	}
}

func (p *Plan) take(ctx context.Context, e *Entry, again func() Previewer, placer Placer, source Source) {
	e.Done = true
	switch {
	case e.Record.Verdict == "": // a problem: nothing can be taken, and its source keeps it
		e.Outcome = call.Outcome{Met: call.MetUnreadable, Ack: call.AckRefuse, Code: e.Code, Message: e.Text, Fix: e.Fix}
		return
	case e.Record.Verdict == envelope.VerdictOK && again != nil && !e.confirmed() && again().Preview(ctx, e.Record).Verdict.Dials():
		e.Outcome = call.Outcome{
			Met: call.MetNotStarted, Ack: call.AckRetry, Code: CodeDueSince, Message: "By now a phone would ring for this record, which the preview did not say.",
			Fix: "Leave it to the sweep, or run the replay again.",
		}
	default:
		e.Outcome = placer.Place(ctx, e.Document, e.Record)
	}
	if source != nil {
		e.Err = source.Answered(ctx, e)
	}
}
