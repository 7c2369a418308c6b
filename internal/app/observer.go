package app

import (
	"context"
	"log/slog"
	"maps"
	"sync"

	"github.com/ringonce/ringonce/internal/call"
)

// Observer writes one structured log line and counts one metric for each decision. The timeline line is the history entry itself.
type Observer struct {
	log     *slog.Logger
	metrics *Metrics
	changed func(row string) // of each decision about a call; may be nil, and never blocks
	ended   func(row string) // of each call that became final; as changed

	mu     sync.Mutex
	counts map[Metric]int64
}

// Metric names a counter. Its labels are few: no id, number or profile text is one.
type Metric struct {
	What   string // the decision
	State  string // of the call after it
	Code   string
	Reason string // only of suppressions, holds and outcomes, where it is one of a fixed set
}

// NewObserver returns an observer that logs to the given logger and counts for the given metrics, which may be nil.
func NewObserver(log *slog.Logger, metrics *Metrics) *Observer {
	return &Observer{log: log, metrics: metrics, counts: map[Metric]int64{}}
}

// OnEnded names who is told of each call that became final. It is set before anything is decided, and must not block.
func (o *Observer) OnEnded(told func(row string)) { o.ended = told }

// Decided implements call.Observer.
func (o *Observer) Decided(ctx context.Context, d call.Decided) {
	o.count(d)
	o.metrics.decided(d)
	if o.changed != nil && d.RowID != "" && d.What != webhookGivenUp { // which is no news to a producer, and would begin anew what was given up
		o.changed(d.RowID)
	}
	if o.ended != nil && d.Became != "" && d.RowID != "" {
		o.ended(d.RowID)
	}
	level := slog.LevelInfo
	if d.Alarm {
		level = slog.LevelError
	}
	if !o.log.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 15)
	add := func(key, value string) {
		if value != "" {
			attrs = append(attrs, slog.String(key, value))
		}
	}
	add("call", d.RowID)
	if d.Ring > 0 {
		attrs = append(attrs, slog.Int("ring", d.Ring))
	}
	add("state", string(d.State))
	add("code", string(d.Code))
	add("reason", maskDigits(d.Reason))
	add("number", d.Number.String())
	add("contact", d.Contact)
	add("source", string(d.Source))
	add("delivery", d.Delivery)
	add("class", string(d.Class))
	add("outcome", string(d.Outcome))
	if d.Took > 0 {
		attrs = append(attrs, slog.Duration("took", d.Took))
	}
	if d.Alarm {
		attrs = append(attrs, slog.Bool("alarm", true))
	}
	o.log.LogAttrs(ctx, level, d.What, attrs...)
}

// manyDigits is what could be a phone number.
const manyDigits = 7

// maskDigits hides long runs of digits in a text that a person or another program wrote: an operator's reason may name the number.
func maskDigits(text string) string {
	var masked []byte
	for i := 0; i < len(text); {
		end := i
		for end < len(text) && text[end] >= '0' && text[end] <= '9' {
			end++
		}
		if end-i >= manyDigits {
			if masked == nil {
				masked = []byte(text)
			}
			for at := i; at < end; at++ {
				masked[at] = '*'
			}
		}
		i = end + 1
	}
	if masked == nil {
		return text
	}
	return string(masked)
}

func (o *Observer) count(d call.Decided) {
	m := Metric{What: d.What, State: string(d.State), Code: string(d.Code)}
	if d.What == "suppressed" || held(d) {
		m.Reason = d.Reason
	}
	if d.Outcome != "" {
		m.Reason = string(d.Outcome)
	}
	o.mu.Lock()
	o.counts[m]++
	o.mu.Unlock()
}

// Counts returns a copy of the counters.
func (o *Observer) Counts() map[Metric]int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return maps.Clone(o.counts)
}
