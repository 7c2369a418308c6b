package sqspoll

import (
	"context"
	"time"

	"github.com/ringonce/ringonce/internal/auditlog"
	"github.com/ringonce/ringonce/internal/call"
)

// The defaults of [Options].
const (
	DefaultLanes      = 10
	DefaultVisibility = time.Minute
	DefaultBackOff    = 2 * time.Second
	DefaultMaxBackOff = 15 * time.Minute
	DefaultDrain      = 20 * time.Second
)

// The bounds that SQS sets (SQS developer guide, "Amazon SQS visibility timeout" and "Amazon SQS short and long polling").
const (
	batch     = 10               // most entries of one request
	longPoll  = 20 * time.Second // the longest
	mostWait  = 12 * time.Hour   // a message cannot be invisible for longer after its receipt
	lessAhead = 5 * time.Second
)

// What becomes of messages, as [Note] tells it.
const (
	Received      = "received"       // for the first time by this poller, or again
	Deleted       = "deleted"        // acknowledged, and SQS said that it is gone
	Returned      = "returned"       // not acknowledged: it comes again after its wait
	Lost          = "lost"           // it could not be held: others may have it
	ReceiveFailed = "receive_failed" // a request to receive
	DeleteFailed  = "delete_failed"  // a deletion, given up after several tries: it comes again and is answered from its row
	ExtendFailed  = "extend_failed"  // an extension, or a return before the visibility ends by itself
	NotRecorded   = "not_recorded"   // worked on, and not written down, or not in time: it leaves all the same
)

// Notes returns every word of [Note.What], for counters that begin at zero.
func Notes() []string {
	return []string{Received, Deleted, Returned, Lost, ReceiveFailed, DeleteFailed, ExtendFailed, NotRecorded}
}

// Note is what became of some messages of a queue. It names none of them.
type Note struct {
	What  string
	Count int
	Err   error // why, of what failed; it holds no message body
}

// Message is one message as it was received.
type Message struct {
	ID       string
	Handle   string // the newest one works
	Group    string // of a FIFO queue, else empty
	Receives int    // how often it was received, about
	Document []byte // the event that Lambda would be invoked with
}

// Taken is what became of the document of a message.
type Taken struct {
	Acknowledged bool           // its source may forget it
	Acts         []auditlog.Act // what is to be written down before it does
}

// Change is how long a message stays invisible from now; 0 makes it visible.
type Change struct {
	Handle string
	For    time.Duration // whole seconds
}

// Failed says which entries of a batch failed, by their place; final reports that the same entry will always fail.
type Failed map[int]struct{ Final bool }

// Queue is a queue of SQS. Its methods take at most ten entries. An error means that the answer is unknown: the request may have been done.
type Queue interface {
	// Receive waits for messages, at most n and at most for wait; they are then invisible for visibility.
	Receive(ctx context.Context, n int, wait, visibility time.Duration) ([]Message, error)
	// Delete deletes messages by their handles.
	Delete(ctx context.Context, handles []string) (Failed, error)
	// Change changes how long messages stay invisible.
	Change(ctx context.Context, changes []Change) (Failed, error)
}

// Options is what a poller is made of. Queue, Take, Clock and Random are required.
type Options struct {
	Queue Queue
	// Take takes the document of one message and says what became of it.
	Take func(ctx context.Context, document []byte) Taken
	// Record writes down what was done for some messages that leave together, at most ten, and returns when that is durable. They are deleted behind it, also when it
	// fails, or does not end within two seconds. Nil writes nothing.
	Record func(ctx context.Context, acts []auditlog.Act) error
	Hangs  func(ctx context.Context, acts []auditlog.Act) // hears of acts whose record does not end in time; nil tells nobody
	Clock  call.Clock
	Random func() float64 // from [0, 1), of the jitter; safe for concurrent use
	Note   func(Note)     // nil tells nobody; it must be safe for concurrent use

	Lanes      int           // messages held at a time; 0 means 10
	Visibility time.Duration // of a message that is worked on, extended as long as that takes; 0 means 60 s
	BackOff    time.Duration // the wait after the first receive; it doubles with each; 0 means 2 s
	MaxBackOff time.Duration // the longest wait; 0 means 15 min
	Drain      time.Duration // how long what runs may take after a stop; 0 means 20 s
}

// complete fills the defaults and refuses what cannot work.
func (o Options) complete() (Options, error) {
	if o.Queue == nil || o.Take == nil || o.Clock == nil || o.Random == nil {
		return o, refuse("Fill every required member of sqspoll.Options.", "The poller lacks a port.")
	}
	if o.Note == nil {
		o.Note = func(Note) {}
	}
	if o.Lanes == 0 {
		o.Lanes = DefaultLanes
	}
	for at, otherwise := range map[*time.Duration]time.Duration{
		&o.Visibility: DefaultVisibility, &o.BackOff: DefaultBackOff, &o.MaxBackOff: DefaultMaxBackOff, &o.Drain: DefaultDrain,
	} {
		if *at == 0 {
			*at = otherwise
		}
	}
	if o.Lanes < 0 || o.Visibility < 3*time.Second || o.Visibility > mostWait || o.BackOff < 0 || o.MaxBackOff < 0 || o.MaxBackOff > mostWait || o.Drain < 0 {
		return o, refuse("Use positive values, a visibility of 3s to 12h and a longest wait of at most 12h.", "A setting of the poller is out of its range.")
	}
	o.Visibility = o.Visibility.Truncate(time.Second) // what SQS is told
	return o, nil
}

// poll returns how long a receive may wait. A message may come at its end, and its visibility is counted from its beginning, since nobody knows better:
// two thirds of it are then left, enough to start it and for one extension that fails. From a visibility of one minute on it is the longest that there is.
func (o Options) poll() time.Duration {
	return max(min(longPoll, (o.Visibility/3).Truncate(time.Second)), time.Second)
}

func refuse(fix, message string) *call.Error {
	return &call.Error{Code: call.CodeConfiguration, Field: "serve.queues", Message: message, Fix: fix}
}
