package envelope

import (
	"time"

	"github.com/ringonce/ringonce/internal/call"
)

// Limits of one document. Lambda hands over at most 6 MB; the rest is room for saved and reformatted documents.
const (
	MaxDocumentBytes = 8 << 20 // larger documents are refused with the reason too_large
	MaxRecords       = 10_000  // the largest batch of any event source mapping; more is refused with the reason too_large
	MaxDepth         = 200     // of nested arrays and objects in one JSON text
	maxUnwraps       = 4       // SQS > Lambda record > SNS records > EventBridge is the deepest documented chain
)

// Options are what the reading of a document depends on besides its bytes.
type Options struct {
	// Now is the processing time. Stamps more than 5 minutes later are dropped, and the window verdict is made against it.
	// There is no default: with the zero time every stamp is in the future and every window is unproven.
	Now time.Time
	// MaxUnwraps is the number of envelopes opened at most on the way to a payload; 0 means 4.
	MaxUnwraps int
	// Numberless reports whether a request that names the profile, "" when it names none, is good without destinationPhoneNumber, because
	// the profile makes contacts of another kind than voice. Nil means that every request for a call needs one.
	Numberless func(profile string) bool
	// Mapping returns how the payloads of a producer are read whose members have other names, or nil. The ARN is that of
	// [Record.ProducerARN]. With a mapping, members of the schema's own names are not read. Nil means that there is no mapping.
	Mapping func(source call.Source, producerARN string) *Mapping
	// Keep fills [Record.Kept] of rejected records.
	Keep bool
	// Explain keeps in [Record.Mapped] what each expression of a mapping gave.
	Explain bool
}

// Document is a decoded event document.
type Document struct {
	// Style says how a batch is answered.
	Style Style
	// Source is the transport in the words of the core: a column of the acknowledge table.
	Source call.Source
	// HTTP says how an HTTP request is answered, nil for every other document.
	HTTP *HTTPRequest
	// FIFO says that the order of Records is binding within a Group: at the first record that is not acknowledged, it and
	// all that follow are returned.
	FIFO bool
	// Records are in the order of the document. There is always at least one: a document that cannot be read at all is one
	// record with the path "".
	Records []Record
}

// Style is the form of the batch response (facts/event-envelopes.md section 4). The values are those of the event corpus.
type Style string

// The batch styles.
const (
	StyleNone          Style = "none"             // no partial response: an error, a status code or a return value
	StyleSQS           Style = "sqs"              // every failed messageId
	StyleSQSFIFO       Style = "sqs-fifo"         // the first failed messageId and all that follow
	StyleStream        Style = "stream"           // the lowest failed sequence number (Kinesis, DynamoDB)
	StyleKafka         Style = "kafka"            // failed positions
	StylePipesSQS      Style = "pipes-sqs"        // every failed messageId
	StylePipesKinesis  Style = "pipes-kinesis"    // failed event ids
	StylePipesDynamoDB Style = "pipes-dynamodb"   // failed event ids
	StyleCustomBus     Style = "custombus-lambda" // an error fails the whole batch
)

// Verdict is what becomes of a record.
type Verdict string

// The verdicts.
const (
	VerdictOK     Verdict = "ok"     // a request
	VerdictReject Verdict = "reject" // unreadable or not acceptable: returned for the dead-letter queue, or parked
	VerdictIgnore Verdict = "ignore" // recognized and not a request: acknowledged
)

// The window verdicts of an ok record, against the 7 days a client token is valid (facts/event-envelopes.md section 2).
const (
	WindowInside          = "inside"           // a stamp that survives redelivery is younger than 7 days
	WindowPossiblyExpired = "possibly-expired" // the earliest stamp is older than 7 days
	WindowUnproven        = "unproven"         // only a stamp that a redrive resets, or none at all
)

// The values of [Record.MayHaveRunBefore]. There is no "false": no envelope can prove a first attempt.
const (
	RanBeforeTrue    = "true"    // there is evidence of an earlier attempt
	RanBeforeUnknown = "unknown" // there is none
)

// Record is one record of a document: a request, or the reason why it is none.
type Record struct {
	Path      string   // JSON pointer of the record in the document, "" for the whole document
	PayloadAt string   // pointer to the payload, decoding steps after "|", "" when none was reached
	Nesting   []string // what was opened, outermost first, "payload" last when a request was found

	Verdict Verdict
	Reason  Reason // empty for ok
	Field   string // the member to blame, empty when none is; digits of long numbers are masked
	Message string // one sentence for a person, empty for ok
	Fix     string // the next step, empty for ok

	// Delivery is filled for ok: Request, Source, ID, Origin, EventID, FirstRequested, ReceiveCount, Replay and Trace. Producer and
	// ReceivedAt are the caller's. A requestedAt in the future stays in Request, so that the core can refuse it, and is not
	// part of FirstRequested.
	Delivery call.Delivery

	Identity                   Identity
	FirstRequested             call.Stamp // best evidence of the request's age
	FirstRequestedEnvelopeOnly call.Stamp // the same without the payload's requestedAt
	ReceiveCount               *int       // of the outermost transport, nil when it has none
	MayHaveRunBefore           string     // RanBeforeTrue or RanBeforeUnknown
	Window                     string     // of an ok record, else empty

	// BatchItemFailureID is what a partial batch response names this record by; empty when the source has no partial
	// response, when the response needs a Position, or when the record came without its id. In the last case only an error
	// for the whole batch returns it.
	BatchItemFailureID string
	Position           *Position // Kafka: names the record in a partial batch response
	SourceARN          string    // queue, topic, stream or cluster that delivered it, empty when the transport does not say
	DeadLetterOf       string    // ARN of the queue whose redrive policy moved the message to the dead-letter queue it was read from, else empty
	Group              string    // MessageGroupId on a FIFO queue, else empty
	Flags              []string  // marks of the way here, e.g. eventbridge_replay
	Contact            *ContactEvent
	CheckIn            *CheckIn // of a flow that waits for its answer, else nil
	Kept               *Kept    // of a rejected record that came in a batch; only with [Options.Keep]
	Mapping            string   // name of the mapping that the payload was read by, else empty
	Mapped             []Mapped // what its expressions gave; only with [Options.Explain]
	Wake               *Wake    // of a hint to act on, else nil
	trigger            bool     // the document itself triggers a sweep

	// Trace is the trace that the record came with: of the message attribute traceparent of SQS or SNS, else of SQS's own AWSTraceHeader, which
	// SNS and EventBridge fill when they trace. EventBridge puts nothing of it into an event.
	Trace call.Trace
}

// Kept is a record as it can be read again.
type Kept struct {
	Document []byte // the record alone, in the form of its source
	Content  []byte // what it carries, which is the same at every delivery: the body of a message, the data of a stream, ...
}

// ProducerARN returns the ARN by which the configuration knows the producer of the record. A message that is read from a dead-letter queue
// still belongs to the queue it was sent to: in another key space it would be another call, and ring again.
func (r Record) ProducerARN() string {
	if r.DeadLetterOf != "" {
		return r.DeadLetterOf
	}
	return r.SourceARN
}

// Identity holds the ids of a delivery. They are for logs, batch responses and the event-id recipe; none of them identifies a
// request (facts/event-envelopes.md section 3).
type Identity struct {
	Delivery     string // outermost id
	DeliveryKind string // e.g. sqs.messageId
	Origin       string // innermost id given by a service
	OriginKind   string // e.g. eventbridge.id
	All          []ID   // outermost first
}

// ID is one id of a delivery.
type ID struct {
	Kind  string // who gave it: sqs.messageId, sns.MessageId, eventbridge.id, lambda.requestId, ...
	Value string
}

// Position is a place in a Kafka partition.
type Position struct {
	Partition string // "topic-partition"
	Offset    int64
}
