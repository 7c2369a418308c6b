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

// Run places the records of a plan in their order. When ctx ends, the record that is under way is finished and nothing more is started; what
// was not started has Done false. Source may be nil. step is told after each record and may be nil.
func (p *Plan) Run(ctx context.Context, placer Placer, source Source, step func(*Entry)) {
	whole := context.WithoutCancel(ctx) // one record is all or nothing
	for _, e := range p.Entries {
		if ctx.Err() != nil {
			return
		}
		if e.Gone = source != nil && !source.Holds(whole, e); !e.Gone {
			p.take(whole, e, placer, source)
		}
		if step != nil {
			step(e)
		}
	}
}

func (p *Plan) take(ctx context.Context, e *Entry, placer Placer, source Source) {
	if e.Record.Verdict == "" { // a problem: nothing can be taken, and its source keeps it
		e.Done, e.Outcome = true, call.Outcome{Met: call.MetUnreadable, Ack: call.AckRefuse, Code: e.Code, Message: e.Text, Fix: e.Fix}
		return
	}
	e.Outcome = placer.Place(ctx, e.Document, e.Record)
	e.Done = true
	if source != nil {
		e.Err = source.Answered(ctx, e)
	}
}
