package lambda

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/call"
	"github.com/ringonce/ringonce/internal/envelope"
	"github.com/ringonce/ringonce/internal/flow"
)

// Placer makes calls. [call.Engine] and [call.Direct] implement it.
type Placer interface {
	// Place answers one delivery. It keeps to the context's deadline, and its outcome says what the source is told.
	Place(ctx context.Context, d call.Delivery) call.Outcome
}

// Keys names the key of a delivery, so that the records of one key stay together. [call.Engine] and [call.Direct] implement it.
type Keys interface {
	// Key returns the row id and the fingerprint of a delivery; a cancel has no fingerprint. Its errors are refusals that Place
	// repeats.
	Key(d call.Delivery) (rowID, fingerprint string, err error)
}

// Sweeper moves due calls on. [call.Engine] implements it.
type Sweeper interface {
	// Sweep takes at most limit due rows.
	Sweep(ctx context.Context, limit int) (call.Swept, error)
}

// Contacts takes what contact events show. [call.Engine] implements it.
type Contacts interface {
	// SawContactEvent merges what an event tells of a contact into the call it belongs to; it returns call.ErrNotFound when it belongs to none
	// of ours.
	SawContactEvent(ctx context.Context, t call.Target, contactID string, told call.Sight) (call.Call, error)
}

// Wakes takes hints that a call may be due. [call.Engine] implements it.
type Wakes interface {
	// Woken moves the row on if its own due has come; due is what the hint says. Its errors are those of the ledger.
	Woken(ctx context.Context, rowID string, due time.Time) (call.Woke, error)
}

// The defaults of [Options].
const (
	DefaultConcurrency = 10
	DefaultReserve     = 15 * time.Second // the longest a dial may take with its record (call.Config, DialTime)
	DefaultMargin      = time.Second
	DefaultSweepLimit  = 200
)

// Options is what a handler is made of. Placer, Keys, Clock, Observer and Mode are required.
type Options struct {
	Placer   Placer
	Keys     Keys
	Sweeper  Sweeper       // nil without a ledger: a sweep is then refused
	Contacts Contacts      // nil without a ledger: contact events are then ignored
	Wakes    Wakes         // nil without a ledger: hints are then returned, for the dead-letter queue
	CheckIns flow.CheckIns // nil without a ledger: a flow is then told that its contact is wanted
	Clock    call.Clock
	Observer call.Observer // of records that never reach the core; it must be safe for concurrent use
	Mode     call.Mode     // column of the acknowledge table for records that never reach the core

	// Producer names the producer of a queue's or topic's ARN (envelope.Record, ProducerARN). Nil means the ARN itself; ARNs are empty
	// where the transport has none.
	Producer func(sourceARN string) string

	// Numberless reports whether a request for the profile needs no phone number (envelope.Options). Nil means that every request does.
	Numberless func(profile string) bool

	// Instance reports whether a profile dials from the instance: only its flows are believed. Nil believes none.
	Instance func(t call.Target) bool

	// Parking keeps records that could not be read, so that their sources may forget them. Nil returns them instead.
	Parking call.Parking

	// Mapping names the mapping of a producer, as envelope.Options does. Nil means that there is none.
	Mapping func(source call.Source, producerARN string) *envelope.Mapping

	// WholeBatches answers a batch of which a record was not acknowledged with an error, so that all of it is delivered again: for event source
	// mappings without ReportBatchItemFailures, which take a partial batch response for a success.
	WholeBatches bool

	Concurrency int           // lanes at a time; 0 means 10
	Margin      time.Duration // what is started ends this long before the Lambda deadline; 0 means 1 s
	Reserve     time.Duration // nothing is started with less than this left before that end; 0 means 15 s
	SweepLimit  int           // rows of one sweep; 0 means 200
}

// withDefaults returns the options with their zero settings filled, or an *[call.Error] that names what is missing or wrong.
func (o Options) withDefaults() (Options, error) {
	if o.Placer == nil || o.Keys == nil || o.Clock == nil || o.Observer == nil {
		return o, refuse(call.CodeConfiguration, "lambda", "Fill every required member of lambda.Options.", "The Lambda handler lacks a port.")
	}
	switch o.Mode {
	case call.ModeNone, call.ModeLedger:
	default:
		return o, refuse(call.CodeConfiguration, "ledger.driver", "Use call.ModeNone or call.ModeLedger.", "The Lambda handler does not know whether a ledger stands behind it.")
	}
	settings := []struct {
		field   string
		invalid bool
	}{
		{"lambda.concurrency", o.Concurrency < 0},
		{"lambda.margin", o.Margin < 0},
		{"lambda.reserve", o.Reserve < 0},
		{"sweep.limit", o.SweepLimit < 0},
	}
	for _, s := range settings {
		if s.invalid {
			return o, refuse(call.CodeConfiguration, s.field, "Use a positive value, or leave it out for the default.", "The setting "+s.field+" is negative.")
		}
	}
	o.Concurrency = orDefault(o.Concurrency, DefaultConcurrency)
	o.Margin = orDefault(o.Margin, DefaultMargin)
	o.Reserve = orDefault(o.Reserve, DefaultReserve)
	o.SweepLimit = orDefault(o.SweepLimit, DefaultSweepLimit)
	return o, nil
}

func orDefault[T int | time.Duration](value, preset T) T {
	if value == 0 {
		return preset
	}
	return value
}

func refuse(code call.Code, field, fix, message string) *call.Error {
	return &call.Error{Code: code, Field: field, Message: message, Fix: fix}
}
