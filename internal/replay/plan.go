package replay

import (
	"context"
	"slices"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// Previewer says what would become of one record after the other. A new one is made for every pass over the records.
type Previewer interface {
	// Contacts reports whether contact events are merged into their calls.
	Contacts() bool
	// Preview previews the next record, which is a request.
	Preview(ctx context.Context, record envelope.Record) call.Preview
}

// Plan is what a replay would do.
type Plan struct {
	Entries []*Entry
	LeftOut int // records that a filter did not take

	// Numberless reports whether a request for the profile needs no phone number (envelope.Options). Nil means that every request does.
	Numberless func(profile string) bool

	// Mapping names the mapping of a producer, as envelope.Options does. Nil means that there is none.
	Mapping func(source call.Source, producerARN string) *envelope.Mapping
}

// Add takes the records of a document into the plan. now is the receive time.
func (p *Plan) Add(d Document, now time.Time, f Filter) {
	if d.Problem != nil {
		p.add(&Entry{
			Name: d.Name, Message: d.Message, Verdict: VerdictUnreadable,
			Code: call.Code(d.Problem.Code), Text: d.Problem.Message, Fix: d.Problem.Fix,
		})
		return
	}
	doc := envelope.Decode(d.Content, envelope.Options{Now: now, Numberless: p.Numberless, Mapping: p.Mapping})
	records := doc.Records
	doc.Records = nil
	for _, record := range records {
		if !f.takes(record) {
			p.LeftOut++
			continue
		}
		entry := &Entry{Name: d.Name, Message: d.Message, Document: doc, Record: record}
		if d.Message == "" { // a message holds one record, and is known by its id
			entry.Name += record.Path
		}
		p.add(entry)
	}
}

func (p *Plan) add(e *Entry) {
	e.Number = len(p.Entries) + 1
	p.Entries = append(p.Entries, e)
}

// Preview previews every record in its order. SameAs of a preview is the number of an entry.
func (p *Plan) Preview(ctx context.Context, with Previewer) error {
	var requests []*Entry // as the previewer counts
	for _, e := range p.Entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		e.Preview = call.Preview{}
		e.preview(ctx, with)
		if e.Preview.Verdict == "" {
			continue
		}
		requests = append(requests, e)
		if n := e.Preview.SameAs; n > 0 {
			e.Preview.SameAs = requests[n-1].Number
		}
	}
	return nil
}

func (e *Entry) preview(ctx context.Context, with Previewer) {
	if e.Record.Verdict == "" { // a problem
		return
	}
	e.Code, e.Text, e.Fix = call.Code(e.Record.Reason), e.Record.Message, e.Record.Fix
	switch {
	case e.Record.Verdict == envelope.VerdictReject:
		e.Verdict = VerdictUnreadable
	case e.Record.Contact != nil && with.Contacts():
		e.Verdict = VerdictEvidence
	case e.Record.Verdict == envelope.VerdictIgnore:
		e.Verdict = VerdictIgnored
	case e.Record.Verdict == envelope.VerdictOK:
		e.Preview = with.Preview(ctx, e.Record)
		e.Verdict, e.Code, e.Text, e.Fix = e.Preview.Verdict, e.Preview.Outcome.Code, e.Preview.Outcome.Message, e.Preview.Outcome.Fix
	}
}

// Keep leaves out every record that has none of the verdicts. What is left must be previewed again: a record can depend on one that is now
// left out.
func (p *Plan) Keep(verdicts []call.Verdict) {
	before := len(p.Entries)
	p.Entries = slices.DeleteFunc(p.Entries, func(e *Entry) bool { return !slices.Contains(verdicts, e.Verdict) })
	p.LeftOut += before - len(p.Entries)
	for i, e := range p.Entries {
		e.Number = i + 1
	}
}

// Count returns how many records have a verdict.
func (p *Plan) Count(v call.Verdict) int {
	n := 0
	for _, e := range p.Entries {
		if e.Verdict == v {
			n++
		}
	}
	return n
}

// Dials returns for how many records a phone would be dialed.
func (p *Plan) Dials() int { return p.Count(call.VerdictRing) + p.Count(call.VerdictResend) }
