package app

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/ingress/lambda"
)

// Asked is what a record of a document asked for and how it was answered, as an audit log keeps it. It holds nothing of a person.
type Asked struct {
	At       time.Time // of the answer
	Producer string    // ARN of the queue or topic that the record belongs to
	Call     string    // row id; empty when none can be named
	Target   string    // the way here, such as source:sqs>eventbridge, or parked:ID
	Met      string    // in the words of the HTTP API where it has one: accepted, placed, dialing, held, duplicate, withdrawn, ended; else the situation
	Answer   string    // ok, or the code of what is wrong
}

// asked tells what the records of a report asked for. Contact events, hints and triggers are nobody's request; a record that was not started comes again.
func (a *App) asked(report lambda.Report) []Asked {
	var all []Asked
	for _, r := range report.Results {
		rejected := r.Record.Verdict == envelope.VerdictReject
		if !rejected && r.Record.Verdict != envelope.VerdictOK || r.Record.IsSweep() || r.Outcome.Met == call.MetNotStarted {
			continue
		}
		way := slices.DeleteFunc(slices.Clone(r.Record.Nesting), func(step string) bool { return step == "payload" })
		one := Asked{At: a.Clock.Now(), Producer: r.Record.ProducerARN(), Target: "source:" + strings.Join(way, ">"), Met: string(r.Outcome.Met)}
		one.Answer = cmp.Or(string(r.Outcome.Code), one.Met)
		switch {
		case r.Outcome.Met == call.MetParked && r.Record.Kept != nil:
			one.Target = "parked:" + call.ParkedID(report.Document.Source, one.Producer, r.Record.Kept.Content)
		case rejected:
		default:
			one.Call = a.concerned(r)
			if r.Acknowledged() && r.Outcome.Met != call.MetConflict && r.Outcome.Met != call.MetRefused {
				one.Met, one.Answer = answered(r, one.At), "ok"
			}
		}
		all = append(all, one)
	}
	return all
}

// answered is the word of the HTTP API for a request that was taken.
func answered(r lambda.Result, now time.Time) string {
	row := r.Outcome.Call
	switch {
	case r.Record.Delivery.Request.Withdraws():
		return "withdrawn"
	case r.Outcome.Replayed:
		return "duplicate"
	case row.State == call.Received && row.Due.After(now):
		return "held"
	case row.State == call.Received:
		return "accepted"
	case row.State == call.Placed, row.State == call.Dialing:
		return string(row.State)
	}
	return "ended"
}

// concerned names the call that a request met, else the one that it would have made, as far as it holds ids.
func (a *App) concerned(r lambda.Result) string {
	if id := cmp.Or(r.Outcome.Call.ID, r.Outcome.By); id != "" {
		return id
	}
	d := r.Record.Delivery
	d.Producer, d.ReceivedAt = r.Record.ProducerARN(), a.Clock.Now()
	if a.Handler.Producer != nil {
		d.Producer = a.Handler.Producer(d.Producer)
	}
	id, _, err := a.Handler.Keys.Key(d)
	if err == nil {
		return id
	}
	d.Request.Action = call.ActionCancel // which is asked for nothing but its ids
	id, _, _ = a.Handler.Keys.Key(d)
	return id
}
