package lambda

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
)

// Handler answers invocations. It holds no state between them and is safe for concurrent use.
type Handler struct{ Options }

// New returns a handler, or an *[call.Error] that names the option that is missing or wrong.
func New(o Options) (*Handler, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	return &Handler{Options: o}, nil
}

// Result is what became of one record.
type Result struct {
	Record  envelope.Record
	Outcome call.Outcome
}

// Acknowledged reports whether the source may forget the record.
func (r Result) Acknowledged() bool { return r.Outcome.Ack == call.AckDone }

// Report is what became of one document. Results are in the order of its records, one for each.
type Report struct {
	Document envelope.Document
	Results  []Result
	Swept    *call.Swept         // of a sweep trigger, else nil
	CheckIn  *call.CheckInAnswer // of a flow's report, else nil
	Answered time.Time           // when the last record had its answer; zero when nothing was started
}

// Invoke answers one invocation: Process, then the response in the form of the source. It is the method that lambda.Start of
// aws-lambda-go calls. An error means that the source keeps the document; it names no phone number.
func (h *Handler) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	report, err := h.Process(ctx, payload)
	if err != nil {
		return nil, err
	}
	if h.WholeBatches && answersByItem(report.Document) {
		if err := report.failure(); err != nil {
			return nil, err
		}
	}
	return report.Response()
}

// Process decodes a document, takes each of its records as far as the time allows, and returns when nothing of it runs anymore. The
// report is complete also beside an error, which says that the document is returned as a whole (a *[NotAcknowledged]).
func (h *Handler) Process(ctx context.Context, payload []byte) (Report, error) {
	limit, end := h.limit(ctx)
	defer end()
	doc := envelope.Decode(payload, envelope.Options{
		Now: h.Clock.Now(), Numberless: h.Numberless, Mapping: h.Mapping, Keep: h.Parking != nil,
	})
	report := Report{Document: doc, Results: make([]Result, len(doc.Records))}
	for i, record := range doc.Records {
		// Until a record has its answer it is one that was not started, so that nothing is acknowledged by accident.
		report.Results[i] = Result{Record: record, Outcome: h.outcome(doc, call.MetNotStarted, CodeNotReached, "The record was not reached.")}
	}
	if refusal := unservable(doc); refusal != nil {
		h.observe(limit.ctx, call.Decided{What: "refused", Code: refusal.Code, Reason: refusal.Message, Source: doc.Source, Alarm: true})
		for i := range report.Results {
			report.Results[i].Outcome = h.outcome(doc, call.MetNotStarted, refusal.Code, refusal.Message)
			report.Results[i].Outcome.Fix = refusal.Fix
		}
		return report, refusal
	}
	if len(doc.Records) == 1 && doc.Records[0].CheckIn != nil {
		return h.checkIn(limit, report), nil
	}
	if len(doc.Records) == 1 && doc.Records[0].IsSweep() {
		return h.sweep(limit, report)
	}
	h.run(limit, &report)
	report.Answered = h.Clock.Now()
	return report, nil
}

// outcome answers a record that never reaches the core; the acknowledgement is the table's.
func (h *Handler) outcome(doc envelope.Document, met call.Situation, code call.Code, message string) call.Outcome {
	return call.Outcome{Met: met, Ack: call.Acknowledge(met, doc.Source, h.Mode, false), Code: code, Message: message}
}

func (h *Handler) observe(ctx context.Context, d call.Decided) { h.Observer.Decided(ctx, d) }
